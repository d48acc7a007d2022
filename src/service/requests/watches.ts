import { findOperation } from '../../operations/catalogue.ts'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { jsonBytes } from '../../protocol/wire/json.ts'
import type { Log } from '../process/log.ts'
import type { ChangeMark } from '../store/change_marks.ts'
import type { Store } from '../store/store.ts'
import { findWatchPlace, type Watcher } from '../turns/watch_places.ts'
import type { Answer, Request } from './request.ts'

/** A watch keeps its body, which names an organization and nothing else. */
export const watchBodyBytesMax = 1_024
const retryAfterSeconds = 30

/** How often the database is asked what has changed. */
const lookMsDefault = 1_000
/** An empty line after so long without another tells the client that the connection lives. */
const heartbeatMsDefault = 10_000
/** After so long a client stamps its query anew. */
const lifetimeMsDefault = 300_000
/** An organization may sign many times a second, which changes no head: its watches are told so often at most. */
const signaturesMs = 5_000

/** Takes the lines of a watch. */
export type Sink = {
  /** Whether the client is behind with reading. */
  isFull(): boolean
  write(bytes: Uint8Array): void
  end(): void
}

export type Watch = {
  readonly organizationId: string
  /** Writes the first line, and later ones as they come. */
  start(sink: Sink): void
  /** The client is gone. */
  stop(): void
}

export type Watches = {
  /** Whether the query at this path can be watched. */
  isWatched(path: string): boolean
  /**
   * Answers a query, and keeps it to answer it again whenever its organization changes. Returns the answer alone if the
   * vault refuses it or there is no place.
   */
  open(request: Request): Promise<Watch | Answer>
  /** Ends every watch. */
  close(): Promise<void>
}

type Running = {
  readonly watcher: Watcher
  readonly request: Request
  readonly sink: Sink
  readonly endsMs: number
  mark: ChangeMark
  toldMs: number
  writtenMs: number
  isAsking: boolean
}

type WatchesParts = {
  readonly submit: (request: Request) => Promise<Answer>
  readonly store: Pick<Store, 'changeMarks'>
  readonly log: Log
  readonly lookMs?: number
  readonly heartbeatMs?: number
  readonly lifetimeMs?: number
}

const lineEnd = Buffer.from('\n')

/**
 * Keeps the answers of queries up to date. Each line is the vault's answer to the bytes that the client has stamped, so
 * the service shows nothing of its own, and a credential that was revoked is shown nothing more. One look at the database
 * is for all watches, and sees the changes of every node.
 */
export function createWatches(parts: WatchesParts): Watches {
  const { submit, store, log } = parts
  const { lookMs = lookMsDefault, heartbeatMs = heartbeatMsDefault, lifetimeMs = lifetimeMsDefault } = parts
  /** Who has a place, and the watch once its first line is there. One that gives way may lose its place before. */
  const watches = new Map<Watcher, Running | undefined>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> = Promise.resolve()
  let isFailing = false
  let isClosed = false

  function takePlace(watcher: Watcher): boolean {
    const place = isClosed ? undefined : findWatchPlace(watcher, watches.keys())
    if (place === undefined) return false
    if (place.givesWay !== undefined) end(place.givesWay)
    watches.set(watcher, undefined)
    return true
  }

  async function open(request: Request): Promise<Watch | Answer> {
    if (request.body.length > watchBodyBytesMax) {
      throw new Failure('BODY_INVALID', `the body of a watched query has at most ${watchBodyBytesMax} bytes`)
    }
    const verified = await submit(request)
    const { status, organizationId, userId } = verified
    if (status !== 200 || organizationId === undefined || userId === undefined) return verified
    // The mark is read before the answer: a change in between is told twice, and never missed.
    const [mark] = await store.changeMarks([organizationId])
    if (mark === undefined) return noPlace()
    const watcher: Watcher = { organizationId, familyId: mark.parentId ?? organizationId, userId }
    if (!takePlace(watcher)) return noPlace()
    const first = await submit(request).catch((error: unknown) => {
      end(watcher)
      throw error
    })
    if (first.status === 200) return watchOf(request, watcher, { mark, first })
    end(watcher)
    return first
  }

  function watchOf(
    request: Request,
    watcher: Watcher,
    { mark, first }: { readonly mark: ChangeMark; readonly first: Answer },
  ): Watch {
    return {
      organizationId: watcher.organizationId,
      start(sink) {
        const nowMs = performance.now()
        const times = { endsMs: nowMs + lifetimeMs, toldMs: nowMs, writtenMs: nowMs }
        const watch = { watcher, request, sink, mark, ...times, isAsking: false }
        writeLine(watch, first.body)
        if (!watches.has(watcher)) return sink.end()
        watches.set(watcher, watch)
        timer ??= setTimeout(lookNow, lookMs)
      },
      stop: () => void watches.delete(watcher),
    }
  }

  function running(): Running[] {
    return [...watches.values()].filter((watch) => watch !== undefined)
  }

  function lookNow(): void {
    looking = look().then(() => {
      timer = isClosed || watches.size === 0 ? undefined : setTimeout(lookNow, lookMs)
    })
  }

  async function look(): Promise<void> {
    const told = running()
    const marks = await readMarks(told)
    const nowMs = performance.now()
    for (const watch of told) {
      const mark = marks === undefined ? watch.mark : marks.get(watch.watcher.organizationId)
      if (mark === undefined || nowMs >= watch.endsMs) end(watch.watcher)
      else if (!watch.isAsking && !watch.sink.isFull()) tell(watch, mark, nowMs)
    }
  }

  /** Undefined while the database cannot be read. */
  async function readMarks(told: readonly Running[]): Promise<ReadonlyMap<string, ChangeMark> | undefined> {
    const organizationIds = new Set(told.map(({ watcher }) => watcher.organizationId))
    try {
      const marks = await store.changeMarks([...organizationIds])
      isFailing = false
      return new Map(marks.map((mark) => [mark.organizationId, mark]))
    } catch (error) {
      if (!isFailing) log.error({ error }, 'the database cannot be asked what has changed')
      isFailing = true
      return undefined
    }
  }

  function tell(watch: Running, mark: ChangeMark, nowMs: number): void {
    const isChanged = mark.version !== watch.mark.version
    const hasSigned = mark.sequence !== watch.mark.sequence && nowMs - watch.toldMs >= signaturesMs
    if (isChanged || hasSigned) void askAgain(watch, mark)
    else if (nowMs - watch.writtenMs >= heartbeatMs) writeLine(watch, new Uint8Array())
  }

  /** While the vault is not there, the next look asks. Any other refusal ends the watch, and the client hears of it. */
  async function askAgain(watch: Running, mark: ChangeMark): Promise<void> {
    watch.isAsking = true
    try {
      const { status, body } = await submit(watch.request)
      if (!watches.has(watch.watcher) || status === 503) return
      if (status !== 200) return end(watch.watcher)
      watch.mark = mark
      watch.toldMs = performance.now()
      writeLine(watch, body)
    } catch (error) {
      log.error({ error, organizationId: watch.watcher.organizationId }, 'a watched query failed')
      end(watch.watcher)
    } finally {
      watch.isAsking = false
    }
  }

  function end(watcher: Watcher): void {
    const watch = watches.get(watcher)
    watches.delete(watcher)
    watch?.sink.end()
  }

  return {
    isWatched(path) {
      const operation = findOperation(path)
      return operation?.kind === 'query' && operation.isWatched
    },
    open,
    async close() {
      isClosed = true
      clearTimeout(timer)
      for (const watcher of watches.keys()) end(watcher)
      await looking
    },
  }
}

function writeLine(watch: Running, body: Uint8Array): void {
  watch.sink.write(Buffer.concat([body, lineEnd]))
  watch.writtenMs = performance.now()
}

function noPlace(): Answer {
  const failure = new Failure('UNAVAILABLE', 'too many queries are watched; ask again now and then instead')
  return { status: failure.httpStatus, body: jsonBytes(errorAnswer(failure)), retryAfterSeconds }
}
