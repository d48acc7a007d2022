import { decodeFirst, encode } from 'cborg'

/** Accepts CTAP2's canonical form only: no unknown lengths, no key twice, integers in their shortest form. */
const canonical = {
  strict: true,
  allowIndefinite: false,
  allowUndefined: false,
  allowInfinity: false,
  allowNaN: false,
  allowBigInt: false,
  useMaps: true,
  rejectDuplicateMapKeys: true,
} as const

/**
 * Returns the CBOR item (RFC 8949) at the start of these bytes and its length in bytes. Maps become `Map`, byte strings
 * `Uint8Array`. Undefined for anything but the canonical form of CTAP 2.1, 8, except that the order of a map's keys is
 * not checked. The caller bounds the number of bytes.
 */
export function firstCborItem(bytes: Uint8Array): { readonly value: unknown; readonly length: number } | undefined {
  try {
    const [value, rest] = decodeFirst(bytes, canonical)
    return { value, length: bytes.length - rest.length }
  } catch {
    // Lists too deep for the stack throw as well.
    return undefined
  }
}

/** Returns the map that fills these bytes; undefined for anything else. */
export function cborMap(bytes: Uint8Array): ReadonlyMap<unknown, unknown> | undefined {
  const first = firstCborItem(bytes)
  return first?.value instanceof Map && first.length === bytes.length ? first.value : undefined
}

/** Encodes a map in the canonical form of CTAP 2.1, 8: with its keys in order, and its integers as such. */
export function cborOfMap(map: ReadonlyMap<unknown, unknown>): Uint8Array {
  return encode(map)
}

/** Encodes these bytes as a CBOR byte string. */
export function cborByteString(bytes: Uint8Array): Uint8Array {
  return encode(bytes)
}
