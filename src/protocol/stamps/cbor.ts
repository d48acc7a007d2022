import { decodeFirst, encode } from 'cborg'

/** What is in CTAP2's canonical form and no more: nothing of unknown length, no key twice, integers in their shortest form. */
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
 * The first item of CBOR (RFC 8949) at the start of these bytes and the number of bytes that it takes. Maps are `Map`,
 * byte strings `Uint8Array`. Undefined for anything that is not in the form that CTAP 2.1, 8 calls canonical; the order
 * of a map's keys is not looked at. The caller bounds the number of bytes.
 */
export function firstCborItem(bytes: Uint8Array): { readonly value: unknown; readonly length: number } | undefined {
  try {
    const [value, rest] = decodeFirst(bytes, canonical)
    return { value, length: bytes.length - rest.length }
  } catch {
    // Lists too deep for the stack end here as well.
    return undefined
  }
}

/** The map that these bytes are, with nothing behind it. */
export function cborMap(bytes: Uint8Array): ReadonlyMap<unknown, unknown> | undefined {
  const first = firstCborItem(bytes)
  return first?.value instanceof Map && first.length === bytes.length ? first.value : undefined
}

/** These bytes as a byte string of CBOR. */
export function cborByteString(bytes: Uint8Array): Uint8Array {
  return encode(bytes)
}
