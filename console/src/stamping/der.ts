const scalarBytes = 32

/** The DER form (SEC 1, C.8) of a signature of P-256 that WebCrypto gives as r‖s, 64 bytes. */
export function derOfSignature(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  if (signature.length !== 2 * scalarBytes) throw new RangeError('a signature of P-256 has 64 bytes')
  const parts = [...integer(signature.subarray(0, scalarBytes)), ...integer(signature.subarray(scalarBytes))]
  return Uint8Array.of(0x30, parts.length, ...parts)
}

/** The 64 bytes that WebCrypto takes. Throws a RangeError for bytes that are no signature of P-256. */
export function rawOfDer(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const raw = new Uint8Array(2 * scalarBytes)
  let at = 2
  for (const end of [scalarBytes, 2 * scalarBytes]) {
    const length = der[at + 1] ?? 0
    const digits = der.subarray(at + 2, at + 2 + length)
    const value = digits[0] === 0 ? digits.subarray(1) : digits
    if (der[at] !== 0x02 || digits.length !== length || value.length > scalarBytes) throw notSignature()
    raw.set(value, end - value.length)
    at += 2 + length
  }
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || at !== der.length) throw notSignature()
  return raw
}

function notSignature(): RangeError {
  return new RangeError('this is no signature of P-256')
}

/** An INTEGER has no zero bytes in front, but for one that keeps it positive. */
function integer(bytes: Uint8Array): readonly number[] {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first === -1 ? [0] : [...bytes.subarray(first)]
  const value = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits
  return [0x02, value.length, ...value]
}
