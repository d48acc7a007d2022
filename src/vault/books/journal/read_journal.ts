import type { KeyObject } from 'node:crypto'
import { closeSync, fstatSync, readFileSync, readSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { IrregularFile, openRegular } from '../../../link/regular_file.ts'
import { codeIn, codeOf } from '../../../protocol/tools/error_codes.ts'
import { JournalError } from './errors.ts'
import { listFolder, segmentPath, snapshotPath } from './journal_folder.ts'
import {
  decodeHeader,
  type FileHeader,
  formatVersion,
  frameBytesOf,
  frameFollows,
  headerBytes,
  isZeroFrom,
  type Position,
  payloadAt,
  positionAt,
  positionOfNothing,
} from './journal_frames.ts'

/** The state of the journal at a start. */
export type FoundJournal = {
  readonly last: Position
  /** The number of the segment that holds `last`; 0 if there is none. */
  readonly lastSegment: number
  /** 0 if there is no snapshot. */
  readonly snapshotNumber: number
  readonly snapshotBytes: number
  /** The size of the segments after the snapshot. */
  readonly closedBytes: number
}

type Reading = {
  readonly key: KeyObject
  readonly onPayload: (payload: Uint8Array) => void
  /** The size of a new segment. */
  readonly segmentBytes: number
  readonly log: { warn(fields: object, message: string): void }
}

type File = { readonly path: string; readonly descriptor: number }
type Segment = { readonly file: File; readonly header: FileHeader }
type OpenFiles = {
  readonly segments: ReadonlyMap<number, File> // ascending
  readonly snapshot: (File & { readonly number: number }) | undefined
}

const listingsMax = 100

/**
 * Reads the newest snapshot and the segments after it whose numbers are below `before`. Throws `JournalError`.
 *
 * Each header names the frame before its segment, so the newest segment says which others belong to the journal and
 * where each of them ends. Bytes after that end come from a torn write, or from a process that was superseded.
 */
export function readJournal({
  directory,
  before,
  ...reading
}: Reading & { readonly directory: string; readonly before: number }): FoundJournal {
  const files = openFiles(directory, before)
  try {
    return readFiles(reading, directory, files)
  } finally {
    closeFiles(files)
  }
}

/**
 * Opens the snapshot and the segments. The former process may still be compacting: an open file can be read after its
 * removal. If the listing changes in the meantime, it may have missed a file, so the files are listed and opened again.
 */
function openFiles(directory: string, before: number): OpenFiles {
  for (let listings = 0; listings < listingsMax; listings++) {
    const names = namesIn(directory, before)
    const files = openAll(directory, names)
    if (files !== undefined) {
      if (isDeepStrictEqual(names, namesIn(directory, before))) return files
      closeFiles(files)
    }
  }
  throw new JournalError(`the journal folder ${directory} does not stop changing: stop what else uses it`)
}

/** Returns the number of the newest snapshot, or 0, and then the numbers of the segments that follow it. */
function namesIn(directory: string, before: number): readonly [number, ...(readonly number[])] {
  const { segments, snapshots } = listFolder(directory)
  const snapshotNumber = snapshots.at(-1) ?? 0
  return [snapshotNumber, ...segments.filter((number) => number > snapshotNumber && number < before)]
}

/** Returns undefined if one of the files is gone. */
function openAll(
  directory: string,
  [snapshotNumber, ...segmentNumbers]: readonly [number, ...(readonly number[])],
): OpenFiles | undefined {
  const segments = new Map<number, File>()
  let snapshot: OpenFiles['snapshot']
  try {
    if (snapshotNumber > 0) snapshot = { number: snapshotNumber, ...openFile(snapshotPath(directory, snapshotNumber)) }
    for (const number of segmentNumbers) segments.set(number, openFile(segmentPath(directory, number)))
    return { segments, snapshot }
  } catch (cause) {
    closeFiles({ segments, snapshot })
    if (cause instanceof JournalError) throw cause
    if (codeOf(cause) === 'ENOENT') return undefined
    throw new JournalError(`the journal folder ${directory} cannot be read${codeIn(cause)}`, { cause })
  }
}

function openFile(path: string): File {
  try {
    return { path, descriptor: openRegular(path) }
  } catch (error) {
    throw error instanceof IrregularFile ? notWhole({ path }, 'is no regular file') : error
  }
}

function closeFiles({ segments, snapshot }: OpenFiles): void {
  for (const { descriptor } of segments.values()) closeSync(descriptor)
  if (snapshot !== undefined) closeSync(snapshot.descriptor)
}

function readFiles(reading: Reading, directory: string, { segments, snapshot }: OpenFiles): FoundJournal {
  const snapshotNumber = snapshot?.number ?? 0
  const chain = chainOf(reading, directory, segments, snapshotNumber)
  const { last: start, bytes: snapshotBytes } =
    snapshot === undefined ? { last: positionOfNothing, bytes: 0 } : readSnapshot(reading, snapshot)
  const [first] = chain
  if (first !== undefined && !isSame(first.header.last, start)) {
    const path = snapshotPath(directory, snapshotNumber)
    throw notWhole(first.file, `does not go on from ${snapshot ? path : 'the beginning'}, so a file is missing between`)
  }
  // A snapshot is made only after the segment behind it has its header.
  if (first === undefined && snapshot !== undefined) {
    throw notWhole({ path: segmentPath(directory, snapshotNumber + 1) }, 'is missing')
  }

  let last = start
  let closedBytes = 0
  for (const [index, segment] of chain.entries()) {
    closedBytes += fstatSync(segment.file.descriptor).size
    last = readSegment(reading, segment, chain[index + 1]?.header.last)
  }
  return {
    last,
    lastSegment: chain.at(-1)?.header.number ?? 0,
    snapshotNumber,
    snapshotBytes,
    closedBytes,
  }
}

/** Returns the segments of the journal after the snapshot. It follows the headers from the newest segment back. */
function chainOf(
  { key, log }: Reading,
  directory: string,
  segments: ReadonlyMap<number, File>,
  snapshotNumber: number,
): readonly Segment[] {
  const chain: Segment[] = [] // newest first
  let next: number | undefined
  for (const [number, file] of [...segments].reverse()) {
    const header = readHeader(key, file, 'segment', number)
    if (header !== undefined) {
      chain.push({ file, header })
      next = header.previousSegment
      break
    }
    // Frames are written only after the header is on disk.
    const bytes = readFileSync(file.descriptor)
    if (!isZeroFrom(bytes, headerBytes)) throw wrongHeader(file)
    if (!isZeroFrom(bytes, 0)) log.warn({ file: file.path }, 'a segment of the journal with a torn header is left out')
  }
  while (next !== undefined && next > snapshotNumber) {
    const file = segments.get(next)
    if (file === undefined) throw notWhole({ path: segmentPath(directory, next) }, 'is missing')
    const header = readHeader(key, file, 'segment', next)
    if (header === undefined || header.previousSegment >= next) throw wrongHeader(file)
    chain.push({ file, header })
    next = header.previousSegment
  }
  return chain.reverse()
}

/** Returns undefined if the file has no header that was written with this key. */
function readHeader(key: KeyObject, file: File, kind: FileHeader['kind'], number: number): FileHeader | undefined {
  const bytes = Buffer.alloc(headerBytes)
  readSync(file.descriptor, bytes, 0, headerBytes, 0)
  const header = decodeHeader(key, bytes)
  if (header === undefined) return undefined
  if (header.version !== formatVersion) {
    throw new JournalError(`${file.path} has format ${header.version}: start the version of the server that wrote it`)
  }
  if (header.kind !== kind || header.number !== number) {
    throw notWhole(file, `is really ${header.kind} ${header.number}: it was renamed or copied`)
  }
  return header
}

/** Calls `onPayload` for each frame. Returns the position with which the first segment after the snapshot begins. */
function readSnapshot(
  { key, onPayload }: Reading,
  file: File & { readonly number: number },
): { readonly last: Position; readonly bytes: number } {
  const header = readHeader(key, file, 'snapshot', file.number)
  if (header === undefined) throw wrongHeader(file)
  const bytes = readFileSync(file.descriptor)
  let offset = headerBytes
  for (let sequence = 1; ; sequence++) {
    const payload = payloadAt(key, bytes, offset, sequence)
    if (payload === undefined) throw damaged(file, offset)
    offset += frameBytesOf(payload.length)
    if (payload.length === 0) break
    onPayload(payload)
  }
  if (offset !== bytes.length) throw damaged(file, offset)
  return { last: header.last, bytes: bytes.length }
}

/** Reads a segment up to `end`, the frame that the next segment names; without `end` up to the last whole frame. */
function readSegment(
  { key, onPayload, segmentBytes, log }: Reading,
  { file, header }: Segment,
  end?: Position,
): Position {
  const bytes = readFileSync(file.descriptor)
  let offset = headerBytes
  let { sequence } = header.last
  while (end === undefined || sequence < end.sequence) {
    const payload = payloadAt(key, bytes, offset, sequence + 1)
    if (payload === undefined) break
    onPayload(payload)
    offset += frameBytesOf(payload.length)
    sequence += 1
  }
  if (end === undefined && bytes.length < segmentBytes) {
    const what = 'the last segment of the journal is shorter than it was made: entries at its end may be missing'
    log.warn({ file: file.path, bytes: bytes.length }, what)
  }
  const last = positionAt(bytes, offset, sequence)
  if (end !== undefined) {
    if (!isSame(last, end)) throw damaged(file, offset)
  } else if (!isZeroFrom(bytes, offset)) {
    if (frameFollows(key, bytes, offset, sequence + 1)) throw damaged(file, offset)
    log.warn({ file: file.path, offsetBytes: offset }, 'the last frame of the journal was torn and is left out')
  }
  return last
}

function isSame(one: Position, other: Position): boolean {
  return one.sequence === other.sequence && Buffer.compare(one.mac, other.mac) === 0
}

function wrongHeader(file: File): JournalError {
  return notWhole(file, 'has a damaged header, or belongs to another journal or key')
}

function damaged(file: File, offset: number): JournalError {
  return notWhole(file, `is damaged at byte ${offset}`)
}

function notWhole({ path }: Pick<File, 'path'>, what: string): JournalError {
  const remedy = 'restore the whole folder as it was, or move it away to begin a new journal without what is in it'
  return new JournalError(`the journal file ${path} ${what}: ${remedy}`)
}
