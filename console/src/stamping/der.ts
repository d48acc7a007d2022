const scalarBytes = 32

/** The DER form (SEC 1, C.8) of a signature of P-256 that WebCrypto gives as r‖s, 64 bytes. */
export function derOfSignature(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  if (signature.length !== 2 * scalarBytes) throw new RangeError('a signature of P-256 has 64 bytes')
  const parts = [...integer(signature.subarray(0, scalarBytes)), ...integer(signature.subarray(scalarBytes))]
  return Uint8Array.of(0x30, parts.length, ...parts)
}

/** An INTEGER has no zero bytes in front, but for one that keeps it positive. */
function integer(bytes: Uint8Array): readonly number[] {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first === -1 ? [0] : [...bytes.subarray(first)]
  const value = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits
  return [0x02, value.length, ...value]
}
