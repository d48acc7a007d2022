import type { KeyObject } from 'node:crypto'
import { type FileHandle, link, unlink } from 'node:fs/promises'
import { codeIn, codeOf } from '../../../protocol/tools/error_codes.ts'
import { SupersededError } from './errors.ts'
import {
  closeFile,
  createFile,
  exists,
  fillWithZeroes,
  newestSegmentIn,
  segmentPath,
  syncDirectory,
  writeFully,
} from './journal_folder.ts'
import { encodeFrame, encodeHeader, frameBytesOf, headerBytes, type Position, positionAt } from './journal_frames.ts'

/** Writes frames into segments. Its owner awaits each call before it makes the next one. */
export type Writer = {
  /**
   * Writes one frame with `parts`. Resolves when the frame is on disk and no other process has taken over. After any
   * other error the next call begins a new segment: the content of the file is unknown after a failed write.
   */
  write(parts: readonly Uint8Array[]): Promise<void>
  /** Throws `SupersededError` if another process has taken over. */
  check(): void
  /** Repeats the step that failed last: begins a new segment, or prepares the next one. */
  mend(): Promise<void>
  /** Returns the reason why there may be no room on disk for one more frame of the largest size. */
  noRoom(): string | undefined
  /** The segment that is being written, and the last frame before it. */
  readonly current: { readonly number: number; readonly after: Position }
  /** The size of the segments before `current`. `takeOff` reduces it when segments are removed. */
  readonly closedBytes: number
  takeOff(removedBytes: number): void
  close(): Promise<void>
}

/** A segment that is being written. It has its header. */
export type OpenSegment = {
  readonly number: number
  readonly file: FileHandle
  /** The last frame before the segment. */
  readonly after: Position
}

/** The next segment, under its temporary name and without its header. */
type Prepared = { readonly path: string; readonly file: FileHandle }
type Preparation = { readonly prepared?: Prepared; readonly cause?: unknown }

type SegmentWriterParts = {
  readonly directory: string
  readonly key: KeyObject
  readonly segmentBytes: number
  readonly frameBytesMax: number
  readonly first: OpenSegment
  /** The position behind the header of `first` and the frames that it already holds. */
  readonly last: Position
  /** Where they end. */
  readonly offset: number
  readonly closedBytes: number
  readonly newTemporaryPath: () => string
  /** Must call `mend` after a while. */
  readonly onPreparationFailed: () => void
  readonly log: { warn(fields: object, message: string): void }
}

export function createWriter(parts: SegmentWriterParts): Writer {
  const { directory, key, segmentBytes, frameBytesMax, first, newTemporaryPath, onPreparationFailed, log } = parts
  let current = first
  let { last, offset, closedBytes } = parts
  /** The newest segment that this writer made. It is not `current` if the last step of making it failed. */
  let newestNumber = first.number
  /** Whether `current` must not be written any more. */
  let isBroken = false
  /** The reason why the last preparation of a segment failed. */
  let preparationFailure: string | undefined
  let isPreparing = false
  let preparation = prepare()

  /** Never rejects. */
  async function prepare(): Promise<Preparation> {
    const path = newTemporaryPath()
    let file: FileHandle | undefined
    isPreparing = true
    try {
      file = await createFile(path)
      await fillWithZeroes(file, segmentBytes)
      preparationFailure = undefined
      return { prepared: { path, file } }
    } catch (cause) {
      if (file !== undefined) await discard({ path, file })
      if (preparationFailure === undefined) log.warn({ error: cause }, 'the journal cannot make a further segment')
      preparationFailure = `no further segment of the journal can be made in ${directory}${codeIn(cause)}`
      onPreparationFailed()
      return { cause }
    } finally {
      isPreparing = false
    }
  }

  async function takePrepared(): Promise<Prepared> {
    let { prepared } = await preparation
    let cause: unknown
    if (prepared === undefined) {
      preparation = prepare()
      ;({ prepared, cause } = await preparation)
    }
    preparation = Promise.resolve({})
    if (prepared === undefined) throw cause
    return prepared
  }

  async function beginSegment(): Promise<void> {
    check()
    const { path, file } = await takePrepared()
    const number = newestNumber + 1
    const header = encodeHeader(key, { kind: 'segment', number, previousSegment: current.number, last })
    try {
      await writeFully(file, header, 0)
      await linkOrSuperseded(path, number)
      await unlink(path)
      await syncDirectory(directory)
    } catch (error) {
      await discard({ path, file })
      throw error
    }
    const former = current
    current = { number, file, after: last }
    last = positionAt(header, headerBytes, last.sequence)
    offset = headerBytes
    closedBytes += segmentBytes
    isBroken = false
    preparation = prepare()
    await closeFile(former.file).catch(() => {}) // No bytes wait to be written to it.
  }

  /** Links the segment to its number. If another process has this number, `link` fails: it never replaces a file. */
  async function linkOrSuperseded(path: string, number: number): Promise<void> {
    try {
      await link(path, segmentPath(directory, number))
    } catch (cause) {
      if (codeOf(cause) === 'EEXIST') throw new SupersededError(takenOver(directory, number), { cause })
      check() // The other process also removed the temporary file.
      throw cause
    }
    // Another process may have made and removed segments. Then ours is gone too: the lowest number is removed first.
    checkExists(directory, newestNumber)
    newestNumber = number
  }

  function check(): void {
    checkNewest(directory, newestNumber)
  }

  return {
    async write(parts) {
      const payloadBytes = parts.reduce((sum, part) => sum + part.length, 0)
      if (isBroken || offset + frameBytesOf(payloadBytes) > segmentBytes) await beginSegment()
      try {
        const { bytes, position } = encodeFrame(key, last, parts)
        await writeFully(current.file, bytes, offset)
        check()
        offset += bytes.length
        last = position
      } catch (error) {
        isBroken = true
        throw error
      }
    },

    check,

    async mend() {
      if (isBroken) return await beginSegment()
      if (preparationFailure === undefined || isPreparing) return
      preparation = prepare()
    },

    noRoom() {
      return offset + frameBytesMax > segmentBytes ? preparationFailure : undefined
    },

    get current() {
      return current
    },

    get closedBytes() {
      return closedBytes
    },

    takeOff(removedBytes) {
      closedBytes -= removedBytes
    },

    async close() {
      const { prepared } = await preparation
      if (prepared !== undefined) await discard(prepared)
      await closeFile(current.file).catch(() => {}) // All confirmed bytes are on disk.
    },
  }
}

/**
 * Throws `SupersededError` if another process has made a segment after the segment `number`. Any higher number counts,
 * not only the next one: a failed start may have made the next one and given it up.
 *
 * The order of the two checks matters. A newer segment may have been removed before the first check. Then the segment
 * `number` was removed even earlier, and the second check finds that it is gone.
 */
export function checkNewest(directory: string, number: number): void {
  const newest = newestSegmentIn(directory)
  if (newest > number) throw new SupersededError(takenOver(directory, newest))
  checkExists(directory, number)
}

function checkExists(directory: string, number: number): void {
  const path = segmentPath(directory, number)
  if (exists(path)) return
  throw new SupersededError(`${path} is gone: another process has opened the journal, or somebody removed the file`)
}

function takenOver(directory: string, number: number): string {
  return `another process has opened the journal: it made ${segmentPath(directory, number)}`
}

async function discard({ path, file }: Prepared): Promise<void> {
  await closeFile(file).catch(() => {})
  await unlink(path).catch(() => {})
}
