import type { Quorum } from '../../contract/define.ts'
import { approvalLifetimeMs } from '../../contract/records/recent_changes.ts'
import { everyRecordKind, type RecordKind, recordKinds, rowOf } from '../../contract/records/records.ts'
import type { FoundHead } from '../../protocol/reads.ts'
import { type BookedHead, belowNext, type HeadName, makersMax, noId } from '../books/booked_head.ts'
import type { DecisionBooks } from '../books/decision_books.ts'
import { SealError, type Seals, sealTag } from '../keys/seal.ts'

/** One listed record. It exists in this version, and its sealed bytes have this digest. */
export type Listing = { readonly version: number; readonly digest: string }

/**
 * The root of trust of one organization: one sealed document that lists every record of the listed kinds, with the
 * version and the digest of its sealed record. Nobody can edit, exchange, drop or roll back a listed record on its own.
 * A record of a listed kind that the head does not list does not exist.
 */
export type Head = {
  readonly organizationId: string
  readonly parentId: string | undefined
  readonly organizationName: string
  readonly rootQuorum: Quorum
  readonly version: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly listed: ReadonlyMap<RecordKind, ReadonlyMap<string, Listing>>
  /**
   * The ids of removed unlisted records by owner, while the owner exists. If somebody puts such a row back, the record
   * stays removed.
   */
  readonly removed: ReadonlyMap<string, ReadonlySet<string>>
  /** When the root quorum or the name was last set. Absent: not since the vault keeps these times. */
  readonly rootQuorumSetAtMs?: number
  readonly renamedAtMs?: number
  /** The last removal of each record that may recur, if an approval from before may still count. */
  readonly recentRemovals?: readonly Removal[]
  /** Absent in heads that were sealed before the vault kept books. */
  readonly lineage?: Lineage
  /** When the organization was deleted. Only this head is left, so that nobody can undo the deletion. */
  readonly deletedAtMs?: number
}

export type Removal = { readonly kind: RecordKind; readonly recordId: string; readonly atMs: number }

/** The maker of the head, its change key and the heads below it, see `BookedHead`. */
export type Lineage = Pick<BookedHead, 'maker' | 'changeKey' | 'below'>

export const listedKinds: readonly RecordKind[] = everyRecordKind.filter((kind) => recordKinds[kind].listed)

export function sealHead(seals: Seals, head: Head): FoundHead {
  const listed = Object.fromEntries([...head.listed].map(([kind, listings]) => [kind, [...listings].map(listedRow)]))
  const removed = [...head.removed].map(([ownerId, recordIds]) => [ownerId, [...recordIds]])
  const lineage = head.lineage && { ...head.lineage, below: [...head.lineage.below] }
  const plaintext = Buffer.from(JSON.stringify({ ...head, listed, removed, lineage }))
  const sealed = seals.seal(slotOf(head), plaintext)
  return { version: head.version, tag: sealTag(sealed), sealed }
}

/** Throws `SealError` unless the head was sealed for this organization and version, and carries this tag. */
export function unsealHead(seals: Seals, organizationId: string, found: FoundHead): Head {
  if (sealTag(found.sealed) !== found.tag) throw new SealError('the head does not carry the tag that was named')
  const plaintext = seals.unseal(slotOf({ organizationId, version: found.version }), found.sealed)
  // The seal has proved that the vault wrote these bytes.
  const stored: StoredHead = JSON.parse(Buffer.from(plaintext).toString('utf8'))
  const listed = new Map(
    listedKinds.map((kind) => [
      kind,
      new Map((stored.listed[kind] ?? []).map(([id, version, digest]) => [id, { version, digest }])),
    ]),
  )
  const removed = new Map((stored.removed ?? []).map(([ownerId, recordIds]) => [ownerId, new Set(recordIds)]))
  const { lineage, ...others } = stored
  const kept = lineage && { lineage: { ...lineage, below: new Map(lineage.below) } }
  return { ...others, parentId: stored.parentId, listed, removed, ...kept }
}

/** The recent removals once these records are gone too. One that was made again in between has one. */
export function removalsAfter(
  { recentRemovals = [] }: Head,
  ended: readonly Omit<Removal, 'atMs'>[],
  nowMs: number,
): Pick<Head, 'recentRemovals'> {
  const now = ended
    .filter(({ kind }) => rowOf(kind).recurs)
    .map(({ kind, recordId }) => ({ kind, recordId, atMs: nowMs }))
  const isRemovedNow = (one: Removal) =>
    now.some(({ kind, recordId }) => kind === one.kind && recordId === one.recordId)
  const before = recentRemovals.filter((one) => one.atMs + approvalLifetimeMs > nowMs && !isRemovedNow(one))
  return before.length + now.length + recentRemovals.length === 0 ? {} : { recentRemovals: [...before, ...now] }
}

/** Returns the part of a head that the books keep. `tag` is the tag of the head. */
export function bookedHeadOf({ version, lineage }: Head, tag: string): BookedHead {
  const { maker = noId, changeKey = noId, below = new Map() } = lineage ?? {}
  return { version, tag, maker, changeKey, below }
}

type StoredHead = Omit<Head, 'listed' | 'removed' | 'lineage'> & {
  readonly lineage?: Omit<Lineage, 'below'> & { readonly below: readonly (readonly [string, HeadName])[] }
  /** Absent in heads that were sealed before an unlisted record could be removed. */
  readonly removed?: readonly (readonly [string, readonly string[]])[]
  readonly listed: Partial<Record<RecordKind, readonly (readonly [string, number, string])[]>>
}

function listedRow([id, { version, digest }]: readonly [string, Listing]): readonly [string, number, string] {
  return [id, version, digest]
}

function slotOf({ organizationId, version }: { readonly organizationId: string; readonly version: number }) {
  return { organizationId, kind: 'head', id: organizationId, version }
}

export type LineageOf = (head: Pick<Head, 'organizationId' | 'version'>) => Lineage

type LineageSources = { readonly books: Pick<DecisionBooks, 'newest' | 'journalId'> }

/**
 * Returns the lineage of a head that this vault makes. `changeKey` is called only if a decision makes a head: most do
 * not.
 */
export function lineages({ books }: LineageSources, changeKey = () => noId): LineageOf {
  return ({ organizationId, version }) => {
    // The id of a new organization is new as well, so nothing lies below its first head.
    const newest = version === 1 ? undefined : books.newest(organizationId)
    const below = newest === undefined ? new Map<string, HeadName>() : belowNext(newest)
    // The check comes before the commit: the books could not take such a head up.
    if (below.size > makersMax) {
      throw new Error(
        `organization ${organizationId}: ${below.size} journals have made its heads, and no more are kept`,
      )
    }
    return { maker: books.journalId(), changeKey: changeKey(), below }
  }
}
