import { equalBytes } from '@noble/curves/utils.js'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { type ByteReader, byteReader } from '../byte_reader.ts'
import { invalid } from '../unsigned_transaction.ts'

/** `key` is the type and its key data, `value` the bytes as they are. */
export type PsbtEntry = { readonly key: Uint8Array; readonly value: Uint8Array }
/** In the order of the document. */
export type PsbtMap = readonly PsbtEntry[]

/** Entries of all maps together. Wallets write entries of more than 26 bytes on average, and a body has room for fewer. */
export const psbtEntriesMax = 20_000
const entriesInARow = 500

const magic = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)

/** Returns a reader that stands at the first map of a PSBT (BIP-174, "Specification"). Throws TRANSACTION_INVALID. */
export function psbtReader(bytes: Uint8Array): ByteReader {
  const reader = byteReader(bytes)
  const start = reader.bytes(magic.length, 'the magic bytes')
  if (magic.some((byte, index) => start[index] !== byte)) throw invalid('is no PSBT: it must begin with 70736274ff')
  return reader
}

/**
 * Reads the next map. Refuses a key that occurs twice and a length that is not in its shortest form. `room.entries`: how
 * many entries this map and those after it may have.
 */
export function* readMap(reader: ByteReader, room: { entries: number }): Steps<PsbtMap> {
  const entries: PsbtEntry[] = []
  const keys = new Set<string>()
  for (;;) {
    const keyLength = readCompactSize(reader, 'the length of a key')
    if (keyLength === 0) return entries
    if (room.entries === 0) throw invalid(`has more than ${psbtEntriesMax} entries`)
    if (room.entries % entriesInARow === 0) yield
    room.entries -= 1
    const key = reader.bytes(keyLength, 'a key')
    const text = Buffer.from(key).toString('latin1')
    if (keys.has(text)) throw invalid('has a key twice in one map')
    keys.add(text)
    entries.push({ key, value: reader.bytes(readCompactSize(reader, 'the length of a value'), 'a value') })
  }
}

/** Returns the only entry of a type whose key is the type alone; undefined when there is none. */
export function valueOfType(map: PsbtMap, type: number, name: string): Uint8Array | undefined {
  const found = map.filter(({ key }) => key[0] === type)
  if (found.some(({ key }) => key.length !== 1)) throw invalid(`${name} must have no more key than its type`)
  return found[0]?.value
}

/** Returns the map with this entry, which replaces an entry of the same key or goes to the end. */
export function withEntry(map: PsbtMap, entry: PsbtEntry): PsbtMap {
  const isSame = ({ key }: PsbtEntry) => equalBytes(key, entry.key)
  return map.some(isSame) ? map.map((old) => (isSame(old) ? entry : old)) : [...map, entry]
}

export function serializePsbt(maps: readonly PsbtMap[]): Uint8Array {
  let length = magic.length
  for (const map of maps) {
    for (const { key, value } of map) length += sizedLength(key) + sizedLength(value)
    length += 1
  }
  // Written into one piece of memory: tens of thousands of small ones take ten times as long. It is zero at first, and a
  // zero ends a map.
  const bytes = new Uint8Array(length)
  bytes.set(magic)
  let next = magic.length
  for (const map of maps) {
    for (const { key, value } of map) next = writeSized(bytes, writeSized(bytes, next, key), value)
    next += 1
  }
  return bytes
}

function sizedLength({ length }: Uint8Array): number {
  return length + (length < 0xfd ? 1 : compactSize(length).length)
}

/** Returns the index after what it has written. */
function writeSized(bytes: Uint8Array, start: number, part: Uint8Array): number {
  const { length } = part
  let next = start
  if (length < 0xfd) bytes[next++] = length
  else {
    const size = compactSize(length)
    bytes.set(size, next)
    next += size.length
  }
  bytes.set(part, next)
  return next + length
}

/** Bitcoin's CompactSize: one byte below 0xfd, else 0xfd, 0xfe or 0xff and the number in 2, 4 or 8 (little-endian). */
export function compactSize(size: number): Uint8Array {
  if (size < 0xfd) return Uint8Array.of(size)
  if (size <= 0xffff) return Uint8Array.of(0xfd, size & 0xff, size >> 8)
  return Uint8Array.of(0xfe, size & 0xff, (size >> 8) & 0xff, (size >> 16) & 0xff, size >>> 24)
}

export function readCompactSize(reader: ByteReader, name: string): number {
  const first = reader.byte(name)
  if (first < 0xfd) return first
  // No length that fits a body needs eight bytes.
  if (first === 0xff) throw invalid(`${name} is too large`)
  const size = reader.integer(first === 0xfd ? 2 : 4, name)
  if (size < (first === 0xfd ? 0xfd : 0x1_0000)) throw invalid(`${name} is not in its shortest form`)
  return size
}
