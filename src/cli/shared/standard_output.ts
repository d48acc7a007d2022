import { LineOutput, standardError, unwritable } from '../../link/line_output.ts'
import { codeOf } from '../../protocol/tools/error_codes.ts'
import { printable } from '../../protocol/tools/printable.ts'
import { CommandError, exitCodes } from './exit_codes.ts'

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

/** Prints the result of a command. It may have texts of users, of a database, or of a service that was taken over. */
export function printResult(text: string): void {
  console.log(printable(text))
}

/** Prints beside the result what a person has to know. */
export function printRemark(text: string): void {
  console.error(printable(text))
}

/**
 * Ends a command whose result cannot be written. `console.log` waits for the reader of a result, and ignores errors. A
 * reader that is gone wants no more of the result.
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
