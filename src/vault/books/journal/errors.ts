import { codeIn } from '../../../protocol/tools/error_codes.ts'

/** The journal cannot be read. The message is for the operator: it names the file, the damage and the remedy. */
export class JournalError extends Error {
  override readonly name = 'JournalError'
}

/** The journal could not be written. The entries stay waiting. */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable'
}

/** A full disk may have room again at the next start. */
export function noRoomIn(directory: string, cause: unknown): JournalUnavailable {
  const reason = `the disk of the journal folder ${directory} is full${codeIn(cause)}`
  return new JournalUnavailable(`${reason}: make room on it`, { cause })
}

/** Another process has opened the journal. This process never writes to it again. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError'
}

/** Whether a system call failed. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
