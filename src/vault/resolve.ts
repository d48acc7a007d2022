import type { Activity } from '../operations/activity.ts'
import type { Signer } from '../operations/define.ts'
import { type Need, storeReads } from '../operations/needs.ts'
import { type RecordKind, type RecordTypes, recordKinds } from '../operations/records.ts'
import { Failure } from '../protocol/failures.ts'
import type { LookupRow } from '../protocol/reads.ts'
import { openActivity } from './activity.ts'
import { type Evidence, IntegrityError } from './evidence.ts'
import { findRecord, findRows, findSigner, relyOnLookup, trueRows } from './hints.ts'
import type { Organization } from './organization.ts'
import { allKey, lookupKey, pageKey, type Resolved, recordKey } from './reader.ts'
import type { Seals } from './seal.ts'

type Sources = {
  readonly evidence: Evidence
  readonly seals: Seals
  /** Opens another organization, for `holders`. */
  readonly open: (organizationId: string) => Promise<Organization | undefined>
}

export async function resolveNeeds(
  sources: Sources,
  organization: Organization,
  needs: readonly Need[],
): Promise<Resolved> {
  const { evidence } = sources
  const { organizationId } = organization.head
  // Asked for together, so that a request takes one more round and not one for each need.
  evidence.require(needs.flatMap((need) => (isCached(organization, need) ? [] : storeReads(need, organizationId))))

  const records = new Map<string, RecordTypes[RecordKind]>()
  const pages = new Map<string, readonly RecordTypes[RecordKind][]>()
  const lookups = new Map<string, readonly LookupRow[]>()
  const signers = new Map<string, Signer>()
  let activities: readonly Activity[] = []
  let holders: readonly string[] = []

  for (const need of needs) {
    switch (need.need) {
      case 'record': {
        const record = findRecord(organization, need.kind, need.recordId)
        if (record === undefined) throw notFound(need.kind, need.recordId)
        records.set(recordKey(need.kind, need.recordId), record)
        break
      }
      case 'all': {
        const all = organization.allListed(need.kind)
        for (const record of all) records.set(recordKey(need.kind, idOf(need.kind, record)), record)
        pages.set(allKey(need.kind), all)
        break
      }
      case 'lookup': {
        const hints = findRows(evidence, organizationId, need)
        relyOnLookup(evidence, organizationId, need, hints)
        const rows = trueRows(organization, hints, need)
        for (const { kind, recordId, record } of rows) records.set(recordKey(kind, recordId), record)
        lookups.set(lookupKey(need.lookup, need.key), rows)
        break
      }
      case 'unused': {
        const rows = findRows(evidence, organizationId, need)
        relyOnLookup(evidence, organizationId, need, rows)
        if (rows.length > 0) {
          throw new Failure('NAME_TAKEN', {
            fieldPath: need.fieldPath,
            expected: 'one that nothing else in this organization has',
          })
        }
        break
      }
      case 'signer': {
        const found = findSigner(evidence, organization, need.signWith)
        signers.set(need.signWith, found.signer)
        for (const { kind, recordId, record } of found.records) records.set(recordKey(kind, recordId), record)
        break
      }
      case 'page':
        pages.set(pageKey(need.kind), pageOf(sources, organization, need))
        break
      case 'activity':
        activities = [findActivity(sources, organizationId, need.activityId)]
        break
      case 'activities':
        activities = activitiesOf(sources, organizationId, need)
        break
      case 'holders':
        holders = await holdersOf(sources, organizationId, need)
        break
    }
  }
  return { records, pages, activities, lookups, holders, signers }
}

function idOf<K extends RecordKind>(kind: K, record: RecordTypes[K]): string {
  return recordKinds[kind].idOf(record)
}

/** A listed record may be known already: then nothing has to be looked up for it. */
function isCached(organization: Organization, need: Need): boolean {
  if (need.need !== 'record' || !recordKinds[need.kind].listed) return false
  return organization.isKnown(need.kind, need.recordId)
}

function notFound(kind: RecordKind, recordId: string): Failure {
  return new Failure('NOT_FOUND', { reason: `there is no ${kind.replace('_', ' ')} ${recordId} in this organization` })
}

function pageOf({ evidence }: Sources, organization: Organization, need: Extract<Need, { need: 'page' }>) {
  const { organizationId } = organization.head
  const [read] = storeReads(need, organizationId)
  if (read?.read !== 'page') throw new Error('a page is one read')
  const { rows } = evidence.find(read)
  if (rows === undefined) throw unknownCursor()
  return rows
    .map((row) => organization.unsealRow(need.kind, row))
    .filter((record) => {
      const ownerId = recordKinds[need.kind].ownerOf(record as never)
      return organization.isOwned(ownerId) && (need.ownerId === undefined || ownerId === need.ownerId)
    })
}

function unknownCursor(): Failure {
  return new Failure('FIELD_INVALID', {
    fieldPath: 'paginationOptions',
    reason: 'the cursor in `after` or `before` is not an id of this list',
  })
}

function findActivity({ evidence, seals }: Sources, organizationId: string, activityId: string): Activity {
  const { row } = evidence.find({ read: 'activity', organizationId, activityId })
  if (row !== undefined && row.activityId !== activityId) {
    throw new IntegrityError(`activity ${activityId} was asked for, ${row.activityId} was presented`)
  }
  if (row === undefined)
    throw new Failure('NOT_FOUND', { reason: `there is no activity ${activityId} in this organization` })
  return openActivity(seals, organizationId, row)
}

function activitiesOf(
  { evidence, seals }: Sources,
  organizationId: string,
  need: Extract<Need, { need: 'activities' }>,
) {
  const [read] = storeReads(need, organizationId)
  if (read?.read !== 'activities') throw new Error('a page of activities is one read')
  const { rows } = evidence.find(read)
  if (rows === undefined) throw unknownCursor()
  return rows
    .map((row) => openActivity(seals, organizationId, row))
    .filter(({ status, type }) => (need.statuses?.includes(status) ?? true) && (need.types?.includes(type) ?? true))
}

/** Sub-organizations that really are below this one and really hold a record by that key. */
async function holdersOf(
  { evidence, open }: Sources,
  parentId: string,
  need: Extract<Need, { need: 'holders' }>,
): Promise<readonly string[]> {
  const { lookup, key, page } = need
  const { rows } = evidence.find({ read: 'holders', parentId, lookup, key, ...page })
  if (rows === undefined) throw unknownCursor()
  evidence.require(rows.map(({ organizationId }) => ({ read: 'headTag', organizationId })))
  const holders: string[] = []
  for (const row of rows) {
    const child = await open(row.organizationId)
    if (child?.head.parentId !== parentId) continue
    const named = row.kind === 'organization' && lookup === 'organization_name' && child.head.organizationName === key
    if (named || trueRows(child, [row], need).length > 0) holders.push(row.organizationId)
  }
  return holders
}
