/** The `code` of an error of the operating system, such as `ENOENT`, or of a library. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** The same for the operator, such as ` (ENOSPC)`, or an empty string. */
export function codeIn(error: unknown): string {
  const code = codeOf(error)
  return code === undefined ? '' : ` (${code})`
}

/** Whether a disk is full, or a user has no more of it. */
export function hasNoRoom(error: unknown): boolean {
  return codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
}
