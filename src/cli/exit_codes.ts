/** What a script can tell from the exit code of any command. */
export const exitCodes = {
  done: 0,
  /** A bug, or something on this machine that is not as it must be. */
  failed: 1,
  /** Wrong usage, settings or files that they name: the message says how to mend it, starting again does not. */
  usage: 2,
  /** No server answered. */
  unreachable: 3,
  /** The server refused the request (4xx). */
  refused: 4,
  /** The server could not answer it (5xx). */
  serverFailed: 5,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends a command with a message for people and a code for scripts. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode, options: { readonly cause?: unknown } = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}
