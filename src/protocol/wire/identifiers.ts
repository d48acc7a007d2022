const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Any 8-4-4-4-12 hex, in either case, the nil UUID included. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/** The 32 hex digits of a UUID. */
export function hexOf(uuid: string): string {
  return uuid.replaceAll('-', '')
}

/** The UUID of 32 hex digits. */
export function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
