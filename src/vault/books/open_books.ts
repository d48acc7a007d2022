import { join } from 'node:path'
import type { LoggedFact } from '../../protocol/log/log_entry.ts'
import { logIdOf } from '../../protocol/log/log_id.ts'
import { emptyFrontier } from '../../protocol/log/tree/tree.ts'
import { UnsealError } from '../keys/wrapped_seed.ts'
import { type BookedHead, compareHeads, noId } from './booked_head.ts'
import type { Books } from './books.ts'
import type { BooksOptions } from './books_options.ts'
import { createCounts, requestMsMax } from './counts.ts'
import {
  decodeHead,
  encodeBegan,
  encodeCount,
  encodeForget,
  encodeHead,
  type HeadEntry,
  headPlaceOf,
  readEntries,
} from './entries.ts'
import { createExpectedHeads } from './expected_heads.ts'
import { type Journal, JournalError, openJournal } from './journal/journal.ts'
import { createKnownChanges } from './known_changes.ts'
import { createNewestHeads } from './newest_heads.ts'
import { convertMarks, readMarks } from './old_mark_files.ts'
import { requireClock } from './require_clock.ts'
import { encodedCounts, encodedKeys, gathered } from './snapshot_entries.ts'
import { createBacklog } from './transparency/backlog.ts'
import { bundleCopiesIn } from './transparency/bundle_copies.ts'
import { createForkedLog } from './transparency/forked_log.ts'
import { publishedLog } from './transparency/published_log.ts'
import { createTransparencyLog } from './transparency/transparency_log.ts'

export type OpenedBooks = Books & { readonly lastMs: number; readonly isNew: boolean }

/**
 * Opens the books, and converts the mark files of an earlier version.
 * @throws UnsealError for the operator: the journal is damaged, or the clock is behind it.
 */
export async function openBooks(options: BooksOptions): Promise<OpenedBooks> {
  const { directory, key, clock, randomBytes, onSuperseded, portions } = options
  const startedMs = clock.nowMs()
  const heads = createNewestHeads(portions && { chunkBytes: portions.headBytes })
  const counts = createCounts()
  const changes = createKnownChanges({ nowMs: clock.nowMs, ...(portions && { keysMax: portions.keys }) })
  const log = createTransparencyLog(portions && { chunkBytes: portions.headBytes })
  const backlog = createBacklog(log, { mbMax: options.logWaitingMbMax, log: options.log })
  const forked = createForkedLog(log)
  const expected = createExpectedHeads()
  /** The tree of the entries that are on disk. */
  let synced = emptyFrontier
  let ownId = ''
  let lastMs = 0

  function isRecent(atMs: number): boolean {
    lastMs = Math.max(lastMs, atMs)
    return startedMs - atMs <= requestMsMax
  }

  /** Another database was accepted, which may lack rows. */
  function forgetAllHeads(): void {
    heads.clear()
    log.unrecordAll()
  }

  /** A snapshot and the segments after it may hold the same entry twice, and in another order. The segments are in order. */
  function replay(payload: Uint8Array): void {
    readEntries(payload, {
      head(entry) {
        const { version, atMs } = headPlaceOf(entry)
        if (isRecent(atMs)) changes.remember(decodeHead(entry.bytes.subarray(entry.start, entry.end)).head, startedMs)
        heads.replay(entry, version)
      },
      count(entry) {
        isRecent(entry.atMs)
        if (entry.untilMs > startedMs) counts.add(entry)
      },
      forget: counts.forget,
      began({ journalId, atMs, forgetsHeads }) {
        isRecent(atMs)
        ownId = journalId
        if (forgetsHeads) forgetAllHeads()
      },
      keys({ keys, atMs }) {
        if (isRecent(atMs)) changes.rememberKeys(keys, startedMs)
      },
      log: (entry) => log.replay(entry, ownId),
    })
  }

  const newJournalId = () => Buffer.from(randomBytes(16)).toString('hex')

  function* snapshot(): Iterable<Uint8Array> {
    const nowMs = clock.nowMs()
    yield* gathered([encodeBegan({ journalId: ownId, atMs: Math.max(lastMs, nowMs), forgetsHeads: false })])
    yield* gathered(log.snapshot())
    yield* gathered(heads.entries())
    yield* gathered(encodedKeys(changes.allKnown()))
    yield* gathered(encodedCounts(counts.all(nowMs)))
  }

  const journal = await opened(() =>
    (options.openJournal ?? openJournal)({
      directory,
      key: key.reveal(),
      onPayload: replay,
      // Nothing else is entered. An entry without those before it is not kept: another one gets its place.
      onEntered: (payload) => log.added(() => replay(payload)),
      snapshot,
      onSuperseded,
      log: options.log,
      ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
    }),
  )
  const isNew = await begin().catch(async (error: unknown) => {
    // The caller may go on running, and the files must not stay open.
    await journal.close().catch(() => {})
    throw error
  })

  const copies = options.copies ?? bundleCopiesIn(join(directory, 'bundles', logIdOf(log.origin())), options.log)

  /** Returns whether the books are new: the folder held neither entries nor marks. */
  async function begin(): Promise<boolean> {
    requireClock(startedMs, lastMs, directory)
    const { lost } = log.replayed()
    if (lost > 0) options.log.warn({ lost }, 'the last entries of the transparency log were lost with the power')
    const hasBegun = ownId !== ''
    if (!hasBegun) {
      ownId = newJournalId()
      journal.append(encodeBegan({ journalId: ownId, atMs: startedMs, forgetsHeads: false }))
      await journal.sync()
    }
    if (log.origin() === '') {
      journal.append(log.begin(`${options.logHost ?? 'localhost'}/log/${ownId}`))
      await journal.sync()
    }
    const marks = await readMarks(directory)
    await convertMarks(directory, async () => {
      for (const { organizationId, version, tag } of marks) {
        if (heads.newest(organizationId) !== undefined) continue
        const head = { version, tag, maker: noId, changeKey: noId, below: new Map() }
        put({ organizationId, head, mayBeNext: true }, [])
      }
      await sync()
    })
    return !hasBegun && marks.length === 0
  }

  /** A later entry of the log may outlive this process, and must not be without these. */
  function appendBoth(entry: Buffer, logged: Buffer): void {
    journal.append(Buffer.concat([entry, logged]))
    journal.enter(logged).catch(() => {}) // Those who wait for the sync are told.
  }

  /** The head and the entries of the log that it makes are in one frame: none is on disk without the other. */
  function put({ organizationId, ...taking }: Omit<HeadEntry, 'atMs'>, facts: readonly LoggedFact[]): void {
    const entry = encodeHead({ organizationId, ...taking, atMs: clock.nowMs() })
    if (facts.length === 0) journal.append(entry)
    else log.enter(facts, ownId, (logged) => appendBoth(entry, logged))
    heads.put(organizationId, entry)
  }

  /** The entries of the log for a head that is taken up: none if the log has one of this journal's newest head in it. */
  function factsOf(organizationId: string, head: BookedHead, atMs: number): readonly LoggedFact[] {
    const unentered = log.unentered(organizationId, head, ownId)
    if (unentered === undefined) return []
    const decided = expected.factsOf(unentered.tag)
    if (decided !== undefined) return decided
    // It was committed, and a vault ended before it was confirmed. The head says no more of the change than its key.
    const { changeKey, ...makes } = unentered
    const known = { atMs, organizationId, changeKey, makes, activity: undefined, restsOn: undefined }
    return [{ ...known, isLate: true, isTakenUp: true }]
  }

  async function sync(): Promise<void> {
    const covered = heads.taken()
    const tree = log.tree()
    await journal.sync()
    if (tree.size > synced.size) synced = tree
    heads.onDisk(covered)
  }

  return {
    lastMs,
    isNew,
    journalId: () => ownId,
    logId: () => logIdOf(log.origin()),
    newest: heads.newest,

    take(organizationId, head) {
      const nowMs = clock.nowMs()
      const before = heads.entryOf(organizationId)
      // A head from before the vault kept books, which was written and not marked. It is accepted once.
      const isNext = before?.mayBeNext && head.maker === noId && head.version === before.head.version + 1
      const comparison = isNext ? 'above' : compareHeads(before?.head, head, { ...changes, journalId: ownId })
      if (comparison !== 'above') return comparison
      if (changes.beginsOtherwise(head)) return 'fork'
      put({ organizationId, head, mayBeNext: false }, factsOf(organizationId, head, nowMs))
      changes.remember(head, nowMs)
      expected.take(head)
      return comparison
    },

    isLost: changes.isLost,
    isSynced: heads.isOnDisk,
    isKnown: changes.isKnown,
    expect: expected.expect,
    isTaken: expected.isTaken,
    dismiss: expected.dismiss,
    lose: changes.lose,
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
    async enter(facts) {
      if (facts.length === 0) return undefined
      const index = log.tree().size
      await log.enter(facts, ownId, journal.enter)
      return index
    },
    noteWritten(outcomes) {
      const written = outcomes.filter((outcome) => outcome.of === 'written')
      // A note that is lost with the journal only leaves an entry unconfirmed.
      if (written.length === 0 || journal.unavailable() !== undefined) return
      const nowMs = clock.nowMs()
      const indexes = written.map(({ index }) => index)
      log.record(indexes, journal.append)
      const changed = written.flatMap(({ isChange, changeKey }) => (isChange ? changeKey : []))
      const keys = Buffer.from(changed.join(''), 'hex')
      if (keys.length === 0) return
      for (const entry of encodedKeys([{ keys, newestMs: nowMs }])) journal.append(entry)
      changes.rememberKeys(keys, nowMs)
    },
    settings: log.settings,
    keepSettings: async (settings, facts) =>
      log.enter(facts, ownId, (logged) => log.keepSettings(settings, (kept) => appendBoth(kept, logged))),
    sync,
    unavailable: journal.unavailable,
    refusal() {
      const unwritten = journal.unavailable()
      if (unwritten !== undefined) return `the journal of the vault cannot be written: ${unwritten}`
      return forked.reason() ?? backlog.refusal()
    },

    async forgetHeads() {
      const journalId = newJournalId()
      journal.append(encodeBegan({ journalId, atMs: clock.nowMs(), forgetsHeads: true }))
      ownId = journalId
      forgetAllHeads()
      await journal.sync()
    },

    *organizations() {
      for (const entry of heads.entries()) {
        const { organizationId, head } = decodeHead(entry)
        yield { organizationId, version: head.version, tag: head.tag }
      }
    },
    organizationCount: heads.count,
    transparency: publishedLog({ log, copies, forked, journal, sync, synced: () => synced }),
    knownKeys: changes.allKnown,
    lostKeys: changes.allLost,

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
