import type { Query, QueryClient } from '@tanstack/react-query'
import type { Session } from '../stamping/key_store.ts'
import type { Client } from './client.ts'
import { followWatch, type Outcome } from './follow_watch.ts'
import type { Queries } from './operations.ts'
import { createValue } from './value.ts'

export type Watched = Queries['watch_activities']['result']

/** How often a page asks for what may have changed while it is looked at. */
export const pollMs = 10_000
/** The same while the server tells it of changes. */
const livePollMs = 60_000
/** Changes that arrive together are asked for once. A page of a busy organization does not ask all the time. */
const gatherMs = 150
const refreshMsMin = 3_000
/** Between two watches. `gaveUp`: a proxy keeps the lines back, or the server has no place. */
const pausesMs: { readonly [O in Outcome]: { readonly first: number; readonly most: number } } = {
  ended: { first: 500, most: 500 },
  failed: { first: 1_000, most: 30_000 },
  gaveUp: { first: 60_000, most: 600_000 },
}

export type Live = ReturnType<typeof createLive>

/** Has the page told of changes. */
export function createLive(client: Client, queryClient: QueryClient) {
  const everyMs = createValue(pollMs)
  /** The version that was last heard of. It outlives a watch: what changes before the next one begins is new too. */
  let known: { readonly organizationId: string; readonly organizationVersion: number } | undefined

  function versionOf({ organizationId }: Session): number | undefined {
    return known?.organizationId === organizationId ? known.organizationVersion : undefined
  }

  function hear({ organizationId }: Session, { organizationVersion }: Watched): void {
    known = { organizationId, organizationVersion }
  }

  async function watchUntil(over: AbortSignal, session: Session): Promise<void> {
    const refresh = createRefresh(session, queryClient)
    let failures = 0
    let isFirst = true
    while (!over.aborted) {
      await untilVisible(over)
      const outcome = await followWatch(session, {
        until: over,
        onAlive() {
          everyMs.set(livePollMs)
          failures = 0
        },
        onLine(watched) {
          const heard = versionOf(session)
          const hasChanged = heard !== undefined && heard !== watched.organizationVersion
          // A line without a new version tells of an activity that changed nothing else, such as a signature.
          if (hasChanged) refresh.all()
          else if (!isFirst) refresh.activities()
          hear(session, watched)
          isFirst = false
        },
      })
      if (over.aborted) break
      if (outcome !== 'ended') everyMs.set(pollMs)
      // A server that refuses may not know the session any more. The page then learns it by asking.
      if (outcome === 'gaveUp') refresh.all()
      await pause(over, pauseMsOf(outcome, failures))
      failures += 1
    }
    refresh.stop()
    everyMs.set(pollMs)
  }

  return {
    /** How often a page asks for activities. */
    everyMs,

    /** Watches as long as somebody looks at the page, until the returned function is called. */
    watch(session: Session): () => void {
      const over = new AbortController()
      void watchUntil(over.signal, session)
      return () => over.abort()
    },

    /** Asks once what waits. */
    async askWaiting(session: Session): Promise<Watched> {
      const watched = await client.ask(session, 'watch_activities', {})
      const heard = versionOf(session)
      // A line of the watch has overtaken the answer, and was taken for the first that the page heard.
      if (heard !== undefined && heard > watched.organizationVersion) return client.ask(session, 'watch_activities', {})
      if (heard === undefined) hear(session, watched)
      return watched
    },
  }
}

/** Many pages whose server is started again do not come back at the same moment. */
function pauseMsOf(outcome: Outcome, failures: number): number {
  const { first, most } = pausesMs[outcome]
  return Math.min(most, first * 2 ** failures) * (0.5 + Math.random() / 2)
}

/** Asks anew for what the page shows. An explanation has its version in its key, and a simulation is asked for by hand. */
function createRefresh({ organizationId }: Session, queryClient: QueryClient) {
  let timer: number | undefined
  let lastMs = 0
  let hasAll = false
  const isShown = ({ queryKey: [of, , name] }: Query) => {
    if (of !== organizationId || name === 'explain_activity' || name === 'simulate') return false
    return hasAll || name === 'list_activities' || name === 'get_activity'
  }
  function soon(): void {
    timer ??= setTimeout(
      () => {
        timer = undefined
        lastMs = Date.now()
        void queryClient.invalidateQueries({ predicate: isShown })
        hasAll = false
      },
      Math.max(gatherMs, lastMs + refreshMsMin - Date.now()),
    )
  }
  return {
    all() {
      hasAll = true
      soon()
    },
    activities: soon,
    stop: () => clearTimeout(timer),
  }
}

/** A page that nobody sees holds no connection: a browser has few for one server. */
async function untilVisible(over: AbortSignal): Promise<void> {
  while (document.hidden && !over.aborted) await eventOf(document, 'visibilitychange', over)
}

async function pause(over: AbortSignal, ms: number): Promise<void> {
  const done = new AbortController()
  const online = eventOf(globalThis, 'online', AbortSignal.any([over, done.signal]))
  await Promise.race([online, new Promise<void>((resolve) => setTimeout(resolve, ms))])
  done.abort()
}

function eventOf(target: EventTarget, name: string, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    target.addEventListener(name, () => resolve(), { once: true, signal: over })
    over.addEventListener('abort', () => resolve(), { once: true })
  })
}
