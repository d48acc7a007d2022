import type { Activity } from '../operations/activity.ts'
import type { OrganizationReader, Reader, Signer } from '../operations/define.ts'
import { type Need, storeReads } from '../operations/needs.ts'
import { type LookupName, type RecordKind, type RecordTypes, recordKinds } from '../operations/records.ts'
import { addressFormats, lookupAddress } from '../protocol/address_formats.ts'
import { Failure } from '../protocol/failures.ts'
import type { LookupRow } from '../protocol/reads.ts'
import { openActivity } from './activity.ts'
import { type Evidence, IntegrityError } from './evidence.ts'
import type { Organization } from './organization.ts'
import type { Seals } from './seal.ts'

/** Everything that an operation named in `reads`, verified; what it did not name is not here. */
export type Resolved = {
  readonly records: ReadonlyMap<string, RecordTypes[RecordKind]>
  readonly pages: ReadonlyMap<string, readonly RecordTypes[RecordKind][]>
  readonly activities: readonly Activity[]
  readonly lookups: ReadonlyMap<string, readonly LookupRow[]>
  readonly holders: readonly string[]
  readonly signers: ReadonlyMap<string, Signer>
}

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
        const found = findSigner(sources, organization, need.signWith)
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

/** The organization as an operation sees it: what was resolved, by id. */
export function readerOf(organization: Organization, resolved: Resolved): OrganizationReader {
  const { organizationId, parentId, organizationName, rootQuorum } = organization.head

  function reader<K extends RecordKind>(kind: K): Reader<RecordTypes[K]> {
    return {
      get(recordId) {
        const record = resolved.records.get(recordKey(kind, recordId.toLowerCase()))
        if (record === undefined) throw new Error(`${kind} ${recordId} is not among the operation's reads`)
        return record as RecordTypes[K]
      },
      all: () => resolvedList(resolved, allKey(kind)) as readonly RecordTypes[K][],
      page: () => resolvedList(resolved, pageKey(kind)) as readonly RecordTypes[K][],
    }
  }

  return {
    organizationId,
    parentId,
    organizationName,
    rootQuorum,
    users: reader('user'),
    wallets: reader('wallet'),
    walletAccounts: reader('wallet_account'),
    privateKeys: reader('private_key'),
    subOrganizations: reader('sub_organization'),
    activities: {
      get(activityId) {
        const activity = resolved.activities.find((candidate) => candidate.activityId === activityId)
        if (activity === undefined) throw new Error(`activity ${activityId} is not among the operation's reads`)
        return activity
      },
      all: () => resolved.activities,
      page: () => resolved.activities,
    },
    found<K extends RecordKind>(kind: K, lookup: string, key: string) {
      const rows = resolved.lookups.get(lookupKey(lookup, key))
      if (rows === undefined) throw new Error(`lookup ${lookup} is not among the operation's reads`)
      return rows
        .filter((row) => row.kind === kind)
        .map(({ recordId }) => resolved.records.get(recordKey(kind, recordId)) as RecordTypes[K])
    },
    holders: () => resolved.holders,
    signer(signWith) {
      const signer = resolved.signers.get(signWith)
      if (signer === undefined) throw new Error("this signer is not among the operation's reads")
      return signer
    },
  }
}

function resolvedList(resolved: Resolved, key: string): readonly unknown[] {
  const list = resolved.pages.get(key)
  if (list === undefined) throw new Error(`${key} is not among the operation's reads`)
  return list
}

const recordKey = (kind: string, recordId: string) => `${kind} ${recordId}`
const lookupKey = (lookup: string, key: string) => `${lookup} ${key}`
const allKey = (kind: string) => `all ${kind}`
const pageKey = (kind: string) => `page ${kind}`

function idOf<K extends RecordKind>(kind: K, record: RecordTypes[K]): string {
  return recordKinds[kind].idOf(record)
}

/** A listed record may be known already: then nothing has to be looked up for it. */
function isCached(organization: Organization, need: Need): boolean {
  if (need.need !== 'record' || !recordKinds[need.kind].listed) return false
  return organization.isKnown(need.kind, need.recordId)
}

function findRecord<K extends RecordKind>(organization: Organization, kind: K, recordId: string) {
  return recordKinds[kind].listed
    ? organization.listed(kind, recordId)
    : organization.unlisted(kind, recordId)?.record
}

function notFound(kind: RecordKind, recordId: string): Failure {
  return new Failure('NOT_FOUND', { reason: `there is no ${kind.replace('_', ' ')} ${recordId} in this organization` })
}

function findRows(
  evidence: Evidence,
  organizationId: string,
  { lookup, key }: { readonly lookup: LookupName; readonly key: string },
): readonly LookupRow[] {
  return evidence.find({ read: 'lookup', organizationId, lookup, key }).rows
}

/** That nothing else goes by this key when the decision is written. */
function relyOnLookup(
  evidence: Evidence,
  organizationId: string,
  { lookup, key }: { readonly lookup: LookupName; readonly key: string },
  rows: readonly LookupRow[],
): void {
  evidence.rely({ of: 'lookup', organizationId, lookup, key, recordIds: rows.map(({ recordId }) => recordId) })
}

type TrueRow = LookupRow & { readonly kind: RecordKind; readonly record: RecordTypes[RecordKind] }

/** The rows whose record really goes by that key: a lookup is a hint, the sealed record decides. */
function trueRows(
  organization: Organization,
  rows: readonly LookupRow[],
  { lookup, key }: { readonly lookup: LookupName; readonly key: string },
): readonly TrueRow[] {
  return rows.flatMap((row) => {
    if (!isRecordKind(row.kind)) return []
    const record = findRecord(organization, row.kind, row.recordId)
    if (record === undefined || !goesBy(row.kind, record, lookup, key)) return []
    return [{ ...row, kind: row.kind, record }]
  })
}

function goesBy<K extends RecordKind>(kind: K, record: RecordTypes[K], lookup: LookupName, key: string): boolean {
  return recordKinds[kind].lookupsOf(record).some((own) => own.lookup === lookup && own.key === key)
}

function isRecordKind(kind: string): kind is RecordKind {
  return Object.hasOwn(recordKinds, kind)
}

type FoundSigner = { readonly signer: Signer; readonly records: readonly TrueRow[] }

function findSigner({ evidence }: Sources, organization: Organization, signWith: string): FoundSigner {
  const { organizationId } = organization.head
  const privateKey = organization.head.listed.get('private_key')?.has(signWith.toLowerCase())
    ? organization.listed('private_key', signWith.toLowerCase())
    : undefined
  if (privateKey !== undefined) {
    const { privateKeyId: recordId, curve } = privateKey
    return {
      signer: { kind: 'private_key', recordId, curve, scheme: 'default' },
      records: [{ organizationId, kind: 'private_key', recordId, record: privateKey }],
    }
  }
  const key = lookupAddress(signWith)
  const hint = { lookup: 'address', key } as const
  const [row] = trueRows(organization, findRows(evidence, organizationId, hint), hint)
  if (row === undefined) throw new Failure('SIGNER_NOT_FOUND', { fieldPath: 'parameters.signWith' })
  const format = formatOf(row, key)
  if (row.kind !== 'wallet_account' && row.kind !== 'private_key') throw new Failure('SIGNER_NOT_FOUND')
  const { curve } = row.record as RecordTypes['wallet_account' | 'private_key']
  const scheme = addressFormats.get(format)?.signatureScheme ?? 'default'
  return { signer: { kind: row.kind, recordId: row.recordId, curve, scheme }, records: [row] }
}

/** The format of the address by which the signer was named: it decides how to sign. */
function formatOf({ kind, record }: TrueRow, key: string) {
  if (kind === 'wallet_account') return (record as RecordTypes['wallet_account']).addressFormat
  const { addresses } = record as RecordTypes['private_key']
  const named = addresses.find(({ address }) => lookupAddress(address) === key)
  if (named === undefined) throw new Error('a private key was found by an address that it does not have')
  return named.format
}

function pageOf({ evidence }: Sources, organization: Organization, need: Extract<Need, { need: 'page' }>) {
  const { organizationId } = organization.head
  const [read] = storeReads(need, organizationId)
  if (read?.read !== 'page') throw new Error('a page is one read')
  const { rows } = evidence.find(read)
  if (rows === undefined) throw unknownCursor()
  return rows.map((row) => organization.unsealRow(need.kind, row)).filter((record) => {
    return need.ownerId === undefined || recordKinds[need.kind].ownerOf(record as never) === need.ownerId
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
  if (row === undefined) throw new Failure('NOT_FOUND', { reason: `there is no activity ${activityId} in this organization` })
  return openActivity(seals, organizationId, row)
}

function activitiesOf({ evidence, seals }: Sources, organizationId: string, need: Extract<Need, { need: 'activities' }>) {
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
