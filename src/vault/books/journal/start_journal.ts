import type { KeyObject } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../../link/make_folder.ts'
import { codeIn, codeOf, hasNoRoom } from '../../../protocol/tools/error_codes.ts'
import { isSystemError, JournalError, noRoomIn, SupersededError } from './errors.ts'
import {
  closeFile,
  createFile,
  fillWithZeroes,
  listFolder,
  segmentPath,
  syncDirectory,
  temporaryPaths,
  unlinkIfThere,
  writeFully,
} from './journal_folder.ts'
import {
  encodeFrame,
  encodeHeader,
  frameBytesOf,
  headerBytes,
  type Position,
  payloadMaxBytesOf,
  positionAt,
} from './journal_frames.ts'
import { type FoundJournal, readJournal } from './read_journal.ts'
import { checkNewest, type OpenSegment } from './segment_writer.ts'
import { removeSuperfluous } from './snapshots.ts'
import { type TakenFiles, takeUnsyncedFiles } from './take_unsynced.ts'
import { createUnsyncedFiles, type UnsyncedFiles } from './unsynced_files.ts'

type Start = {
  readonly directory: string
  readonly key: KeyObject
  readonly onPayload: (payload: Uint8Array) => void
  readonly onEntered: (payload: Uint8Array) => Uint8Array
  readonly segmentBytes: number
  readonly log: { warn(fields: object, message: string): void }
}

/** The state with which a writer begins. */
type StartedJournal = {
  readonly first: OpenSegment
  readonly last: Position
  /** The end of the frame `last` in the segment `first`. */
  readonly offset: number
  readonly closedBytes: number
  readonly newTemporaryPath: () => string
  readonly snapshotBytes: number
  readonly unsyncedFiles: UnsyncedFiles
}

type ClaimedSegment = { readonly number: number; readonly file: FileHandle }

/**
 * Takes the journal over from any other process, reads it and begins a segment. Throws `JournalError`, or
 * `JournalUnavailable` on a full disk: that may be over at the next start.
 *
 * The order of the steps makes this safe. The new segment is made first: from then on no other process confirms a
 * write. The older segments are read after that, and the header of the new segment says where they end. Then the unsynced
 * files are taken: from then on no other process enters anything. They are removed when their content is on disk.
 */
export async function startJournal(start: Start): Promise<StartedJournal> {
  const { directory } = start
  try {
    const isNew = await makeFolder(directory)
    if (isNew) await syncDirectory(dirname(directory))
    return await startIn(start, await claimSegment(directory))
  } catch (cause) {
    if (cause instanceof SupersededError) throw new JournalError(`${cause.message}: let one process use it`, { cause })
    if (!isSystemError(cause)) throw cause
    if (hasNoRoom(cause)) throw noRoomIn(directory, cause)
    const reason = `the journal folder ${directory} cannot be used${codeIn(cause)}`
    throw new JournalError(`${reason}: make it a folder that the user of the server may write`, { cause })
  }
}

/** Makes the segment with the highest number. */
async function claimSegment(directory: string): Promise<ClaimedSegment> {
  for (;;) {
    const number = newestOf(directory) + 1
    const path = segmentPath(directory, number)
    try {
      const file = await createFile(path)
      // Since the folder was listed, other processes may have made higher numbers and given this number up.
      if (newestOf(directory) === number) return { number, file }
      await giveUp(path, file)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

function newestOf(directory: string): number {
  const { segments, snapshots, unsynced, taken } = listFolder(directory)
  const ofProcesses = [...unsynced, ...taken].map(({ firstSegment }) => firstSegment)
  return Math.max(0, segments.at(-1) ?? 0, snapshots.at(-1) ?? 0, ...ofProcesses)
}

async function startIn({ segmentBytes, ...reading }: Start, { number, file }: ClaimedSegment): Promise<StartedJournal> {
  const { directory, key, onEntered } = reading
  let found: FoundJournal
  let taken: TakenFiles
  let kept: readonly Uint8Array[]
  try {
    await removeTemporaries(directory, number)
    found = readJournal({ ...reading, segmentBytes, before: number })
    taken = takeUnsyncedFiles({ ...reading, before: number })
    kept = taken.payloads.map(onEntered).filter(({ length }) => length > 0)
    await fillWithZeroes(file, Math.max(segmentBytes, headerBytes + bytesOfFrames(kept)))
  } catch (error) {
    try {
      checkNewest(directory, number) // A process that has taken over may have removed the missing files.
    } finally {
      // Nothing refers to a segment without a header. It is removed, so that failing starts do not fill the disk.
      await giveUp(segmentPath(directory, number), file)
    }
    throw error
  }

  const { last: after, lastSegment, closedBytes, snapshotNumber, snapshotBytes } = found
  const header = encodeHeader(key, { kind: 'segment', number, previousSegment: lastSegment, last: after })
  const begun = { last: positionAt(header, headerBytes, after.sequence), offset: headerBytes }
  try {
    await writeFully(file, header, 0)
    await syncDirectory(directory)
    const written = await writeFrames(key, file, begun, kept)
    checkNewest(directory, number)
    await removeTaken(directory, taken.paths)
    await removeSuperfluous(directory, snapshotNumber)
    const unsyncedFiles = beginUnsynced({ directory, number, key, segmentBytes })
    const newTemporaryPath = temporaryPaths(directory, number)
    return { first: { number, file, after }, ...written, closedBytes, newTemporaryPath, snapshotBytes, unsyncedFiles }
  } catch (error) {
    await closeFile(file)
    throw error
  }
}

function bytesOfFrames(payloads: readonly Uint8Array[]): number {
  return payloads.reduce((sum, { length }) => sum + frameBytesOf(length), 0)
}

/** Writes a frame for each payload. The next one is written only when the one before is on disk. */
async function writeFrames(
  key: KeyObject,
  file: FileHandle,
  begun: Pick<StartedJournal, 'last' | 'offset'>,
  payloads: readonly Uint8Array[],
): Promise<Pick<StartedJournal, 'last' | 'offset'>> {
  let { last, offset } = begun
  for (const payload of payloads) {
    const { bytes, position } = encodeFrame(key, last, [payload])
    await writeFully(file, bytes, offset)
    offset += bytes.length
    last = position
  }
  return { last, offset }
}

/** Removes the unsynced files of earlier processes, whose content is on disk. */
async function removeTaken(directory: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await unlinkIfThere(path)
  if (paths.length > 0) await syncDirectory(directory)
}

/** The check comes last: a later process has not yet listed the folder then, and finds the files. */
function beginUnsynced({
  segmentBytes,
  ...files
}: {
  readonly directory: string
  readonly number: number
  readonly key: KeyObject
  readonly segmentBytes: number
}): UnsyncedFiles {
  const unsyncedFiles = createUnsyncedFiles({ ...files, bytesMax: headerBytes + payloadMaxBytesOf(segmentBytes) })
  try {
    checkNewest(files.directory, files.number)
    return unsyncedFiles
  } catch (error) {
    unsyncedFiles.remove()
    throw error
  }
}

/**
 * Removes the temporary files of processes that began before this one. The files of later processes stay: those
 * processes have superseded this one.
 */
async function removeTemporaries(directory: string, number: number): Promise<void> {
  for (const { path, firstSegment } of listFolder(directory).temporaries) {
    if (firstSegment <= number) await unlinkIfThere(path)
  }
}

async function giveUp(path: string, file: FileHandle): Promise<void> {
  await closeFile(file)
  await unlinkIfThere(path)
}
