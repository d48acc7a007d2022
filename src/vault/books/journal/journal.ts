import { strict as assert } from 'node:assert'
import { createSecretKey } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { codeIn } from '../../../protocol/tools/error_codes.ts'
import { createEntering } from './entering.ts'
import { JournalUnavailable, SupersededError } from './errors.ts'
import { frameBytesOf, payloadMaxBytesOf } from './journal_frames.ts'
import type { Journal, JournalOptions } from './journal_types.ts'
import { createWriter } from './segment_writer.ts'
import { replaceSegments } from './snapshots.ts'
import { startJournal } from './start_journal.ts'

export { JournalError, JournalUnavailable } from './errors.ts'
export { payloadBytesMax } from './journal_frames.ts'
export type { Journal, JournalOptions } from './journal_types.ts'

type Waiter = { readonly upTo: number; readonly resolve: () => void; readonly reject: (error: Error) => void }

export const waitingBytesMax = 16_777_216
const closedReason = 'the journal is closed'
const keyBytes = 32
const segmentBytesDefault = 4_194_304
const retryAfterMs = 1_000
const syncWithinMsDefault = 200
/** A snapshot must replace more than this many segments. */
const segmentsPerSnapshot = 4
const snapshotsPerSnapshot = 2

/**
 * Opens the journal. It does not wait for a process that uses the folder: that process stops. Throws `JournalError` if
 * the folder cannot be used or read.
 */
export async function openJournal({
  snapshot,
  segmentBytes = segmentBytesDefault,
  syncWithinMs = syncWithinMsDefault,
  onSuperseded,
  log,
  ...options
}: JournalOptions): Promise<Journal> {
  assert(options.key.length === keyBytes, 'a key has 32 bytes')
  const { directory } = options
  const key = createSecretKey(options.key)
  const payloadMaxBytes = payloadMaxBytesOf(segmentBytes)

  const waiting: Uint8Array[] = [] // oldest first
  let waitingBytes = 0
  let waiters: Waiter[] = []
  let appendedCount = 0
  let writtenCount = 0
  /** The entries up to this number must be written even if nobody waits for them. */
  let dueCount = 0
  let running: Promise<void> | undefined
  let compacting: Promise<void> | undefined
  let closing: Promise<void> | undefined
  let writerClosing: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let due: NodeJS.Timeout | undefined
  let isMendingDue = false
  /** The reason why this journal never writes again. */
  let stopped: string | undefined
  /** The reason why the last write failed. */
  let failure: string | undefined

  const started = await startJournal({ ...options, key, segmentBytes, log })
  const { unsyncedFiles } = started
  let { snapshotBytes } = started
  let compactedAtSegment = 0
  const writer = createWriter({
    ...started,
    directory,
    key,
    segmentBytes,
    frameBytesMax: frameBytesOf(payloadMaxBytes),
    onPreparationFailed: retryLater,
    log,
  })

  const entering = createEntering({
    files: unsyncedFiles,
    appendedCount: () => appendedCount,
    writtenCount: () => writtenCount,
    isAvailable: () => unavailable() === undefined,
    settle,
    syncLater,
    onSuperseded: tellFailed,
    log,
  })

  /** Resolves once everything appended before is on disk. */
  function settle(): Promise<void> {
    if (stopped !== undefined) return Promise.reject(new JournalUnavailable(stopped))
    return new Promise((resolve, reject) => {
      waiters.push({ upTo: appendedCount, resolve, reject })
      run()
    })
  }

  function run(): void {
    if (stopped === undefined) running ??= writeWhatWaits()
  }

  async function writeWhatWaits(): Promise<void> {
    try {
      do {
        await setImmediate() // Entries of one turn of the event loop share a frame.
        await writeFrame()
        tellWritten()
        compactIfDue()
      } while (waiters.length > 0 || writtenCount < dueCount || waitingBytes >= payloadMaxBytes)
    } catch (error) {
      tellFailed(error)
    }
    running = undefined
  }

  async function writeFrame(): Promise<void> {
    const parts = nextParts()
    if (isMendingDue || parts.length === 0) {
      isMendingDue = false
      await writer.mend()
    }
    if (parts.length === 0) return writer.check()
    await writer.write(parts)
    waiting.splice(0, parts.length)
    for (const { length } of parts) waitingBytes -= length
    writtenCount += parts.length
  }

  /** Returns the entries of the next frame: as many waiting entries as fit. */
  function nextParts(): readonly Uint8Array[] {
    let bytes = 0
    const end = waiting.findIndex(({ length }) => {
      bytes += length
      return bytes > payloadMaxBytes
    })
    return waiting.slice(0, end === -1 ? waiting.length : end)
  }

  function tellWritten(): void {
    unsyncedFiles.release(writtenCount)
    if (failure !== undefined) log.warn({}, 'the journal is written again')
    failure = undefined
    const told = waiters.filter(({ upTo }) => upTo <= writtenCount)
    waiters = waiters.filter(({ upTo }) => upTo > writtenCount)
    for (const { resolve } of told) resolve()
  }

  function tellFailed(error: unknown): void {
    if (stopped !== undefined) return
    const isSuperseded = error instanceof SupersededError
    const reason = isSuperseded ? error.message : `the journal in ${directory} cannot be written${codeIn(error)}`
    if (isSuperseded) stopped = reason
    if (failure === undefined) log.warn({ error }, 'the journal could not be written')
    failure = reason
    const told = waiters
    waiters = []
    for (const { reject } of told) reject(new JournalUnavailable(reason, { cause: error }))
    if (!isSuperseded) {
      retryLater()
    } else {
      closeWriter()
      unsyncedFiles.close()
      onSuperseded()
    }
  }

  /** Has all entries written to disk after a while. */
  function syncLater(): void {
    if (closing !== undefined) return
    due ??= setTimeout(() => {
      due = undefined
      if (writtenCount === appendedCount) return
      dueCount = appendedCount
      run()
    }, syncWithinMs).unref()
  }

  /** Tries again later, even without new entries, so that `unavailable` can say that the journal works again. */
  function retryLater(): void {
    if (closing !== undefined) return
    retry ??= setTimeout(() => {
      retry = undefined
      isMendingDue = true
      run()
    }, retryAfterMs).unref()
  }

  function compactIfDue(): void {
    const dueBytes = Math.max(segmentsPerSnapshot * segmentBytes, snapshotsPerSnapshot * snapshotBytes)
    if (writer.closedBytes <= dueBytes || compacting !== undefined || !isWanted()) return
    if (compactedAtSegment === writer.current.number) return // A failed compaction is tried again at the next segment.
    compactedAtSegment = writer.current.number
    compacting = compact().finally(() => {
      compacting = undefined
    })
  }

  async function compact(): Promise<void> {
    const { closedBytes, current } = writer
    const files = { directory, key, temporaryPath: started.newTemporaryPath() }
    const replaced = { number: current.number - 1, last: current.after }
    try {
      const newBytes = await replaceSegments({ ...files, ...replaced, payloads: snapshot(), isWanted, settle })
      if (newBytes === undefined) return
      snapshotBytes = newBytes
      writer.takeOff(closedBytes)
    } catch (error) {
      log.warn({ error }, 'the journal could not be compacted and goes on growing')
    }
  }

  function isWanted(): boolean {
    return stopped === undefined && closing === undefined
  }

  /** Closes the writer when its last call has ended. */
  function closeWriter(): Promise<void> {
    writerClosing ??= Promise.resolve(running).then(writer.close)
    return writerClosing
  }

  async function closeFiles(): Promise<void> {
    try {
      clearTimeout(retry)
      clearTimeout(due)
      await entering.idle()
      await running
      if (waiting.length > 0) await settle()
    } finally {
      await compacting
      await closeWriter()
      if (waiting.length === 0 && stopped === undefined) unsyncedFiles.remove()
      else unsyncedFiles.close()
    }
  }

  function unavailable(): string | undefined {
    return stopped ?? (closing === undefined ? failure : closedReason) ?? writer.noRoom()
  }

  /** Returns the copy that waits for a frame; undefined for an entry of no bytes. */
  function take(payload: Uint8Array): Uint8Array | undefined {
    if (payload.length > payloadMaxBytes) throw new RangeError(`a payload of ${payload.length} bytes`)
    const reason = unavailable()
    if (reason !== undefined && (closing !== undefined || waitingBytes + payload.length > waitingBytesMax)) {
      throw new JournalUnavailable(reason)
    }
    if (payload.length === 0) return undefined
    const entry = new Uint8Array(payload)
    waiting.push(entry)
    waitingBytes += entry.length
    appendedCount += 1
    if (waitingBytes >= payloadMaxBytes && failure === undefined) run()
    return entry
  }

  setImmediate().then(compactIfDue)
  return {
    append(payload) {
      take(payload)
    },

    sync: () => (closing === undefined ? settle() : Promise.reject(new JournalUnavailable(closedReason))),

    enter(payload) {
      const entry = take(payload)
      return entry === undefined ? Promise.resolve() : entering.enter(entry)
    },

    unavailable,

    close() {
      closing ??= closeFiles()
      return closing
    },
  }
}
