import { strict as assert } from 'node:assert'

const integerTag = 0x02
const sequenceTag = 0x30
const scalarBytes = 32
/** The greatest length in one byte. DER writes longer ones differently, and BER's 0x80 means "until a marker". */
const shortLengthMax = 0x7f

/**
 * Returns the 64 bytes r‖s of a DER signature (SEC 1, C.5). Superfluous leading zeros and a high S pass, because real
 * clients send them. Undefined unless the bytes are exactly one sequence of two integers, neither negative, with at
 * most 32 significant bytes each. The verifier checks the values of r and s.
 */
export function ecdsaSignatureFromDer(der: Uint8Array): Uint8Array | undefined {
  const length = der.length - 2
  if (der[0] !== sequenceTag || der[1] !== length || length > shortLengthMax) return undefined
  const r = integerAt(der, 2)
  if (r === undefined) return undefined
  const s = integerAt(der, r.end)
  if (s === undefined || s.end !== der.length) return undefined
  const signature = new Uint8Array(2 * scalarBytes)
  signature.set(r.bytes, scalarBytes - r.bytes.length)
  signature.set(s.bytes, 2 * scalarBytes - s.bytes.length)
  return signature
}

/** The DER of a signature's 64 bytes r‖s (SEC 1, C.5): at most 72 bytes, so each length is one byte. */
export function derOfEcdsaSignature(signature: Uint8Array): Uint8Array {
  assert(signature.length === 2 * scalarBytes, 'a signature is r and s, 32 bytes each')
  const integers = [...integerOf(signature.subarray(0, scalarBytes)), ...integerOf(signature.subarray(scalarBytes))]
  return Uint8Array.of(sequenceTag, integers.length, ...integers)
}

/** The shortest form. A zero goes before a first byte of 0x80 or more, which would make the integer negative. */
function integerOf(bytes: Uint8Array): readonly number[] {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = [...bytes.subarray(first === -1 ? scalarBytes - 1 : first)]
  if ((digits[0] ?? 0) >= 0x80) digits.unshift(0)
  return [integerTag, digits.length, ...digits]
}

function integerAt(der: Uint8Array, start: number): { readonly bytes: Uint8Array; readonly end: number } | undefined {
  const length = der[start + 1]
  if (der[start] !== integerTag || length === undefined || length === 0) return undefined
  const end = start + 2 + length
  if (end > der.length) return undefined
  let first = start + 2
  if ((der[first] ?? 0) >= 0x80) return undefined
  while (first < end && der[first] === 0) first += 1
  const bytes = der.subarray(first, end)
  return bytes.length > scalarBytes ? undefined : { bytes, end }
}
