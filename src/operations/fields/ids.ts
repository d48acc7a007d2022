/** The ids of a list in the form in which they are kept, each once, in the order in which they were given. */
export function distinctIds(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))]
}
