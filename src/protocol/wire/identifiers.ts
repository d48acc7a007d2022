const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Any 8-4-4-4-12 hex, in either case, the nil UUID included. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}
