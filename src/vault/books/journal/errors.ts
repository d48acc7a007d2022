/** The journal cannot be read as it is. The message is for the operator: it names the file, the damage and the remedy. */
export class JournalError extends Error {
  override readonly name = 'JournalError'
}

/** Something could not be written now. The entries stay waiting. */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable'
}

/** Another process has opened the journal: this one never writes again. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError'
}

/** The code that the operating system gave, for the operator: ` (ENOSPC)`, or nothing. */
export function codeIn(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${error.code})` : ''
}

/** Whether the operating system refused something. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
