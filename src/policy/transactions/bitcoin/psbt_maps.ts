import { type ByteReader, byteReader } from '../byte_reader.ts'
import { invalid } from '../unsigned_transaction.ts'

/** `key` is the type and its key data, `value` the bytes as they are. */
export type PsbtEntry = { readonly key: Uint8Array; readonly value: Uint8Array }
/** In the order of the document. */
export type PsbtMap = readonly PsbtEntry[]

const magic = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)

/** Returns a reader that stands at the first map of a PSBT (BIP-174, "Specification"). Throws TRANSACTION_INVALID. */
export function psbtReader(bytes: Uint8Array): ByteReader {
  const reader = byteReader(bytes)
  const start = reader.bytes(magic.length, 'the magic bytes')
  if (magic.some((byte, index) => start[index] !== byte)) throw invalid('is no PSBT: it must begin with 70736274ff')
  return reader
}

/** Reads the next map. Refuses a key that occurs twice and a length that is not in its shortest form. */
export function readMap(reader: ByteReader): PsbtMap {
  const entries: PsbtEntry[] = []
  const keys = new Set<string>()
  for (;;) {
    const keyLength = readCompactSize(reader, 'the length of a key')
    if (keyLength === 0) return entries
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
  const isSame = ({ key }: PsbtEntry) => Buffer.from(key).equals(entry.key)
  return map.some(isSame) ? map.map((old) => (isSame(old) ? entry : old)) : [...map, entry]
}

export function serializePsbt(maps: readonly PsbtMap[]): Uint8Array {
  const parts = maps.flatMap((map) => [
    ...map.flatMap(({ key, value }) => [compactSize(key.length), key, compactSize(value.length), value]),
    Uint8Array.of(0),
  ])
  // Not `concatBytes`, whose arguments could overflow the stack: a body can hold too many entries.
  return new Uint8Array(Buffer.concat([magic, ...parts]))
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
