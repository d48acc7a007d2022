import { type DestinationStream, pino } from 'pino'
import { standardError } from '../../link/line_output.ts'
import type { Log as VaultLog } from '../../link/vault_log.ts'

/** The service's log: `fields` never hold a secret, a request's headers or its body. */
export type Log = VaultLog & { debug(fields: object, message: string): void }

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * One JSON object per line on stderr: `{"level","time",…fields,"message"}`. A field `error` keeps its chain of causes.
 * `LineOutput` says when lines are lost.
 */
export function createLog({ level }: { readonly level: LogLevel }): Log {
  return createLogTo(standardError, { level })
}

/** The same on any stream, for tests and for embedding. */
export function createLogTo(stream: DestinationStream, { level }: { readonly level: LogLevel }): Log {
  return pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: errorForLog },
    },
    stream,
  )
}

const causesMax = 8

type LoggedError = {
  readonly name: string
  readonly message: string
  readonly stack?: string
  readonly cause?: LoggedError
}

/**
 * Returns what the log shows of a thrown value: name, message, stack and at most `causesMax` causes. Every other
 * property is left out, because libraries attach requests, headers and rows to their errors.
 */
export function errorForLog(error: unknown): LoggedError {
  return describe(error, causesMax)
}

function describe(error: unknown, causesLeft: number): LoggedError {
  if (typeof error === 'string') return { name: 'Error', message: error }
  if (typeof error !== 'object' || error === null) return { name: 'Error', message: notAnError }
  const name = textMember(error, 'name') ?? 'Error'
  const message = textMember(error, 'message') || messagesIn(error) || notAnError
  const stack = textMember(error, 'stack')
  const cause = 'cause' in error && error.cause !== undefined && causesLeft > 0 ? error.cause : undefined
  return {
    name,
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined ? {} : { cause: describe(cause, causesLeft - 1) }),
  }
}

const notAnError = 'something was thrown that is no error'
const messagesMax = 8

/** The messages of an `AggregateError`, such as of a connection to several addresses. It has none of its own. */
function messagesIn(error: object): string {
  const errors: unknown = Reflect.get(error, 'errors')
  if (!Array.isArray(errors)) return ''
  return errors
    .slice(0, messagesMax)
    .map((inner) => describe(inner, 0).message)
    .join('; ')
}

function textMember(value: object, name: 'name' | 'message' | 'stack'): string | undefined {
  const member: unknown = Reflect.get(value, name)
  return typeof member === 'string' ? member : undefined
}
