import { unknownCursor } from '../../contract/fields/page_fields.ts'
import { type Need, storeReads } from '../../contract/needs.ts'
import type { Activity } from '../../contract/records/activity.ts'
import { type Lookup, recordKinds, rowOf } from '../../contract/records/records.ts'
import { trueRows } from '../../deciding/organization/lookups.ts'
import {
  type ResolvedNeeds as NeedsOf,
  nothingYet,
  pageKey,
  type Resolved,
  type ResolvedRecord,
  type Resolving,
  recordKey,
} from '../../deciding/organization/organization_reader.ts'
import { together } from '../../deciding/organization/reads_needed.ts'
import { resolveBoth, resolveRecords } from '../../deciding/organization/resolve_records.ts'
import type { FoundActivity } from '../../protocol/reads.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { spellingsOfLabel } from '../../protocol/wire/labels.ts'
import { IntegrityError } from './evidence.ts'
import { loggedBundles, loggedOf } from './logged.ts'
import { loggedDocuments } from './logged_documents.ts'
import { lookupsOf } from './lookups.ts'
import { type OnBooks, requireOnBooks } from './on_books.ts'
import {
  askForOrganizations,
  type Organization,
  type Sources as OrganizationSources,
  openOrganization,
} from './organization.ts'
import { openActivity } from './sealed_activity.ts'

type Sources = OrganizationSources & OnBooks

export type ResolvedNeeds = NeedsOf<Organization>

/** Resolves everything that an operation reads, of the organization and of its parent. */
export function resolveNeeds(sources: Sources, organization: Organization, needs: readonly Need[]): ResolvedNeeds {
  return resolveBoth(organization, needs, (one, its) => resolveOf(sources, one, its))
}

/** Returns the resolved needs with more records of the organization itself. */
export function withRecords({ own, parent }: ResolvedNeeds, more: readonly ResolvedRecord[]): ResolvedNeeds {
  const records = new Map(own.resolved.records)
  for (const { kind, recordId, record } of more) records.set(recordKey(kind, recordId), record)
  return { own: { ...own, resolved: { ...own.resolved, records } }, parent }
}

function resolveOf(sources: Sources, organization: Organization, needs: readonly Need[]): Resolved {
  const { evidence } = sources
  const { organizationId } = organization.head
  // All needs are asked for at once, so that a request takes one more round and not one round for each need.
  evidence.askFor(needs.flatMap((need) => (isCached(organization, need) ? [] : storeReads(need, organizationId))))

  const resolved = nothingYet()
  together(needs.map((need) => () => resolveNeed(sources, organization, need, resolved)))
  return resolved
}

function resolveNeed(sources: Sources, organization: Organization, need: Need, resolved: Resolving): void {
  const { evidence } = sources
  const { organizationId } = organization.head
  switch (need.need) {
    case 'page':
      resolved.pages.set(pageKey(need.kind), pageOf(sources, organization, need))
      return
    case 'activity':
      resolved.activities = [findActivity(sources, organizationId, need.activityId)]
      return
    case 'activities':
      resolved.activities = activitiesOf(sources, organizationId, need)
      return
    case 'deliveries': {
      const { endpointId, isGivenUp, page } = need
      resolved.deliveries = evidence.find({ read: 'webhooks', organizationId, endpointId, isGivenUp, ...page }).rows
      return
    }
    case 'delivery': {
      const { row } = evidence.find({ read: 'webhook', organizationId, messageId: need.deliveryId })
      resolved.deliveries = row === undefined ? [] : [row]
      return
    }
    case 'logged': {
      const activity = findActivity(sources, organizationId, need.activityId)
      resolved.activities = [activity]
      resolved.logged = loggedOf(evidence, activity)
      return
    }
    case 'logBundles':
      resolved.logged = loggedBundles(evidence, organizationId, need)
      return
    case 'logDocuments':
      resolved.logged = loggedDocuments(sources, organization, need)
      return
    case 'unheld':
      requireUnheld(sources, organization, need)
      return
    case 'holders':
      resolved.holders = holdersOf(sources, organizationId, need)
      return
    default:
      resolveRecords(organization, need, resolved, {
        lookups: lookupsOf(evidence, organizationId),
        resolveMore: (each) => resolveNeed(sources, organization, each, resolved),
      })
  }
}

/**
 * Whether the need takes no read: the listed record is cached, or the head does not list it, or an organization with a
 * parent is asked for its sub-organizations.
 */
function isCached(organization: Organization, need: Need): boolean {
  if (need.need === 'unheld') return organization.head.parentId !== undefined
  if (need.need !== 'record' && need.need !== 'maybe') return false
  if (!recordKinds[need.kind].listed) return false
  // A record of a listed kind that the head does not list does not exist, whatever the database has.
  return !organization.isListed(need.kind, need.recordId) || organization.isKnown(need.kind, need.recordId)
}

function pageOf({ evidence }: Sources, organization: Organization, need: Extract<Need, { need: 'page' }>) {
  const { organizationId } = organization.head
  const [read] = storeReads(need, organizationId)
  if (read?.read !== 'page') throw new Error('a page is one read')
  const { rows } = evidence.find(read)
  if (rows === undefined) throw unknownCursor()
  const { idOf, ownerOf } = rowOf(need.kind)
  return rows
    .map((row) => organization.unsealRow(need.kind, row))
    .filter((record) => {
      const ownerId = ownerOf(record)
      return organization.isLive(idOf(record), ownerId) && (need.ownerId === undefined || ownerId === need.ownerId)
    })
}

function findActivity(sources: Sources, organizationId: string, activityId: string): Activity {
  const { evidence } = sources
  const { row } = evidence.find({ read: 'activity', organizationId, activityId })
  if (row !== undefined && row.activityId !== activityId) {
    throw new IntegrityError(`activity ${activityId} was asked for, ${row.activityId} was presented`)
  }
  if (row === undefined) throw new Failure('NOT_FOUND', `there is no activity ${activityId} in this organization`)
  return openOnBooks(sources, organizationId, row)
}

function openOnBooks(sources: Sources, organizationId: string, row: FoundActivity): Activity {
  const activity = openActivity(sources.services.seals, organizationId, row)
  requireOnBooks(sources, activity)
  return activity
}

function activitiesOf(sources: Sources, organizationId: string, need: Extract<Need, { need: 'activities' }>) {
  const [read] = storeReads(need, organizationId)
  if (read?.read !== 'activities') throw new Error('a page of activities is one read')
  const { rows } = sources.evidence.find(read)
  if (rows === undefined) throw unknownCursor()
  return together(rows.map((row) => () => openOnBooks(sources, organizationId, row))).filter(
    ({ status, type }) => (need.statuses?.includes(status) ?? true) && (need.types?.includes(type) ?? true),
  )
}

function requireUnheld(sources: Sources, organization: Organization, need: Extract<Need, { need: 'unheld' }>): void {
  if (isCached(organization, need)) return
  const { lookup, key, fieldPath } = need
  const held = holdersOf(sources, organization.head.organizationId, { lookup, key, page: { limit: 2 } })
  if (held.length === 0) return
  throw new Failure('NAME_TAKEN', { fieldPath, expected: 'one that no user of another sub-organization has' })
}

/** Returns the sub-organizations that really are below this one and really hold a record by that key. */
type Holding = Lookup & Pick<Extract<Need, { need: 'holders' }>, 'page'>

function holdersOf(sources: Sources, parentId: string, need: Holding): readonly string[] {
  const { lookup, key, page } = need
  const { rows } = sources.evidence.find({ read: 'holders', parentId, lookup, key, ...page })
  if (rows === undefined) throw unknownCursor()
  askForOrganizations(
    sources,
    rows.map(({ organizationId }) => organizationId),
  )
  const holders = rows.map((row) => () => {
    const child = openOrganization(sources, row.organizationId)
    if (child?.head.parentId !== parentId) return []
    const isName = row.kind === 'organization' && lookup === 'organization_name'
    const named = isName && spellingsOfLabel(child.head.organizationName).includes(key)
    return named || trueRows(child, [row], need).length > 0 ? [row.organizationId] : []
  })
  return together(holders).flat()
}
