import type { KeyObject } from 'node:crypto'
import { link, rename, unlink } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { hasCode } from './errors.ts'
import { createFile, listFolder, segmentPath, snapshotPath, syncDirectory, writeFully } from './folder.ts'
import { encodeFrame, encodeHeader, headerBytes, type Position, payloadBytesMax, positionAt } from './frames.ts'

type Snapshot = {
  readonly directory: string
  readonly key: KeyObject
  readonly payloads: Iterable<Uint8Array>
  readonly temporaryPath: string
}

/** Frames are gathered up to this before they are written. */
const writtenTogetherBytes = 262_144

/**
 * Writes what a new journal begins with. Returns the position with which its first segment begins, or undefined when
 * another process wrote a beginning first.
 */
export async function writeBeginning(snapshot: Snapshot, last: Position): Promise<Position | undefined> {
  const { directory, temporaryPath } = snapshot
  try {
    const { end } = await writeFile(snapshot, { number: 0, last, isWanted: () => true })
    await link(temporaryPath, snapshotPath(directory, 0))
    await syncDirectory(directory)
    return { sequence: 0, mac: end.mac }
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return undefined
    throw error
  } finally {
    await unlink(temporaryPath).catch(() => {})
  }
}

/**
 * Replaces the segments up to `number`, of which `last` is the last frame, by a snapshot. Returns its size, or undefined
 * when `isWanted` said no.
 *
 * `settle` resolves when everything that was appended before is on disk. What the snapshot says must not become true by
 * the snapshot alone, without what was appended before it.
 */
export async function replaceSegments({
  number,
  last,
  isWanted,
  settle,
  ...snapshot
}: Snapshot & {
  readonly number: number
  readonly last: Position
  readonly isWanted: () => boolean
  readonly settle: () => Promise<void>
}): Promise<number | undefined> {
  const { directory, temporaryPath } = snapshot
  try {
    const { isWhole, sizeBytes } = await writeFile(snapshot, { number, last, isWanted })
    if (!isWhole) return undefined
    await settle()
    await rename(temporaryPath, snapshotPath(directory, number))
    await syncDirectory(directory)
    await removeSuperfluous(directory, number)
    return sizeBytes
  } finally {
    await unlink(temporaryPath).catch(() => {}) // After the rename there is none.
  }
}

/**
 * Removes what the snapshot `number` stands for. Segments go in the order of their numbers: a process that was
 * superseded by a segment that is gone by now finds that its own is gone too.
 */
export async function removeSuperfluous(directory: string, number: number): Promise<void> {
  const { segments, snapshots } = listFolder(directory)
  for (const older of segments) if (older <= number) await unlink(segmentPath(directory, older))
  for (const older of snapshots) if (older < number) await unlink(snapshotPath(directory, older))
}

/** Resolves when the file is on disk, as a whole unless `isWanted` said no. `end` is the position behind it. */
async function writeFile(
  { key, payloads, temporaryPath }: Snapshot,
  { number, last, isWanted }: { readonly number: number; readonly last: Position; readonly isWanted: () => boolean },
): Promise<{ readonly isWhole: boolean; readonly sizeBytes: number; readonly end: Position }> {
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
    if (payload.length > 0) add(payload) // An empty one is the end.
    if (gatheredBytes >= writtenTogetherBytes) await flush()
    await setImmediate()
    if (!isWanted()) return { isWhole: false, sizeBytes: writtenBytes, end: position }
  }
  add(new Uint8Array(0))
  await flush()
  await file.sync()
  return { isWhole: true, sizeBytes: writtenBytes, end: position }
}
