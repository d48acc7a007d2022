/**
 * Writes a value in the one form of RFC 8785: members in the order of their names, no blanks. Names are ASCII. An
 * undefined member is left out.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
