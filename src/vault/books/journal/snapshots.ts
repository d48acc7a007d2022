import type { KeyObject } from 'node:crypto'
import { rename, unlink } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import {
  createFile,
  listFolder,
  segmentPath,
  snapshotPath,
  syncDirectory,
  unlinkIfThere,
  writeFully,
} from './journal_folder.ts'
import { encodeFrame, encodeHeader, headerBytes, type Position, payloadBytesMax, positionAt } from './journal_frames.ts'

type Snapshot = {
  readonly directory: string
  readonly key: KeyObject
  readonly payloads: Iterable<Uint8Array>
  readonly temporaryPath: string
  /** The number of the last segment that the snapshot replaces. */
  readonly number: number
  /** The last frame of that segment. */
  readonly last: Position
  readonly isWanted: () => boolean
}

/** The number of bytes of frames that are gathered before they are written. */
const writtenTogetherBytes = 262_144

/**
 * Replaces the segments up to `number`, whose last frame is `last`, with a snapshot. Returns the size of the snapshot
 * in bytes, or undefined if `isWanted` returned false.
 *
 * `settle` resolves when everything that was appended before is on disk. The snapshot may already hold the effect of
 * these entries, so it must not take effect before they are on disk.
 */
export async function replaceSegments({
  settle,
  ...snapshot
}: Snapshot & { readonly settle: () => Promise<void> }): Promise<number | undefined> {
  const { directory, temporaryPath, number } = snapshot
  try {
    const sizeBytes = await writeFile(snapshot)
    if (sizeBytes === undefined) return undefined
    await settle()
    await rename(temporaryPath, snapshotPath(directory, number))
    await syncDirectory(directory)
    await removeSuperfluous(directory, number)
    return sizeBytes
  } finally {
    await unlink(temporaryPath).catch(() => {}) // After the rename there is no such file.
  }
}

/**
 * Removes the files that the snapshot `number` replaces. Segments are removed in the order of their numbers: when the
 * segment that superseded a process is gone, the segment of that process is gone too.
 */
export async function removeSuperfluous(directory: string, number: number): Promise<void> {
  const { segments, snapshots } = listFolder(directory)
  for (const older of segments) if (older <= number) await unlinkIfThere(segmentPath(directory, older))
  for (const older of snapshots) if (older < number) await unlinkIfThere(snapshotPath(directory, older))
}

/** Resolves to the size of the file in bytes once it is on disk, or to undefined if `isWanted` returned false. */
async function writeFile({
  key,
  payloads,
  temporaryPath,
  number,
  last,
  isWanted,
}: Snapshot): Promise<number | undefined> {
  const header = encodeHeader(key, { kind: 'snapshot', number, previousSegment: 0, last })
  let position = positionAt(header, headerBytes, 0)
  let gathered: Uint8Array[] = [header]
  let gatheredBytes = headerBytes
  let writtenBytes = 0
  await using file = await createFile(temporaryPath)

  function add(payload: Uint8Array): void {
    const frame = encodeFrame(key, position, [payload])
    position = frame.position
    gathered.push(frame.bytes)
    gatheredBytes += frame.bytes.length
  }

  async function flush(): Promise<void> {
    await writeFully(file, Buffer.concat(gathered), writtenBytes)
    writtenBytes += gatheredBytes
    gathered = []
    gatheredBytes = 0
  }

  for (const payload of payloads) {
    if (payload.length > payloadBytesMax) throw new RangeError(`a payload of ${payload.length} bytes`)
    if (payload.length > 0) add(payload) // An empty payload would end the snapshot.
    if (gatheredBytes >= writtenTogetherBytes) await flush()
    await setImmediate()
    if (!isWanted()) return undefined
  }
  add(new Uint8Array(0))
  await flush()
  await file.sync()
  return writtenBytes
}
