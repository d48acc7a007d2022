/**
 * The log of the vault and of its client: the part of pino's interface that both use. `fields` never hold a secret;
 * `SecretBytes` throw when they are turned into JSON.
 */
export type Log = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

type LogLevel = keyof Log

/** Writes one JSON object per line: `{"level","time",…fields,"message"}`. A field `error` keeps its stack. */
export function jsonLinesLog(write: (line: string) => void): Log {
  return {
    info: (fields, message) => write(jsonLine('info', fields, message)),
    warn: (fields, message) => write(jsonLine('warn', fields, message)),
    error: (fields, message) => write(jsonLine('error', fields, message)),
  }
}

export function jsonLine(level: LogLevel, fields: object, message: string): string {
  const time = new Date().toISOString()
  return JSON.stringify({ level, time, ...fields, message }, errorsAsObjects) + '\n'
}

/** The other end of `jsonLinesLog`: passes any line on to `log`, which notes the time itself. */
export function forwardLine(line: string, log: Log): void {
  const parsed = parseLine(line)
  if (parsed === undefined) log.warn({ vault: true, line }, 'the vault wrote a line that is not of its log')
  else log[parsed.level]({ vault: true, ...parsed.fields }, parsed.message)
}

type ParsedLine = { readonly level: LogLevel; readonly message: string; readonly fields: object }

function parseLine(line: string): ParsedLine | undefined {
  try {
    const { level, time: _, message, ...fields } = JSON.parse(line)
    const known = level === 'info' || level === 'warn' || level === 'error'
    return known && typeof message === 'string' ? { level, message, fields } : undefined
  } catch {
    return undefined // a line of the runtime itself: a warning, or the trace of a crash
  }
}

function errorsAsObjects(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  return { name: value.name, message: value.message, stack: value.stack, cause: value.cause }
}
