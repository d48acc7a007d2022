/** The ids of a list, each once, in the given order. */
export function distinctIds(ids: readonly string[]): string[] {
  return [...new Set(ids)]
}
