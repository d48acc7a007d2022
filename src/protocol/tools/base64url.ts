/**
 * Returns the bytes of base64url (RFC 4648, 5). Padding and the standard alphabet pass. Surplus bits of the last digit
 * are dropped, as clients do. Undefined for an empty text and for other characters, which Node's decoder would skip.
 */
export function bytesFromBase64url(text: string): Uint8Array | undefined {
  const [, digits] = /^([A-Za-z0-9+/_-]+)={0,2}$/.exec(text) ?? []
  // Four digits are three bytes. A single digit left over encodes no byte, and Node would drop it silently.
  if (digits === undefined || digits.length % 4 === 1) return undefined
  return Buffer.from(digits, 'base64')
}

/** Base64url without padding. */
export function base64urlOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}
