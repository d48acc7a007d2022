import type { Frontier } from '../../../protocol/log/tree/tree.ts'
import { EntryError } from '../entry_error.ts'
import { idBytes } from '../ids.ts'
import { bitmapBytes } from './unrecorded.ts'

/**
 * The entries of the journal by which it keeps its transparency log. Numbers are big-endian; sizes, indexes, numbers and
 * versions take six bytes, hashes 32.
 *
 *   logged    7 | - | length, 2 bytes | index | entry of the log
 *   frontier  8 | count of hashes | size | hashes: the tree so far; the journal keeps the entries from there on
 *   place     9 | - | organization | number and index plus one of its last entry | maker, version and tag of the last of
 *             its heads that has an entry: the next entry of the organization follows this one
 *   origin   10 | length | origin of the log, ASCII
 *   signed   11 | - | length, 2 bytes | size | checkpoint: the newest that was signed
 *   recorded 12 | count | indexes of entries whose commits are on disk. An entry that makes a head, or is late, needs none
 *   waiting  13 | - | number of a bundle | 32 bytes, the lowest bit first: a bit is set for each entry that is not recorded
 *   settings 14 | - | length, 2 bytes | index | settings, UTF-8: those of which the entry at the index tells
 */
export const logKinds = {
  logged: 7,
  frontier: 8,
  place: 9,
  origin: 10,
  signed: 11,
  recorded: 12,
  waiting: 13,
  settings: 14,
} as const

const numberBytes = 6
const hashBytes = 32
const sizedFixedBytes = 4 + numberBytes
const frontierFixedBytes = 2 + numberBytes
/** The offset of the organization's id in the entry of its place. */
export const placeIdOffset = 2
const waitingBytes = 2 + numberBytes + bitmapBytes
/** More indexes take more entries. */
const recordedMax = 255
const placeBytes = placeIdOffset + 3 * idBytes + 3 * numberBytes

/** The place of the last entry of an organization in the log. */
export type Place = {
  readonly number: number
  readonly index: number
  /** The journal that made the last head with an entry, its version and tag; zeroes if there is none. */
  readonly maker: string
  readonly version: number
  readonly tag: string
}

export type Logged = { readonly index: number; readonly entry: Buffer }

/** A signed checkpoint, as it is shown, and the size of the tree that it covers. */
export type SignedCheckpoint = { readonly size: number; readonly note: Uint8Array }

/** Settings of the vault, and the index of the entry that tells of them. */
export type KeptSettings = { readonly index: number; readonly text: string }

/** Returns undefined for an entry of another kind. NaN: it ends before its length is told. */
export function logEntryLength(bytes: Buffer, at: number): number | undefined {
  switch (bytes[at]) {
    case logKinds.logged:
    case logKinds.signed:
    case logKinds.settings:
      return at + 4 > bytes.length ? Number.NaN : sizedFixedBytes + bytes.readUInt16BE(at + 2)
    case logKinds.frontier:
      return frontierFixedBytes + (bytes[at + 1] ?? 0) * hashBytes
    case logKinds.place:
      return placeBytes
    case logKinds.origin:
      return 2 + (bytes[at + 1] ?? 0)
    case logKinds.recorded:
      return 2 + (bytes[at + 1] ?? 0) * numberBytes
    case logKinds.waiting:
      return waitingBytes
    default:
      return undefined
  }
}

export function encodeLogged({ index, entry }: Logged): Buffer {
  return encodeSized(logKinds.logged, index, entry)
}

export function decodeLogged(entry: Buffer): Logged {
  return { index: entry.readUIntBE(4, numberBytes), entry: entry.subarray(sizedFixedBytes) }
}

export function encodeSigned({ size, note }: SignedCheckpoint): Buffer {
  return encodeSized(logKinds.signed, size, note)
}

export function decodeSigned(entry: Buffer): SignedCheckpoint {
  return { size: entry.readUIntBE(4, numberBytes), note: Uint8Array.from(entry.subarray(sizedFixedBytes)) }
}

export function encodeSettings({ index, text }: KeptSettings): Buffer {
  return encodeSized(logKinds.settings, index, Buffer.from(text))
}

export function decodeSettings(entry: Buffer): KeptSettings {
  return { index: entry.readUIntBE(4, numberBytes), text: entry.toString('utf8', sizedFixedBytes) }
}

function encodeSized(kind: number, number: number, bytes: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(sizedFixedBytes + bytes.length)
  out[0] = kind
  out[1] = 0
  out.writeUInt16BE(bytes.length, 2)
  out.set(bytes, out.writeUIntBE(number, 4, numberBytes))
  return out
}

export function encodeFrontier({ size, hashes }: Frontier): Buffer {
  const out = Buffer.allocUnsafe(frontierFixedBytes)
  out[0] = logKinds.frontier
  out[1] = hashes.length
  out.writeUIntBE(size, 2, numberBytes)
  return Buffer.concat([out, ...hashes])
}

export function decodeFrontier(entry: Buffer): Frontier {
  const hashes = Array.from({ length: entry[1] ?? 0 }, (_, index) => {
    const at = frontierFixedBytes + index * hashBytes
    return Uint8Array.from(entry.subarray(at, at + hashBytes))
  })
  return { size: entry.readUIntBE(2, numberBytes), hashes }
}

export function encodePlace(organizationHex: string, { number, index, maker, version, tag }: Place): Buffer {
  const out = Buffer.allocUnsafe(placeBytes)
  out[0] = logKinds.place
  out[1] = 0
  let at = placeIdOffset + out.write(organizationHex, placeIdOffset, idBytes, 'hex')
  at = out.writeUIntBE(number, at, numberBytes)
  at = out.writeUIntBE(index + 1, at, numberBytes)
  at += out.write(maker, at, idBytes, 'hex')
  at = out.writeUIntBE(version, at, numberBytes)
  if (at + out.write(tag, at, idBytes, 'hex') !== placeBytes) throw new EntryError('an id is not 16 bytes in hex')
  return out
}

export function decodePlace(entry: Buffer): Place {
  const numberAt = placeIdOffset + idBytes
  const makerAt = numberAt + 2 * numberBytes
  const tagAt = makerAt + idBytes + numberBytes
  return {
    number: entry.readUIntBE(numberAt, numberBytes),
    index: entry.readUIntBE(numberAt + numberBytes, numberBytes) - 1,
    maker: entry.toString('hex', makerAt, makerAt + idBytes),
    version: entry.readUIntBE(makerAt + idBytes, numberBytes),
    tag: entry.toString('hex', tagAt, tagAt + idBytes),
  }
}

export function encodeOrigin(origin: string): Buffer {
  const text = Buffer.from(origin, 'ascii')
  if (text.length > 255) throw new EntryError('the origin of a log has 255 characters at most')
  return Buffer.concat([Buffer.of(logKinds.origin, text.length), text])
}

export function decodeOrigin(entry: Buffer): string {
  return entry.toString('ascii', 2)
}

export function encodeRecorded(indexes: readonly number[]): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < indexes.length; at += recordedMax) {
    const some = indexes.slice(at, at + recordedMax)
    const part = Buffer.alloc(2 + some.length * numberBytes)
    part[0] = logKinds.recorded
    part[1] = some.length
    some.reduce((next, index) => part.writeUIntBE(index, next, numberBytes), 2)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

export function decodeRecorded(entry: Buffer): readonly number[] {
  return Array.from({ length: entry[1] ?? 0 }, (_, at) => entry.readUIntBE(2 + at * numberBytes, numberBytes))
}

/** The entries of one bundle that are not recorded. */
export type Waiting = { readonly number: number; readonly bitmap: Buffer }

export function encodeWaiting({ number, bitmap }: Waiting): Buffer {
  const out = Buffer.alloc(waitingBytes)
  out[0] = logKinds.waiting
  out.set(bitmap, out.writeUIntBE(number, 2, numberBytes))
  return out
}

export function decodeWaiting(entry: Buffer): Waiting {
  return { number: entry.readUIntBE(2, numberBytes), bitmap: Buffer.from(entry.subarray(2 + numberBytes)) }
}
