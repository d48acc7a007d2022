/** The exit codes of all commands, for scripts. */
export const exitCodes = {
  done: 0,
  /** A bug, or a fault of this machine. */
  failed: 1,
  /**
   * Wrong usage or settings, or a wrong file that they name. The message says how to mend it; a restart does not help.
   */
  usage: 2,
  /** No server answered. */
  unreachable: 3,
  /** The server refused the request (4xx). */
  refused: 4,
  /** The server could not answer the request (5xx). */
  serverFailed: 5,
  /** A transparency log does not verify, or shows another history than before. */
  logWrong: 6,
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
