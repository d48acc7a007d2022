const integerTag = 0x02
const sequenceTag = 0x30
const scalarBytes = 32
/** Lengths up to here are one byte; above it DER has another form, and BER's 0x80 means "until a marker". */
const shortLengthMax = 0x7f

/**
 * The 64 bytes r‖s of a DER signature (SEC 1, C.5). Lenient where real clients are: superfluous leading zeros and a
 * high S pass. Undefined for anything that is not one sequence, with nothing behind it, of two integers that are not
 * negative and have at most 32 significant bytes. Whether they are a signature is the verifier's to say.
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
