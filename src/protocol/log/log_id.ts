/** The id of a log, which is that of the journal that began it: the last part of its origin. */
export function logIdOf(origin: string): string {
  return origin.slice(origin.lastIndexOf('/') + 1)
}
