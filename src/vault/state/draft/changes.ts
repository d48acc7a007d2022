import { countingOf } from '../../../contract/records/counted_kinds.ts'
import type { PublicChanges } from '../../../contract/records/public_changes.ts'
import {
  everyRecordKind,
  type Lookup,
  type RecordKind,
  type RecordTypes,
  recordKinds,
  rowOf,
} from '../../../contract/records/records.ts'
import { documentedOf } from '../../../deciding/changes/documented_changes.ts'
import type { Change, PendingChanges as PendingChangesOf } from '../../../deciding/changes/pending_changes.ts'
import { together } from '../../../deciding/organization/reads_needed.ts'
import { type Addition, countGroupKind } from '../../../deciding/rules/counts.ts'
import type { Commit } from '../../../protocol/reads.ts'
import { digestOf } from '../../../protocol/tools/digest.ts'
import type { Pause } from '../../../protocol/tools/pause.ts'
import { spellingsOfLabel } from '../../../protocol/wire/labels.ts'
import type { Seals } from '../../keys/seal.ts'
import { sealRecord, unsealSecret } from '../../keys/sealed_record.ts'
import { countGroupOf } from '../decision_counts.ts'
import { whenSealed } from '../evidence.ts'
import { type Head, type LineageOf, type Listing, removalsAfter, sealHead } from '../head.ts'
import type { Organization } from '../organization.ts'

export type PendingChanges = PendingChangesOf<Head, Organization>

type Tools = {
  readonly seals: Seals
  readonly nowMs: number
  readonly pause: Pause
  /** Returns the lineage of a head that is made. */
  readonly lineageOf: LineageOf
}

/** A head that was made, its tag and its sealed size. */
export type MadeHead = {
  readonly head: Head
  readonly tag: string
  readonly sealedBytes: number
  /** The groups of counts that end with this head. */
  readonly forgets: readonly string[]
}

const sealedInARow = 16

type Changes = {
  heads: Commit['heads'][number][]
  records: Commit['records'][number][]
  lookups: Commit['lookups'][number][]
  erasures: Commit['erasures'][number][]
  /** The heads as they were sealed. */
  made: MadeHead[]
  /** The amounts that the books must count before the decision leaves. */
  additions: Addition[]
  documented: PublicChanges[]
}

/** Seals the records that an operation changed, and the heads that list them. */
export async function changesOf(tools: Tools, allPending: readonly PendingChanges[]): Promise<Changes> {
  const changes: Changes = {
    heads: [],
    records: [],
    lookups: [],
    erasures: [],
    made: [],
    additions: [],
    documented: [],
  }
  for (const pending of allPending) {
    const added = [...pending.changes.values()].flatMap((change) => additionsOf(pending.head.organizationId, change))
    changes.additions.push(...added)
    changes.documented.push(...documentedOf(pending))
    if (pending.isEnded) addEnd(tools, pending, changes)
    else await addChanges(tools, pending, changes)
  }
  return changes
}

async function addChanges(tools: Tools, pending: PendingChanges, changes: Changes): Promise<void> {
  const { organizationId } = pending.head
  const isNew = pending.stored === undefined
  let headChanged = isNew || pending.renamedTo !== undefined || pending.rootQuorum !== undefined
  // A signature changes nothing, so it must not copy a list of perhaps a thousand keys.
  if (!headChanged && pending.changes.size === 0) return
  const listed = new Map([...pending.head.listed].map(([kind, listings]) => [kind, new Map(listings)]))
  // The stored bytes of all changed records are asked for at once, because only the contents are cached.
  const stored = together(
    [...pending.changes.values()].map((change) => () => ({ change, before: storedOf(pending, change) })),
  )
  const removed = new Map([...pending.head.removed].map(([ownerId, recordIds]) => [ownerId, new Set(recordIds)]))

  for (const [index, { change, before }] of stored.entries()) {
    if (index % sealedInARow === sealedInARow - 1) await tools.pause()
    const { kind, recordId, after } = change
    const sealed = after === undefined ? removalOf(pending, change) : sealChange(tools.seals, pending, change, before)
    changes.records.push({
      organizationId,
      kind,
      recordId,
      ownerId: after === undefined ? undefined : rowOf(kind).ownerOf(after),
      version: sealed.version,
      sealed: sealed.bytes,
    })
    changes.lookups.push(...lookupChanges(organizationId, change))
    if (after === undefined && noteRemoval(change, removed)) headChanged = true
    const { owns } = recordKinds[kind]
    if (after === undefined && owns !== undefined) {
      changes.erasures.push({ organizationId, kind: owns, ownerId: recordId })
      removed.delete(recordId)
    }
    if (!recordKinds[kind].listed) continue
    headChanged = true
    const listings = listed.get(kind) ?? new Map<string, Listing>()
    listed.set(kind, listings)
    if (sealed.bytes === undefined) listings.delete(recordId)
    else listings.set(recordId, { version: sealed.version, digest: digestOf(sealed.bytes) })
  }

  if (!headChanged) return
  const organizationName = pending.renamedTo ?? pending.head.organizationName
  const ended = [...pending.changes.values()].filter(({ after }) => after === undefined)
  addHead(tools, changes, ended, {
    ...pending.head,
    organizationName,
    rootQuorum: pending.rootQuorum ?? pending.head.rootQuorum,
    // Nobody has approved anything in a new organization.
    ...(isNew || pending.rootQuorum === undefined ? {} : { rootQuorumSetAtMs: tools.nowMs }),
    ...(pending.renamedTo === undefined ? {} : { renamedAtMs: tools.nowMs }),
    ...removalsAfter(pending.head, ended, tools.nowMs),
    version: pending.head.version + 1,
    updatedAtMs: tools.nowMs,
    listed,
    removed,
  })
  if (isNew || pending.renamedTo !== undefined) changes.lookups.push(...nameChanges(pending, organizationName))
}

/** `ended`: the records that are gone with this head. */
function addHead(
  { seals, lineageOf }: Tools,
  changes: Changes,
  ended: readonly Pick<Change, 'kind' | 'recordId'>[],
  unsigned: Omit<Head, 'lineage'>,
): void {
  const { organizationId, parentId } = unsigned
  const head: Head = { ...unsigned, lineage: lineageOf(unsigned) }
  const found = sealHead(seals, head)
  changes.heads.push({ organizationId, parentId, ...found })
  const forgets = ended.flatMap(({ kind, recordId }) =>
    kind === countGroupKind ? [countGroupOf(organizationId, { kind, recordId })] : [],
  )
  changes.made.push({ head, tag: found.tag, sealedBytes: found.sealed.length, forgets })
}

/** Adds the last head of a deleted organization, which the books protect like any other head. */
function addEnd(tools: Tools, { head }: PendingChanges, changes: Changes): void {
  const { organizationId, version } = head
  const { nowMs } = tools
  const nothing = {
    organizationName: '',
    rootQuorum: { threshold: 0, userIds: [] },
    listed: new Map(),
    removed: new Map(),
  }
  const ended = [...head.listed].flatMap(([kind, listings]) =>
    [...listings.keys()].map((recordId) => ({ kind, recordId })),
  )
  addHead(tools, changes, ended, { ...head, ...nothing, version: version + 1, updatedAtMs: nowMs, deletedAtMs: nowMs })
  changes.lookups.push(...removedNames(head))
  changes.erasures.push(...everyRecordKind.map((kind) => ({ organizationId, kind, ownerId: undefined })))
}

/** Returns the version of a removal. Like every change, a removal takes the next version of the record. */
function removalOf({ head, stored }: PendingChanges, { kind, recordId }: Change) {
  const last = recordKinds[kind].listed ? head.listed.get(kind)?.get(recordId) : stored?.unlisted(kind, recordId)
  if (last === undefined) throw new Error(`${kind} ${recordId} was removed but not read`)
  return { version: last.version + 1, bytes: undefined }
}

/**
 * Notes a removed unlisted record under its owner, and returns whether it did. No head lists the record, so somebody
 * could put its row back: the head must name it as removed.
 */
function noteRemoval({ kind, recordId, before }: Change, removed: Map<string, Set<string>>): boolean {
  const ownerId = before === undefined ? undefined : rowOf(kind).ownerOf(before)
  if (ownerId === undefined || recordKinds[kind].listed) return false
  removed.set(ownerId, (removed.get(ownerId) ?? new Set()).add(recordId))
  return true
}

type StoredBytes = { readonly version: number; readonly sealed: Uint8Array }

/** Returns the stored bytes that a change replaces; undefined if the change adds or removes the record. */
function storedOf(pending: PendingChanges, { kind, recordId, before, after }: Change): StoredBytes | undefined {
  if (before === undefined || after === undefined) return undefined
  if (pending.stored === undefined) throw new Error('a new organization changes no existing record')
  const stored = recordKinds[kind].listed
    ? pending.stored.sealedBytes(kind, recordId)
    : pending.stored.unlisted(kind, recordId)
  if (stored === undefined) throw new Error(`${kind} ${recordId} was changed but not read`)
  return stored
}

/** Seals the next version of a record. A secret that the operation did not replace is sealed again with it. */
function sealChange(
  seals: Seals,
  pending: PendingChanges,
  { kind, recordId, after, secret }: Change,
  stored: StoredBytes | undefined,
): { readonly version: number; readonly bytes: Uint8Array } {
  const { organizationId } = pending.head
  if (after === undefined) throw new Error(`${kind} ${recordId} was removed`)
  if (stored === undefined) {
    const version = 1
    return { version, bytes: sealRecord(seals, { organizationId, kind, recordId, version }, { record: after, secret }) }
  }
  const version = stored.version + 1
  const isKept = recordKinds[kind].hasSecret && secret === undefined
  using kept = isKept
    ? whenSealed(`organization ${organizationId}: secret of ${kind} ${recordId}`, () =>
        unsealSecret(seals, { organizationId, kind, recordId, version: stored.version }, stored.sealed),
      )
    : undefined
  const given = { record: after, secret: secret ?? kept }
  const bytes = sealRecord(seals, { organizationId, kind, recordId, version }, given)
  return { version, bytes }
}

function additionsOf(organizationId: string, { kind, recordId, before, after }: Change): readonly Addition[] {
  const counting = countingOf(kind)
  if (after === undefined || counting === undefined) return []
  const { added, keptMs } = counting
  return added(before, after).map(({ part, ...addition }) => ({
    organizationId,
    what: [kind, recordId, part],
    ...addition,
    keptMs,
  }))
}

function lookupsOf(kind: RecordKind, record: RecordTypes[RecordKind] | undefined): readonly Lookup[] {
  return record === undefined ? [] : rowOf(kind).lookupsOf(record)
}

function lookupChanges(organizationId: string, { kind, recordId, before, after }: Change): Changes['lookups'] {
  // A key of another name is written again, because a record of an earlier version may lack it.
  const idOf = ({ lookup, key, spells = '' }: Lookup) => JSON.stringify([lookup, key, spells])
  const old = new Map(lookupsOf(kind, before).map((lookup) => [idOf(lookup), lookup]))
  const next = new Map(lookupsOf(kind, after).map((lookup) => [idOf(lookup), lookup]))
  const place = { organizationId, kind, recordId }
  const rowOf = (change: 'add' | 'remove', { lookup, key }: Lookup) => ({ change, lookup, key, ...place })
  return [
    ...[...old].filter(([key]) => !next.has(key)).map(([, lookup]) => rowOf('remove', lookup)),
    ...[...next].filter(([key]) => !old.has(key)).map(([, lookup]) => rowOf('add', lookup)),
  ]
}

function nameChanges(pending: PendingChanges, organizationName: string): Changes['lookups'] {
  const row = nameRow(pending.head)
  return [
    ...(pending.stored === undefined ? [] : removedNames(pending.head)),
    ...spellingsOfLabel(organizationName).map((key) => ({ ...row, change: 'add' as const, key })),
  ]
}

function removedNames(head: Head): Changes['lookups'] {
  return spellingsOfLabel(head.organizationName).map((key) => ({ ...nameRow(head), change: 'remove', key }))
}

function nameRow({ organizationId }: Head) {
  return { organizationId, lookup: 'organization_name', kind: 'organization', recordId: organizationId } as const
}
