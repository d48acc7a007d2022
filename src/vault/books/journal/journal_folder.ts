import { constants, readdirSync, statSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../../protocol/tools/error_codes.ts'

/**
 * The files of a journal:
 *
 *     0000000000000007.segment      frames; the segment with the highest number is being written
 *     0000000000000004.snapshot     stands for the segments up to this number
 *     0000000000000005.1.temporary  the first temporary file of the process that began with segment 5
 *     0000000000000005.1.unsynced   the first of the two unsynced files of that process
 *     0000000000000005.1.taken      the same file once a later process has taken it
 */
export type Listing = {
  /** Ascending. */
  readonly segments: readonly number[]
  /** Ascending. */
  readonly snapshots: readonly number[]
  readonly temporaries: readonly ProcessFile[]
  readonly unsynced: readonly ProcessFile[]
  readonly taken: readonly ProcessFile[]
}

/** A file that a process made for itself. */
type ProcessFile = {
  readonly path: string
  /** The segment with which the process began. */
  readonly firstSegment: number
}

const fileName = /^(\d{16})\.(?:(segment|snapshot)|\d+\.(temporary|unsynced|taken))$/
const segmentSuffix = '.segment'
const unsyncedSuffix = '.unsynced'
const segmentName = /^\d{16}\.segment$/
const zeroes = Buffer.alloc(1_048_576)

export function listFolder(directory: string): Listing {
  const segments: number[] = []
  const snapshots: number[] = []
  const ofProcesses = { temporary: [] as ProcessFile[], unsynced: [] as ProcessFile[], taken: [] as ProcessFile[] }
  for (const name of readdirSync(directory).sort()) {
    const [, digits, kind, ofProcess] = fileName.exec(name) ?? []
    const number = Number(digits)
    if (!Number.isSafeInteger(number)) continue // not a file of the journal
    if (kind === 'segment') segments.push(number)
    if (kind === 'snapshot') snapshots.push(number)
    if (ofProcess === 'temporary' || ofProcess === 'unsynced' || ofProcess === 'taken') {
      ofProcesses[ofProcess].push({ path: join(directory, name), firstSegment: number })
    }
  }
  const { temporary: temporaries, unsynced, taken } = ofProcesses
  return { segments, snapshots, temporaries, unsynced, taken }
}

/** Returns the highest segment number, or 0 if there is none. Every write calls it, so it makes no full listing. */
export function newestSegmentIn(directory: string): number {
  let newest = 0
  for (const name of namesIn(directory)) {
    const number = segmentName.test(name) ? Number(name.slice(0, -segmentSuffix.length)) : 0
    if (number > newest && Number.isSafeInteger(number)) newest = number
  }
  return newest
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

export function segmentPath(directory: string, number: number): string {
  return join(directory, `${padded(number)}${segmentSuffix}`)
}

export function snapshotPath(directory: string, number: number): string {
  return join(directory, `${padded(number)}.snapshot`)
}

/** Makes paths for temporary files that no other process uses: each process begins with a segment of its own. */
export function temporaryPaths(directory: string, firstSegment: number): () => string {
  let count = 0
  return () => {
    count += 1
    return join(directory, `${padded(firstSegment)}.${count}.temporary`)
  }
}

/** Returns the path of one of the two unsynced files of the process that began with this segment. */
export function unsyncedPath(directory: string, firstSegment: number, which: 1 | 2): string {
  return join(directory, `${padded(firstSegment)}.${which}${unsyncedSuffix}`)
}

/** Returns the path that an unsynced file has once a later process has taken it. */
export function takenPathOf(path: string): string {
  return `${path.slice(0, -unsyncedSuffix.length)}.taken`
}

function padded(number: number): string {
  return String(number).padStart(16, '0')
}

/**
 * Creates a file that did not exist. With `O_DSYNC` a write ends when its bytes are on disk: one call replaces a write
 * and an fdatasync. No part of it runs on the main thread, so a full disk queue cannot block that thread.
 */
export async function createFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_DSYNC, 0o600)
  openFiles.add(file)
  return file
}

/** Node ends the process when it collects a file that nobody closed. This set keeps the files of a dropped journal. */
const openFiles = new Set<FileHandle>()

export async function closeFile(file: FileHandle): Promise<void> {
  openFiles.delete(file)
  await file.close()
}

/** Another process may have removed it: one that takes the journal over removes what the one before does. */
export async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Gives the file its full size on disk. Later writes then need no more room and change only the file's bytes. */
export async function fillWithZeroes(file: FileHandle, sizeBytes: number): Promise<void> {
  for (let offset = 0; offset < sizeBytes; offset += zeroes.length) {
    await writeFully(file, zeroes.subarray(0, Math.min(zeroes.length, sizeBytes - offset)), offset)
  }
  await file.sync()
}

export async function writeFully(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written, bytes.length - written, offset + written)).bytesWritten
  }
}

export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r')
  await directory.sync()
}

/** Whether the file exists. Unlike `existsSync` it throws any error other than absence. */
export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
