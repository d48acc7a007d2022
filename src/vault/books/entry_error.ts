/** An authentic payload that this program does not write, or an entry that cannot be encoded. */
export class EntryError extends Error {
  override readonly name = 'EntryError'
}
