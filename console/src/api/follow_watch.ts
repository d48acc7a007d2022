import { utf8 } from '../stamping/encoding.ts'
import type { Session } from '../stamping/key_store.ts'
import { stampByKey } from '../stamping/stamps.ts'
import type { Queries } from './operations.ts'

type Watched = Queries['watch_activities']['result']

/** The first line comes at once, unless a proxy keeps it back. */
const firstLineMsMax = 5_000
/** The server sends an empty line every ten seconds. */
const lineMsMax = 25_000
const lineCharactersMax = 1_000_000

/**
 * `ended`: the server ended it, or the page was hidden. `failed`: the connection broke. `gaveUp`: no line came in time, or
 * the server refused.
 */
export type Outcome = 'ended' | 'failed' | 'gaveUp'

type Following = {
  readonly until: AbortSignal
  /** A line came, with or without content. */
  readonly onAlive: () => void
  readonly onLine: (watched: Watched) => void
}

/** Asks once to be told of changes, and reads the lines until one of both sides ends it. */
export async function followWatch(session: Session, { until, onAlive, onLine }: Following): Promise<Outcome> {
  const late = new AbortController()
  const hidden = new AbortController()
  const onVisibility = () => document.hidden && hidden.abort()
  document.addEventListener('visibilitychange', onVisibility)
  let alarm = setTimeout(() => late.abort(), firstLineMsMax)
  try {
    const lines = await linesOf(session, AbortSignal.any([until, late.signal, hidden.signal]))
    if (lines === undefined) return 'gaveUp'
    for await (const line of lines) {
      clearTimeout(alarm)
      alarm = setTimeout(() => late.abort(), lineMsMax)
      onAlive()
      if (line !== '') onLine(JSON.parse(line))
    }
    return 'ended'
  } catch {
    if (hidden.signal.aborted) return 'ended'
    return late.signal.aborted ? 'gaveUp' : 'failed'
  } finally {
    clearTimeout(alarm)
    document.removeEventListener('visibilitychange', onVisibility)
  }
}

/** Undefined if the server refuses, or answers only once. */
async function linesOf(session: Session, signal: AbortSignal): Promise<AsyncGenerator<string> | undefined> {
  const body = utf8(JSON.stringify({ organizationId: session.organizationId }))
  const stamp = await stampByKey(session, body)
  const type = 'application/x-ndjson'
  const headers = { accept: type, 'content-type': 'application/json', [stamp.name]: stamp.value }
  const asked = { method: 'POST', headers, body, credentials: 'omit', redirect: 'error', signal } as const
  const response = await fetch('/public/v1/query/watch_activities', asked)
  if (response.ok && response.body !== null && response.headers.get('content-type') === type) {
    return readLines(response.body)
  }
  await response.body?.cancel()
  return undefined
}

async function* readLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > lineCharactersMax) throw new Error('a line has no end')
    yield* lines
  }
}
