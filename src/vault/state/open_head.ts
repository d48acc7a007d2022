import type { RecordKind, RecordTypes } from '../../contract/records/records.ts'
import type { ByteCache } from '../../protocol/tools/byte_cache.ts'
import type { DecisionBooks } from '../books/decision_books.ts'
import type { Seals } from '../keys/seal.ts'
import { BehindError, type Evidence, ForkError, IntegrityError, type Recalled, whenSealed } from './evidence.ts'
import { bookedHeadOf, type Head, type Listing, unsealHead } from './head.ts'

/** The caches that outlive a request. Each is bounded in bytes. */
export type OrganizationCache = {
  readonly heads: ByteCache<{ readonly tag: string; readonly head: Head }>
  /** Opened records, listed or not, each with the version and the digest of its sealed bytes. */
  readonly records: ByteCache<Listing & { readonly record: RecordTypes[RecordKind] }>
  /** Rows that were presented for signatures and are recalled for the next signatures (`recall.ts`). */
  readonly rows: ByteCache<Recalled>
  /** Stamps that were verified, each with the fingerprint of its body, for decisions that are made again. */
  readonly stamps: ByteCache<true>
  /** When parents were last opened for their webhooks, see `openRecently`. */
  readonly looks: ByteCache<Look>
}

/** The last time a head was looked at in the database, and the last time also from memory (`recall.ts`). */
export type Look = { readonly tag: string; readonly shownAtMs: number; readonly recalledAtMs: number }

/** The estimated bytes of memory for each sealed byte of a parsed head. The estimates bound the caches. */
export const headBytesPerSealedByte = 4

export type HeadSources = {
  readonly evidence: Evidence
  readonly services: { readonly seals: Seals; readonly books: DecisionBooks; readonly cache: OrganizationCache }
}

/**
 * Returns the presented head, which is the newest on the books from then on. A trial to which an older one is presented
 * goes on too. Returns undefined if there is no such organization.
 */
export function openHead(sources: HeadSources, organizationId: string): Head | undefined {
  const { evidence, services } = sources
  const { seals, books, cache } = services
  const { row: presented } = evidence.find({ read: 'headTag', organizationId })
  evidence.rely({ of: 'head', organizationId, version: presented?.version, tag: presented?.tag })
  const newest = books.newest(organizationId)
  const shownVersion = presented?.version ?? 0
  if (newest !== undefined && shownVersion < newest.version) {
    evidence.noteBehind(behind(sources, { organizationId, shownVersion, newestVersion: newest.version }))
    return headForTrial(sources, { organizationId, newestTag: newest.tag })
  }
  if (presented === undefined) return undefined
  const cached = cache.heads.get(organizationId)
  const isNewest = newest?.tag === presented.tag && newest.version === presented.version
  if (isNewest && cached?.tag === presented.tag) return cached.head
  const { row: found } = evidence.find({ read: 'head', organizationId })
  if (found === undefined || found.tag !== presented.tag || found.version !== presented.version) {
    throw new IntegrityError(`organization ${organizationId}: the head is not the one whose tag was presented`)
  }
  const head = whenSealed(`head of organization ${organizationId}`, () => unsealHead(seals, organizationId, found))
  if (books.take(organizationId, bookedHeadOf(head, found.tag)) === 'fork') {
    throw new ForkError(`${nameOf(sources, organizationId)}: head version ${found.version} is a fork: ${restoreRemedy}`)
  }
  keepHead(cache, { tag: found.tag, head, sealedBytes: found.sealed.length })
  return head
}

/** The head that a trial goes on with: the newest if it is known, or else one that the database has or had. */
function headForTrial(
  { evidence, services: { seals, cache } }: HeadSources,
  { organizationId, newestTag }: { readonly organizationId: string; readonly newestTag: string },
): Head | undefined {
  const cached = cache.heads.get(organizationId)
  if (cached?.tag === newestTag) return cached.head
  const { row } = evidence.find({ read: 'head', organizationId })
  return row && whenSealed(`head of organization ${organizationId}`, () => unsealHead(seals, organizationId, row))
}

/** Caches a head that is the newest on the books. */
export function keepHead(
  cache: OrganizationCache,
  { tag, head, sealedBytes }: { readonly tag: string; readonly head: Head; readonly sealedBytes: number },
): void {
  cache.heads.set(head.organizationId, { tag, head }, sealedBytes * headBytesPerSealedByte)
}

function behind(
  sources: HeadSources,
  versions: { readonly organizationId: string; readonly shownVersion: number; readonly newestVersion: number },
): BehindError {
  const { organizationId, shownVersion, newestVersion } = versions
  const what =
    shownVersion === 0
      ? 'it is on the books of the vault, and missing in the database'
      : `head version ${shownVersion} is older than the newest on the books of the vault, ${newestVersion}`
  return new BehindError(`${nameOf(sources, organizationId)}: ${what}: ${restoreRemedy}`, versions)
}

function nameOf({ services: { books } }: HeadSources, organizationId: string): string {
  return `organization ${organizationId} (journal ${books.journalId()})`
}

/** The remedy for the operator, who most likely has restored a backup. */
export const restoreRemedy =
  'the database is not the one that was last used with this vault: put the newest database back, or accept this one with `claviger vault accept-restore` (docs/operate.md, "Going back to a backup")'
