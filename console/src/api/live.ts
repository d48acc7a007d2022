import type { Query } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { Session } from '../session/key_store.ts'
import { useSession } from '../session/session.tsx'
import { followWatch, type Outcome } from './follow_watch.ts'
import type { Queries } from './operations.ts'
import { pollMs, queryClient } from './queries.ts'

export type Watched = Queries['watch_activities']['result']

/** How often a page asks by itself while the server tells it of changes. */
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

let isLive = false
const listeners = new Set<() => void>()
/** The version of the organization that the page has last heard of. */
let known: Pick<Watched, 'organizationVersion'> | undefined

/** How often a page asks for activities. */
export function useActivityPollMs(): number {
  const live = useSyncExternalStore(subscribe, () => isLive)
  return live ? livePollMs : pollMs
}

/** Has the page told of changes as long as somebody looks at it. */
export function useLive(): void {
  const session = useSession()
  useEffect(() => {
    const over = new AbortController()
    void watchUntil(over.signal, session)
    return () => over.abort()
  }, [session])
}

/** A page that asks by itself says what it has heard. */
export function heardOf({ organizationVersion }: Watched): void {
  known ??= { organizationVersion }
}

async function watchUntil(over: AbortSignal, session: Session): Promise<void> {
  known = undefined
  const refresh = createRefresh(session)
  let failures = 0
  while (!over.aborted) {
    await untilVisible(over)
    let isFirst = true
    const outcome = await followWatch(session, {
      until: over,
      onAlive() {
        setLive(true)
        failures = 0
      },
      onLine(watched) {
        const hasChanged = known !== undefined && known.organizationVersion !== watched.organizationVersion
        // A line without a new version tells of an activity that changed nothing else, such as a signature.
        if (hasChanged) refresh.all()
        else if (!isFirst) refresh.activities()
        known = watched
        isFirst = false
      },
    })
    if (outcome !== 'ended') setLive(false)
    // A server that refuses may not know the session any more. The page then learns it by asking.
    if (outcome === 'gaveUp') refresh.all()
    await pause(over, pauseMsOf(outcome, failures))
    failures += 1
  }
  refresh.stop()
  setLive(false)
}

/** Many pages whose server is started again do not come back at the same moment. */
function pauseMsOf(outcome: Outcome, failures: number): number {
  const { first, most } = pausesMs[outcome]
  return Math.min(most, first * 2 ** failures) * (0.5 + Math.random() / 2)
}

/** Asks anew for what the page shows. An explanation has its version in its key, and a simulation is asked for by hand. */
function createRefresh({ organizationId }: Session) {
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

function setLive(next: boolean): void {
  if (next === isLive) return
  isLive = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
