import { LineOutput, standardError, unwritable } from '../link/line_output.ts'
import { codeOf } from '../protocol/tools/error_codes.ts'
import { CommandError, exitCodes } from './exit_codes.ts'
import { printable } from './printable.ts'

const place = { name: 'standard output', descriptor: 1, stream: () => process.stdout } as const

/** The server writes its own lines here. It does not wait for a reader. */
const standardOutput = new LineOutput(place)

/** Prints lines of a server. */
export function announce(text: string): void {
  standardOutput.write(`${text}\n`)
}

/**
 * Refuses a start whose lines or whose log cannot be written, as on a full disk. A server that runs goes on without
 * them.
 */
export function refuseLostOutput(): void {
  const fault = standardOutput.fault() ?? standardError.fault()
  if (fault !== undefined) throw new CommandError(fault, exitCodes.usage)
}

/**
 * Ends a command whose result cannot be written. The result of a command is printed by `console.log`, which waits for
 * its reader, and ignores errors. A reader that is gone wants no more of the result.
 */
export function refuseLostResult(): void {
  process.stdout.on('error', (error) => {
    if (codeOf(error) === 'EPIPE') return
    printLast(unwritable(place, error), { json: false })
    process.exit(exitCodes.usage)
  })
}

/** Prints the message with which a command ends. One output stands in for the other if that cannot be written. */
export function printLast(message: string, { json }: { readonly json: boolean }): void {
  const line = printable(json ? `${JSON.stringify({ error: { message } })}\n` : `claviger: ${message}\n`)
  const [output, other] = json ? [standardOutput, standardError] : [standardError, standardOutput]
  output.write(line)
  if (output.fault() !== undefined) other.write(line)
}
