/** Ids, tags and keys take as many bytes in entries. */
export const idBytes = 16
