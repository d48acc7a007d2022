import type { KeyObject } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { codeOf } from '../../../protocol/tools/error_codes.ts'
import { SupersededError } from './errors.ts'
import { unsyncedPath } from './journal_folder.ts'
import {
  encodeFrame,
  encodeHeader,
  frameBytesOf,
  headerBytes,
  type Position,
  positionAt,
  positionOfNothing,
} from './journal_frames.ts'

/**
 * The two files with the entries that outlive this process before they are on disk. They are written to the page cache
 * and never synced: the end of the process leaves them whole, and a loss of power may leave anything of them.
 *
 * One of them is written until it is full, then the other one. A file is begun anew once all that it holds stands in
 * synced frames. So neither grows beyond `bytesMax`, and no entry waits as long as the frames keep up.
 *
 * All calls write at once, on the main thread: a write to the page cache takes a few microseconds, and a turn of the
 * thread pool ten times as much. The same few pages are written again and again, so they never fill the memory that
 * the system keeps for unwritten pages, which is when it lets a write wait for the disk.
 */
export type UnsyncedFiles = {
  /**
   * Writes one frame with `parts`. `upTo` is the number of the last entry that it holds; no later call has a lower one.
   * Returns false if there is no room. Throws `SupersededError` if a later process has taken the file, and the error of
   * the system if it could not be written. After that the next call writes to the same place.
   */
  write(parts: readonly Uint8Array[], upTo: number): boolean
  /** Tells that all entries up to this number stand in synced frames, and that nobody had taken over by then. */
  release(upTo: number): void
  /** Closes the files, and leaves them to the next start. */
  close(): void
  /** Closes and removes the files: all that they hold is on disk. */
  remove(): void
}

type UnsyncedFile = {
  readonly path: string
  readonly descriptor: number
  readonly inode: number
  /** The end of its last frame; 0 if it must be begun anew. */
  offset: number
  position: Position
  /** The number of the last entry that it holds. */
  upTo: number
}

/** Creates the two files of the process that began with the segment `number`. */
export function createUnsyncedFiles({
  directory,
  number,
  key,
  bytesMax,
}: {
  readonly directory: string
  readonly number: number
  readonly key: KeyObject
  /** The size of the larger of the two, in bytes. */
  readonly bytesMax: number
}): UnsyncedFiles {
  let current = create(unsyncedPath(directory, number, 1))
  let other = create(unsyncedPath(directory, number, 2))
  /** The last frame of either file. */
  let newest: Position = positionOfNothing
  let releasedUpTo = 0
  let isClosed = false

  /** No two chains are alike: each header names the last frame before it, and its number is of this process. */
  function begin(file: UnsyncedFile): void {
    file.offset = 0
    const header = encodeHeader(key, { kind: 'unsynced', number, previousSegment: 0, last: newest })
    writeFullySync(file, header)
    file.position = positionAt(header, headerBytes, newest.sequence)
    file.offset = headerBytes
  }

  /** Returns whether the current file has room for a frame, if need be after the two have changed places. */
  function makeRoom(frameBytes: number): boolean {
    if (headerBytes + frameBytes > bytesMax) return false
    if (current.offset + frameBytes > bytesMax) {
      if (other.upTo > releasedUpTo) return false
      const full = current
      current = other
      other = full
      current.offset = 0
    }
    if (current.offset === 0) begin(current)
    return true
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    for (const { descriptor } of [current, other]) closeSync(descriptor)
  }

  return {
    write(parts, upTo) {
      const payloadBytes = parts.reduce((sum, { length }) => sum + length, 0)
      if (isClosed || !makeRoom(frameBytesOf(payloadBytes))) return false
      const { bytes, position } = encodeFrame(key, current.position, parts)
      writeFullySync(current, bytes)
      requireNotTaken(current)
      current.offset += bytes.length
      current.position = position
      current.upTo = upTo
      newest = position
      return true
    },

    release(upTo) {
      releasedUpTo = upTo
      for (const file of [current, other]) {
        if (isClosed || file.offset <= headerBytes || file.upTo > upTo) continue
        try {
          begin(file) // A start need not read again what is on disk.
        } catch {
          // Its offset is 0 now, so the next write tries again.
        }
      }
    },

    close,

    remove() {
      close()
      for (const { path } of [current, other]) unlinkIfThereSync(path)
    },
  }
}

function create(path: string): UnsyncedFile {
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
  return { path, descriptor, inode: fstatSync(descriptor).ino, offset: 0, position: positionOfNothing, upTo: 0 }
}

/**
 * Throws `SupersededError` if a later process has taken the file. That process renames it first and reads it then. So
 * what was written while the file had its name is read.
 */
function requireNotTaken({ path, inode }: UnsyncedFile): void {
  if (statSync(path, { throwIfNoEntry: false })?.ino === inode) return
  throw new SupersededError(`${path} is gone: another process has opened the journal, or somebody removed the file`)
}

/** Writes at the end of the file. */
function writeFullySync({ descriptor, offset }: UnsyncedFile, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, offset + written)
  }
}

function unlinkIfThereSync(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
