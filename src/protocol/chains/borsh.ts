/**
 * The parts of Borsh (https://borsh.io) that manifests need. The members of a struct follow one another, integers are
 * little-endian, lengths and counts are u32. Each function returns the bytes of one value and throws RangeError for a
 * number that does not fit.
 */

export const u8 = (value: number): Uint8Array => unsigned(value, 1)
export const u16 = (value: number): Uint8Array => unsigned(value, 2)
export const u32 = (value: number): Uint8Array => unsigned(value, 4)
export const bool = (value: boolean): Uint8Array => u8(value ? 1 : 0)

export function struct(...members: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(members)
}

/** Bytes with their length before them. Bytes of a fixed length need no function: Borsh writes them as they are. */
export function bytes(value: Uint8Array): Uint8Array {
  return struct(u32(value.length), value)
}

export function text(value: string): Uint8Array {
  return bytes(Buffer.from(value, 'utf8'))
}

export function list<T>(items: readonly T[], serialize: (item: T) => Uint8Array): Uint8Array {
  return struct(u32(items.length), ...items.map(serialize))
}

export function option<T>(value: T | undefined, serialize: (value: T) => Uint8Array): Uint8Array {
  return value === undefined ? u8(0) : struct(u8(1), serialize(value))
}

function unsigned(value: number, size: 1 | 2 | 4): Uint8Array {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntLE(value, 0, size)
  return bytes
}
