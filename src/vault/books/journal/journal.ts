import { strict as assert } from 'node:assert'
import { createSecretKey } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { codeIn } from '../../../protocol/tools/error_codes.ts'
import { JournalUnavailable, SupersededError } from './errors.ts'
import { frameBytesOf, headerBytes, payloadBytesMax } from './journal_frames.ts'
import { createWriter } from './segment_writer.ts'
import { replaceSegments } from './snapshots.ts'
import { startJournal } from './start_journal.ts'

export { JournalError, JournalUnavailable } from './errors.ts'
export { payloadBytesMax } from './journal_frames.ts'

/**
 * An append-only log in one folder, written by one process. The next start reads every entry that a `sync` confirmed,
 * in order, or says what is damaged. It warns about a file that was cut between two frames. It may also find entries
 * that no `sync` confirmed.
 */
export type Journal = {
  /**
   * Adds a copy of the bytes to the next frame. If a write fails, the journal keeps the bytes and writes them again in
   * a new segment. Throws `JournalUnavailable` after `close`, and if the journal cannot be written and more than
   * `waitingBytesMax` would wait.
   */
  append(payload: Uint8Array): void
  /**
   * Resolves once everything appended before this call is on disk. Rejects with `JournalUnavailable` if a write failed.
   * The entries stay waiting, and the journal tries again to write them.
   */
  sync(): Promise<void>
  /**
   * Returns undefined if the journal can be written: it has room for one more frame of the largest size, or it is
   * making room and did not fail the last time. Otherwise returns the reason, for the operator.
   */
  unavailable(): string | undefined
  /** Writes the waiting entries and closes the files. Rejects with `JournalUnavailable` if an entry was not written. */
  close(): Promise<void>
}

export type JournalOptions = {
  /** A missing folder is made with mode 0700. Its files have mode 0600. */
  readonly directory: string
  /** 32 bytes. The journal keeps a copy. */
  readonly key: Uint8Array
  /** Called at the start with the payload of every frame, oldest first. It may keep views of the bytes. */
  readonly onPayload: (payload: Uint8Array) => void
  /**
   * Returns payloads, each of at most `payloadBytesMax`, that hold everything still needed. The journal takes them one
   * by one, and other entries are appended in between. The owner guarantees that it is harmless to read an entry twice,
   * or a snapshot and then the segments after it. The first call comes at least one turn of the event loop after the
   * start.
   */
  readonly snapshot: () => Iterable<Uint8Array>
  readonly segmentBytes?: number
  /** Called once, if another process has opened the journal or its files are gone. All waiting syncs reject. */
  readonly onSuperseded: () => void
  readonly log: { warn(fields: object, message: string): void }
}

type Waiter = { readonly upTo: number; readonly resolve: () => void; readonly reject: (error: Error) => void }

export const waitingBytesMax = 16_777_216
const closedReason = 'the journal is closed'
const keyBytes = 32
const segmentBytesDefault = 4_194_304
const retryAfterMs = 1_000
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
  onSuperseded,
  log,
  ...options
}: JournalOptions): Promise<Journal> {
  assert(options.key.length === keyBytes, 'a key has 32 bytes')
  const { directory } = options
  const key = createSecretKey(options.key)
  const payloadMaxBytes = Math.min(payloadBytesMax, segmentBytes - headerBytes - frameBytesOf(0))

  const waiting: Uint8Array[] = [] // oldest first
  let waitingBytes = 0
  let waiters: Waiter[] = []
  let appendedCount = 0
  let writtenCount = 0
  let running: Promise<void> | undefined
  let compacting: Promise<void> | undefined
  let closing: Promise<void> | undefined
  let writerClosing: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let isMendingDue = false
  /** The reason why this journal never writes again. */
  let stopped: string | undefined
  /** The reason why the last write failed. */
  let failure: string | undefined

  const { snapshotBytes: foundSnapshotBytes, ...started } = await startJournal({ ...options, key, segmentBytes, log })
  let snapshotBytes = foundSnapshotBytes
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
      } while (waiters.length > 0 || waitingBytes >= payloadMaxBytes)
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
    if (failure !== undefined) log.warn({}, 'the journal is written again')
    failure = undefined
    const told = waiters.filter(({ upTo }) => upTo <= writtenCount)
    waiters = waiters.filter(({ upTo }) => upTo > writtenCount)
    for (const { resolve } of told) resolve()
  }

  function tellFailed(error: unknown): void {
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
      onSuperseded()
    }
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

  function closeWriter(): Promise<void> {
    writerClosing ??= writer.close()
    return writerClosing
  }

  async function closeFiles(): Promise<void> {
    try {
      clearTimeout(retry)
      await running
      if (waiting.length > 0) await settle()
    } finally {
      await compacting
      await closeWriter()
    }
  }

  function unavailable(): string | undefined {
    return stopped ?? (closing === undefined ? failure : closedReason) ?? writer.noRoom()
  }

  setImmediate().then(compactIfDue)
  return {
    append(payload) {
      if (payload.length > payloadMaxBytes) throw new RangeError(`a payload of ${payload.length} bytes`)
      const reason = unavailable()
      if (reason !== undefined && (closing !== undefined || waitingBytes + payload.length > waitingBytesMax)) {
        throw new JournalUnavailable(reason)
      }
      if (payload.length === 0) return
      waiting.push(new Uint8Array(payload))
      waitingBytes += payload.length
      appendedCount += 1
      if (waitingBytes >= payloadMaxBytes && failure === undefined) run()
    },

    sync: () => (closing === undefined ? settle() : Promise.reject(new JournalUnavailable(closedReason))),
    unavailable,

    close() {
      closing ??= closeFiles()
      return closing
    },
  }
}
