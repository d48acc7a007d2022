import type { KeyObject } from 'node:crypto'
import { closeSync, readSync, renameSync } from 'node:fs'
import { IrregularFile, openRegular } from '../../../link/regular_file.ts'
import { codeOf } from '../../../protocol/tools/error_codes.ts'
import { JournalError } from './errors.ts'
import { listFolder, takenPathOf } from './journal_folder.ts'
import {
  beginsFrame,
  decodeHeader,
  formatVersion,
  frameBytesOf,
  headerBytes,
  isZeroFrom,
  payloadAt,
  payloadBytesMax,
} from './journal_frames.ts'

type Reading = {
  readonly key: KeyObject
  readonly log: { warn(fields: object, message: string): void }
}

/** The unsynced files of earlier processes, and their content. */
export type TakenFiles = {
  readonly paths: readonly string[]
  /** One for each file that is not empty, oldest first, each of at most `payloadBytesMax`. */
  readonly payloads: readonly Uint8Array[]
}

type Found = { readonly sequence: number; readonly payload: Buffer }

const fileBytesMax = headerBytes + payloadBytesMax

/**
 * Takes the unsynced files of the processes that began before the segment `before`, and reads them. These processes may
 * still run: each finds after its next write that its file is gone, and enters nothing any more. Files that were taken by
 * a start that failed are read again.
 *
 * No content of a file is an error: its valid beginning counts, and all that was synced stands in frames. Throws
 * `JournalError` for a later version of the format, and for what is no file.
 */
export function takeUnsyncedFiles({
  directory,
  before,
  ...reading
}: Reading & { readonly directory: string; readonly before: number }): TakenFiles {
  const isEarlier = ({ firstSegment }: { readonly firstSegment: number }) => firstSegment < before
  for (const { path } of listFolder(directory).unsynced.filter(isEarlier)) renameIfThere(path, takenPathOf(path))
  const files = listFolder(directory)
    .taken.filter(isEarlier)
    .map(({ path, firstSegment }) => ({ path, firstSegment, ...readFile(reading, path) }))
    .sort((one, other) => one.firstSegment - other.firstSegment || one.sequence - other.sequence)
  return {
    paths: files.map(({ path }) => path),
    payloads: files.map(({ payload }) => payload).filter(({ length }) => length > 0),
  }
}

/** Another start may have taken it. Its own process may have removed it, after all that it held was on disk. */
function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

function readFile({ key, log }: Reading, path: string): Found {
  const bytes = bytesOf(path)
  const header = decodeHeader(key, bytes)
  if (header !== undefined && header.version !== formatVersion) {
    throw new JournalError(`${path} has format ${header.version}: start the version of the server that wrote it`)
  }
  let sequence = header?.last.sequence ?? 0
  const payloads: Uint8Array[] = []
  let offset = headerBytes
  for (; header?.kind === 'unsynced'; sequence++) {
    const payload = payloadAt(key, bytes, offset, sequence + 1)
    if (payload === undefined) break
    payloads.push(payload)
    offset += frameBytesOf(payload.length)
  }
  const isTorn = header === undefined ? !isZeroFrom(bytes, 0) : beginsFrame(bytes, offset, sequence + 1)
  if (isTorn) {
    const what = 'an unsynced file of the journal was torn: entries of the moment before a loss of power may be missing'
    log.warn({ file: path, offsetBytes: offset }, what)
  }
  return { sequence, payload: Buffer.concat(payloads) }
}

/** Returns no bytes if the file is gone: another start has its entries in a synced frame. */
function bytesOf(path: string): Buffer {
  const bytes = Buffer.alloc(fileBytesMax)
  let descriptor: number | undefined
  try {
    descriptor = openRegular(path)
    let readBytes = 0
    for (;;) {
      const count = readSync(descriptor, bytes, readBytes, fileBytesMax - readBytes, readBytes)
      readBytes += count
      if (count === 0) return bytes.subarray(0, readBytes)
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return bytes.subarray(0, 0)
    if (error instanceof IrregularFile)
      throw new JournalError(`${path} is no regular file: remove it`, { cause: error })
    throw error
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
