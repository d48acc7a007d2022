import pino from 'pino'
import type { LogLevel } from './settings.ts'

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>

/** JSON lines on standard error. Nothing secret is ever given to it: no headers, no bodies, no parameters. */
export function createLog({ level }: { readonly level: LogLevel }): Log {
  return pino({ level, base: null, serializers: { error: causeChain } }, pino.destination({ fd: 2, sync: true }))
}

/** Name, message and stack of an error and of what caused it, and no other property of either. */
function causeChain(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause === undefined ? {} : { cause: causeChain(cause) }) }
}
