/**
 * The bytes of base64url (RFC 4648, 5). Padding and the standard alphabet pass, and the bits that the last digit has too
 * many are dropped, as clients do. Undefined for no digits and for anything that is none: Node's decoder would skip it.
 */
export function bytesFromBase64url(text: string): Uint8Array | undefined {
  const [, digits] = /^([A-Za-z0-9+/_-]+)={0,2}$/.exec(text) ?? []
  // Four digits are three bytes: one digit left over is none, and Node would drop it silently.
  if (digits === undefined || digits.length % 4 === 1) return undefined
  return Buffer.from(digits, 'base64')
}

/** Base64url without padding. */
export function base64urlOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}
