/** The ids of a list in lower case, as records have them: each once, in the given order. */
export function distinctIds(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))]
}
