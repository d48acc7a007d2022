import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/**
 * The bytes of a journal. All integers are big-endian.
 *
 * A file begins with a header of 112 bytes:
 *
 *     16  `claviger-journal`
 *     u32 version of the format: 1
 *     u32 kind: 1 is a segment, 2 a snapshot, 3 an unsynced file
 *     u64 number of the file
 *     u64 number of the segment that holds the frame named next; 0 if there was none, and in other files
 *     u64 sequence number of the last frame before this segment, of the last frame that the snapshot replaces, or of
 *         the last frame that the process wrote into either of its unsynced files before
 *     32  MAC of that frame
 *     32  MAC of the header: HMAC-SHA-256 over all of the above
 *
 * Frames follow it:
 *
 *     u64 sequence number, one more than that of the previous frame
 *     u32 bytes of the payload
 *     payload
 *     32  MAC: HMAC-SHA-256 over the 32 bytes before the frame, which are the previous MAC, and over all of the above
 *
 * So every file is one chain that begins with its header's MAC, and each MAC covers contiguous bytes. In a segment the
 * sequence numbers continue from the header's. In a snapshot they begin with 1, and a frame without a payload ends it.
 * An unsynced file is as a segment, with sequence numbers of its own. It is written over from its beginning, and what is
 * left behind its last frame is of an earlier chain.
 */
export type FileHeader = {
  readonly kind: 'segment' | 'snapshot' | 'unsynced'
  readonly number: number
  /** The number of the segment that holds the frame `last`; 0 if there was none, and in other files. */
  readonly previousSegment: number
  readonly last: Position
}

/** The end of a chain: the number of its last frame, and the MAC that the next frame continues. */
export type Position = { readonly sequence: number; readonly mac: Uint8Array }

export const formatVersion = 1
export const headerBytes = 112
export const frameOverheadBytes = 44
export const payloadBytesMax = 1_048_576

const magic = Buffer.from('claviger-journal', 'latin1')
const kinds = ['', 'segment', 'snapshot', 'unsynced'] as const
const macBytes = 32
const prefixBytes = 12
const coveredHeaderBytes = headerBytes - macBytes
/** A search reads far fewer bytes, unless somebody chose a payload that makes the search long. */
const searchedBytesMax = 268_435_456

export const positionOfNothing: Position = { sequence: 0, mac: new Uint8Array(macBytes) }

export function encodeHeader(key: KeyObject, { kind, number, previousSegment, last }: FileHeader): Buffer {
  const bytes = Buffer.alloc(headerBytes)
  bytes.set(magic, 0)
  bytes.writeUInt32BE(formatVersion, 16)
  bytes.writeUInt32BE(kinds.indexOf(kind), 20)
  writeNumber(bytes, number, 24)
  writeNumber(bytes, previousSegment, 32)
  writeNumber(bytes, last.sequence, 40)
  bytes.set(last.mac, 48)
  bytes.set(macOf(key, bytes.subarray(0, coveredHeaderBytes)), coveredHeaderBytes)
  return bytes
}

/** Returns undefined if the bytes do not begin with a header that was written with this key. */
export function decodeHeader(key: KeyObject, bytes: Buffer): (FileHeader & { readonly version: number }) | undefined {
  if (bytes.length < headerBytes || !bytes.subarray(0, magic.length).equals(magic)) return undefined
  const mac = bytes.subarray(coveredHeaderBytes, headerBytes)
  if (!timingSafeEqual(macOf(key, bytes.subarray(0, coveredHeaderBytes)), mac)) return undefined
  return {
    version: bytes.readUInt32BE(16),
    kind: kinds[bytes.readUInt32BE(20)] || 'segment',
    number: readNumber(bytes, 24),
    previousSegment: readNumber(bytes, 32),
    last: { sequence: readNumber(bytes, 40), mac: new Uint8Array(bytes.subarray(48, coveredHeaderBytes)) },
  }
}

/** Returns the frame that follows `last` and holds `parts` one after the other, and the position after that frame. */
export function encodeFrame(
  key: KeyObject,
  last: Position,
  parts: readonly Uint8Array[],
): { readonly bytes: Uint8Array; readonly position: Position } {
  let payloadBytes = 0
  for (const part of parts) payloadBytes += part.length
  const sequence = last.sequence + 1
  const chained = Buffer.allocUnsafe(macBytes + frameOverheadBytes + payloadBytes)
  chained.set(last.mac, 0)
  writeNumber(chained, sequence, macBytes)
  chained.writeUInt32BE(payloadBytes, macBytes + 8)
  let offset = macBytes + prefixBytes
  for (const part of parts) {
    chained.set(part, offset)
    offset += part.length
  }
  const mac = macOf(key, chained.subarray(0, offset))
  chained.set(mac, offset)
  return { bytes: chained.subarray(macBytes), position: { sequence, mac } }
}

/** Returns the payload of the frame at `offset`, a view of `bytes`; undefined if no whole frame `sequence` is there. */
export function payloadAt(key: KeyObject, bytes: Buffer, offset: number, sequence: number): Uint8Array | undefined {
  const end = endOfPayload(bytes, offset)
  if (end === undefined || readNumber(bytes, offset) !== sequence) return undefined
  const mac = macOf(key, bytes.subarray(offset - macBytes, end))
  return timingSafeEqual(mac, bytes.subarray(end, end + macBytes))
    ? bytes.subarray(offset + prefixBytes, end)
    : undefined
}

/** Whether the first bytes at `offset` are those of the frame `sequence`, whole or not. */
export function beginsFrame(bytes: Buffer, offset: number, sequence: number): boolean {
  return offset + prefixBytes <= bytes.length && readNumber(bytes, offset) === sequence
}

/** The size of the largest payload of a frame in segments of this size, in bytes. */
export function payloadMaxBytesOf(segmentBytes: number): number {
  return Math.min(payloadBytesMax, segmentBytes - headerBytes - frameBytesOf(0))
}

/** The size of a frame with this payload in a file, in bytes. */
export function frameBytesOf(payloadBytes: number): number {
  return frameOverheadBytes + payloadBytes
}

/** The position after a frame or header that ends at `offset`. */
export function positionAt(bytes: Buffer, offset: number, sequence: number): Position {
  return { sequence, mac: new Uint8Array(bytes.subarray(offset - macBytes, offset)) }
}

export function isZeroFrom(bytes: Buffer, offset: number): boolean {
  return writtenBytesOf(bytes) <= offset
}

/**
 * Whether a whole frame stands anywhere after `offset`. At `offset` stands the frame `sequence`, which is not whole. A
 * frame is written only when the previous frame is on disk. So a frame that another frame follows is damaged, not torn.
 */
export function frameFollows(key: KeyObject, bytes: Buffer, offset: number, sequence: number): boolean {
  if (followsDamagedMac(key, bytes, offset, sequence)) return true
  const end = writtenBytesOf(bytes)
  const sequenceMax = sequence + Math.ceil((end - offset) / frameOverheadBytes)
  let searchedBytes = 0
  for (let candidate = offset + 1; candidate < end; candidate++) {
    const payloadEnd = endOfPayload(bytes, candidate)
    if (payloadEnd === undefined) continue
    const found = readNumber(bytes, candidate)
    if (found <= sequence || found > sequenceMax) continue
    if (payloadAt(key, bytes, candidate, found) !== undefined) return true
    searchedBytes += payloadEnd - candidate
    if (searchedBytes > searchedBytesMax) return true // No torn frame is like this: the start stops and drops nothing.
  }
  return false
}

/** Whether a whole frame follows a frame whose MAC is damaged. `frameFollows` finds frames only after an intact MAC. */
function followsDamagedMac(key: KeyObject, bytes: Buffer, offset: number, sequence: number): boolean {
  const end = endOfPayload(bytes, offset)
  if (end === undefined) return false
  const repaired = Buffer.from(bytes.subarray(offset - macBytes))
  writeNumber(repaired, sequence, macBytes)
  const repairedEnd = end - offset + macBytes
  repaired.set(macOf(key, repaired.subarray(0, repairedEnd)), repairedEnd)
  return payloadAt(key, repaired, repairedEnd + macBytes, sequence + 1) !== undefined
}

/** Returns where the payload of a frame at `offset` would end; undefined if its length is invalid or does not fit. */
function endOfPayload(bytes: Buffer, offset: number): number | undefined {
  if (offset < macBytes || offset + frameOverheadBytes > bytes.length) return undefined
  const payloadBytes = bytes.readUInt32BE(offset + 8)
  const end = offset + prefixBytes + payloadBytes
  return payloadBytes > payloadBytesMax || end + macBytes > bytes.length ? undefined : end
}

/** Returns the number of bytes before the trailing zeroes. The zeroes are the rest of a preallocated file. */
function writtenBytesOf(bytes: Buffer): number {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end -= 1
  return end
}

function macOf(key: KeyObject, covered: Uint8Array): Buffer {
  return createHmac('sha256', key).update(covered).digest()
}

const upperHalf = 2 ** 32

function writeNumber(bytes: Buffer, value: number, offset: number): void {
  bytes.writeUInt32BE(Math.floor(value / upperHalf), offset)
  bytes.writeUInt32BE(value % upperHalf, offset + 4)
}

/** Reads a 64-bit number. A number above 2^53 is inexact, and equals no number that the journal writes. */
function readNumber(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * upperHalf + bytes.readUInt32BE(offset + 4)
}
