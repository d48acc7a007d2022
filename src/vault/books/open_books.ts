import type { Log } from '../../link/vault_log.ts'
import type { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { UnsealError } from '../keys/wrapped_seed.ts'
import { type BookedHead, belowNext, compareHeads, noId } from './booked_head.ts'
import type { Books } from './books.ts'
import { createCounts, requestMsMax } from './counts.ts'
import {
  decodeHead,
  encodeBegan,
  encodeCount,
  encodeForget,
  encodeHead,
  type HeadEntry,
  headIdOffset,
  headPlaceOf,
  readEntries,
} from './entries.ts'
import { beginningKeyOf } from './entry_names.ts'
import { createFingerprintMemory } from './fingerprint_memory.ts'
import { createHeadTable } from './head_table.ts'
import { type Journal, JournalError, openJournal } from './journal/journal.ts'
import { firstHeadsIn, keysOf, lostMsMax } from './known_keys.ts'
import { convertMarks, readMarks } from './old_mark_files.ts'
import { requireClock } from './require_clock.ts'
import { encodedCounts, encodedKeys, gathered } from './snapshot_entries.ts'

const lostSegmentEntries = 4096
const decodedMax = 1024

export type BooksOptions = {
  readonly directory: string
  /** The key that authenticates the journal: 32 bytes, kept until `close`. */
  readonly key: SecretBytes
  readonly clock: { readonly nowMs: () => number }
  readonly randomBytes: (size: number) => Uint8Array
  readonly onSuperseded: () => void
  readonly log: Pick<Log, 'warn'>
  /** If absent, the journal uses its own default. */
  readonly segmentBytes?: number
  /** If absent, the journal is on disk. */
  readonly openJournal?: typeof openJournal
  /** The sizes in which memory is allocated. The defaults suit millions of heads and changes. */
  readonly portions?: { readonly headBytes: number; readonly keys: number }
}

export type OpenedBooks = Books & { readonly lastMs: number; readonly isNew: boolean }

/**
 * Opens the books, and converts the mark files of an earlier version.
 * @throws UnsealError for the operator: the journal is damaged, or the clock is behind it.
 */
export async function openBooks(options: BooksOptions): Promise<OpenedBooks> {
  const { directory, key, clock, randomBytes, onSuperseded, log, portions } = options
  const startedMs = clock.nowMs()
  const heads = createHeadTable({ idOffset: headIdOffset, ...(portions && { chunkBytes: portions.headBytes }) })
  const counts = createCounts()
  const known = createFingerprintMemory({
    lifetimeMs: requestMsMax,
    ...(portions && { segmentEntriesMax: portions.keys }),
  })
  const lost = createFingerprintMemory({
    lifetimeMs: lostMsMax,
    segmentEntriesMax: Math.min(lostSegmentEntries, portions?.keys ?? lostSegmentEntries),
  })
  const expected = new Map<string, boolean>()
  /** Newest heads that were decoded: each request asks for its organization's newest head several times. */
  const decoded = new Map<string, BookedHead>()
  /** Organizations whose newest head may not be on disk yet, in the order in which these heads were taken up. */
  const unsynced = new Map<string, number>()
  let taken = 0
  let ownId = ''
  let lastMs = 0

  function newest(organizationId: string): BookedHead | undefined {
    const known = decoded.get(organizationId)
    if (known !== undefined) return known
    const entry = heads.get(organizationId)
    if (entry === undefined) return undefined
    const { head } = decodeHead(entry)
    if (decoded.size >= decodedMax) decoded.clear()
    decoded.set(organizationId, head)
    return head
  }

  function isLost(tag: string): boolean {
    return lost.has(Buffer.from(tag, 'hex'), clock.nowMs())
  }

  /**
   * Whether the change has already begun another organization. A request that is decided twice makes two organizations,
   * and their heads never meet.
   */
  function beginsOtherwise(head: BookedHead): boolean {
    return firstHeadsIn(head).some(({ tag, changeKey }) => isKnown(beginningKeyOf(changeKey)) && !isKnown(tag))
  }

  function isKnown(keyOrTag: string): boolean {
    return known.has(Buffer.from(keyOrTag, 'hex'), clock.nowMs())
  }

  function rememberKeys(head: BookedHead, atMs: number): void {
    for (const key of keysOf(head)) known.remember(Buffer.from(key, 'hex'), atMs)
  }

  function isRecent(atMs: number): boolean {
    lastMs = Math.max(lastMs, atMs)
    return startedMs - atMs <= requestMsMax
  }

  /** A snapshot and the segments after it may hold the same entry twice, and in another order. The segments are in order. */
  function replay(payload: Uint8Array): void {
    readEntries(payload, {
      head(entry) {
        const { version, atMs } = headPlaceOf(entry)
        if (isRecent(atMs)) rememberKeys(decodeHead(entry.bytes.subarray(entry.start, entry.end)).head, startedMs)
        heads.set(entry, (before) => headPlaceOf(before).version < version)
      },
      count(entry) {
        isRecent(entry.atMs)
        if (entry.untilMs > startedMs) counts.add(entry)
      },
      forget: counts.forget,
      began({ journalId, atMs, forgetsHeads }) {
        isRecent(atMs)
        ownId = journalId
        if (forgetsHeads) heads.clear()
      },
      keys({ keys, atMs }) {
        if (!isRecent(atMs)) return
        for (let at = 0; at < keys.length; at += 16) known.remember(keys.subarray(at, at + 16), startedMs)
      },
    })
  }

  function newJournalId(): string {
    return Buffer.from(randomBytes(16)).toString('hex')
  }

  function* snapshot(): Iterable<Uint8Array> {
    const nowMs = clock.nowMs()
    yield* gathered([encodeBegan({ journalId: ownId, atMs: Math.max(lastMs, nowMs), forgetsHeads: false })])
    yield* gathered(heads.entries())
    yield* gathered(encodedKeys(known.all(nowMs)))
    yield* gathered(encodedCounts(counts.all(nowMs)))
  }

  const journal = await opened(() =>
    (options.openJournal ?? openJournal)({
      directory,
      key: key.reveal(),
      onPayload: replay,
      snapshot,
      onSuperseded,
      log,
      ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
    }),
  )
  let isNew = false
  try {
    isNew = await begin()
  } catch (error) {
    // The caller may go on running, and the files must not stay open.
    await journal.close().catch(() => {})
    throw error
  }

  /** Returns whether the books are new: the folder held neither entries nor marks. */
  async function begin(): Promise<boolean> {
    requireClock(startedMs, lastMs, directory)
    const hasBegun = ownId !== ''
    if (!hasBegun) {
      ownId = newJournalId()
      journal.append(encodeBegan({ journalId: ownId, atMs: startedMs, forgetsHeads: false }))
      await journal.sync()
    }
    const marks = await readMarks(directory)
    await convertMarks(directory, async () => {
      for (const { organizationId, version, tag } of marks) {
        if (heads.get(organizationId) !== undefined) continue
        const head = { version, tag, maker: noId, changeKey: noId, below: new Map() }
        put({ organizationId, head, mayBeNext: true })
      }
      await sync()
    })
    return !hasBegun && marks.length === 0
  }

  function put({ organizationId, ...taking }: Omit<HeadEntry, 'atMs'>): void {
    const entry = encodeHead({ organizationId, ...taking, atMs: clock.nowMs() })
    journal.append(entry)
    heads.set({ bytes: entry, start: 0, end: entry.length })
    decoded.delete(organizationId)
    taken += 1
    unsynced.delete(organizationId)
    unsynced.set(organizationId, taken)
  }

  async function sync(): Promise<void> {
    const covered = taken
    await journal.sync()
    for (const [organizationId, order] of unsynced) {
      if (order > covered) break
      unsynced.delete(organizationId)
    }
  }

  return {
    lastMs,
    isNew,
    journalId: () => ownId,
    newest,

    take(organizationId, head) {
      const nowMs = clock.nowMs()
      const stored = heads.get(organizationId)
      const before = stored && decodeHead(stored)
      // A head from before the vault kept books, which was written and not marked. It is accepted once.
      const isNext = before?.mayBeNext && head.maker === noId && head.version === before.head.version + 1
      const comparison = isNext ? 'above' : compareHeads(before?.head, head, { isLost, journalId: ownId })
      if (comparison !== 'above') return comparison
      if (beginsOtherwise(head)) return 'fork'
      put({ organizationId, head, mayBeNext: false })
      rememberKeys(head, nowMs)
      for (const { tag } of belowNext(head).values()) if (expected.has(tag)) expected.set(tag, true)
      return comparison
    },

    isLost,
    isSynced: (organizationId) => !unsynced.has(organizationId),
    isKnown,
    expect(tags) {
      for (const tag of tags) expected.set(tag, false)
    },
    isTaken: (tag) => expected.get(tag) === true,
    dismiss(tags) {
      for (const tag of tags) expected.delete(tag)
    },
    lose(tags) {
      for (const tag of tags) lost.remember(Buffer.from(tag, 'hex'), clock.nowMs())
    },
    amounts: counts.amounts,
    revision: counts.revision,
    count(entries) {
      for (const entry of entries) {
        if (counts.has(entry)) continue
        journal.append(encodeCount(entry)) // It may throw, and an entry must not count before the journal has it.
        counts.add(entry)
      }
    },
    forgetCounts(groups) {
      for (const group of groups) {
        journal.append(encodeForget(group))
        counts.forget(group)
      }
    },
    sync,
    unavailable: journal.unavailable,

    async forgetHeads() {
      const journalId = newJournalId()
      journal.append(encodeBegan({ journalId, atMs: clock.nowMs(), forgetsHeads: true }))
      ownId = journalId
      heads.clear()
      decoded.clear()
      unsynced.clear()
      await journal.sync()
    },

    *organizations() {
      for (const entry of heads.entries()) {
        const { organizationId, head } = decodeHead(entry)
        yield { organizationId, version: head.version, tag: head.tag }
      }
    },
    organizationCount: () => heads.size,
    knownKeys: () => known.all(clock.nowMs()),
    lostKeys: () => lost.all(clock.nowMs()),

    close: journal.close,
  }
}

async function opened(open: () => Promise<Journal>): Promise<Journal> {
  try {
    return await open()
  } catch (cause) {
    if (cause instanceof JournalError) throw new UnsealError(cause.message, { cause })
    throw cause
  }
}
