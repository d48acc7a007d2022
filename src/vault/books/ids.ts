/** Ids, tags and keys take as many bytes in entries. */
export const idBytes = 16

export function hexOf(uuid: string): string {
  return uuid.replaceAll('-', '')
}

export function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
