import type { Query } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { Session } from '../session/key_store.ts'
import { useSession } from '../session/session.tsx'
import { ask } from './client.ts'
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
/** The version that the page has last heard of. It outlives a watch: what changes before the next one begins is new too. */
let known: { readonly organizationId: string; readonly organizationVersion: number } | undefined

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

/** Asks once what waits. */
export async function askWaiting(session: Session): Promise<Watched> {
  const watched = await ask(session, 'watch_activities', {})
  const heard = versionOf(session)
  // A line of the watch has overtaken the answer, and was taken for the first that the page heard.
  if (heard !== undefined && heard > watched.organizationVersion) return ask(session, 'watch_activities', {})
  if (heard === undefined) hear(session, watched)
  return watched
}

function versionOf({ organizationId }: Session): number | undefined {
  return known?.organizationId === organizationId ? known.organizationVersion : undefined
}

function hear({ organizationId }: Session, { organizationVersion }: Watched): void {
  known = { organizationId, organizationVersion }
}

async function watchUntil(over: AbortSignal, session: Session): Promise<void> {
  const refresh = createRefresh(session)
  let failures = 0
  let isFirst = true
  while (!over.aborted) {
    await untilVisible(over)
    const outcome = await followWatch(session, {
      until: over,
      onAlive() {
        setLive(true)
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
