import { type QueryClient, useQuery } from '@tanstack/react-query'
import { type Activity, isWaiting, waitingStatuses } from '../../api/activity.ts'
import type { Client } from '../../api/client.ts'
import type { Live, Watched } from '../../api/live.ts'
import type { Session } from '../../stamping/key_store.ts'
import { useConsole } from '../../state/console.ts'
import { keyOf, useActivityPollMs } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'

const pageMax = 100
/** A thousand activities wait at most in an organization, and a page has at least four of them, however large they are. */
const pagesMax = 251
/** So many that have changed are asked for one by one. */
const singlesMax = 20
/** An activity is asked for again after this time, because an approval lapses without a vote. */
const keptMsMax = 600_000

/** The activities that wait, with the version in which each was read and when. */
type Waiting = { readonly rulesDigest: string; readonly entries: readonly Entry[] }
type Entry = { readonly activity: Activity; readonly version: number; readonly readMs: number }

/** The activities that wait, newest first. Every part of the console that shows some of them asks once for all. */
export function useWaiting() {
  const { client, live, queryClient } = useConsole()
  const session = useSession()
  return useQuery({
    queryKey: waitingKey(session),
    queryFn: () => readWaiting({ client, live, queryClient, session }),
    refetchInterval: useActivityPollMs(),
    select: activitiesIn,
  })
}

const waitingKey = (session: Session) => keyOf(session, 'waiting')

type Asker = { readonly client: Client; readonly session: Session }
type Reader = Asker & { readonly live: Live; readonly queryClient: QueryClient }

/** Asks what waits, and then only for what has changed: a request may have a megabyte. */
async function readWaiting({ live, queryClient, ...asker }: Reader): Promise<Waiting> {
  const { session } = asker
  const before = queryClient.getQueryData<Waiting>(waitingKey(session))
  const watched = await live.askWaiting(session)
  const hasRules = before?.rulesDigest === watched.rulesDigest
  // An explanation says which rule decides and who may approve. Everything shown was decided by the rules of before.
  if (before !== undefined && !hasRules)
    void queryClient.invalidateQueries({ queryKey: keyOf(session, 'explain_activity') })
  const nowMs = Date.now()
  const kept = new Map(hasRules ? before.entries.map((entry) => [entry.activity.id, entry]) : [])
  const isKept = ({ activityId, version }: Watched['waiting'][number]) => {
    const entry = kept.get(activityId)
    return entry?.version === version && nowMs - entry.readMs <= keptMsMax
  }
  const missing = watched.waiting.filter((listed) => !isKept(listed))
  const read = await readActivities(asker, missing, { isFirst: before === undefined })
  const entries = watched.waiting.flatMap((listed): readonly Entry[] => {
    const { activityId, version } = listed
    const activity = read.get(activityId)
    if (activity !== undefined) return isWaiting(activity) ? [{ activity, version, readMs: nowMs }] : []
    const entry = kept.get(activityId)
    return entry !== undefined && isKept(listed) ? [entry] : []
  })
  return { rulesDigest: watched.rulesDigest, entries: entries.sort(newestFirst) }
}

async function readActivities(
  asker: Asker,
  missing: Watched['waiting'],
  { isFirst }: { readonly isFirst: boolean },
): Promise<ReadonlyMap<string, Activity>> {
  if (missing.length === 0) return new Map()
  const isPaged = isFirst || missing.length > singlesMax
  const all = isPaged ? await everyWaiting(asker) : await Promise.all(missing.map(({ activityId }) => one(activityId)))
  return new Map(all.map((activity) => [activity.id, activity]))

  async function one(activityId: string): Promise<Activity> {
    return (await asker.client.ask(asker.session, 'get_activity', { activityId })).activity as Activity
  }
}

async function everyWaiting({ client, session }: Asker): Promise<readonly Activity[]> {
  const all: Activity[] = []
  for (let page = 0; page < pagesMax; page += 1) {
    const after = all.at(-1)?.id
    const answer = await client.ask(session, 'list_activities', {
      filterByStatus: waitingStatuses,
      paginationOptions: { limit: String(pageMax), ...(after === undefined ? {} : { after }) },
    })
    const found = activitiesOf(answer)
    // A page with large requests ends early, so only an empty one is the last.
    if (found.length === 0) break
    all.push(...found)
  }
  return all
}

function newestFirst({ activity: a }: Entry, { activity: b }: Entry): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1
  return a.id < b.id ? 1 : -1
}

function activitiesIn({ entries }: Waiting): readonly Activity[] {
  return entries.map(({ activity }) => activity)
}

export function useWaitingForMe(): number {
  return (useWaiting().data ?? []).filter(isForMe).length
}

export function isForMe({ canApprove, canReject }: Activity): boolean {
  return canApprove || canReject
}

/** The server describes activities only roughly in its schemas: this is their form. */
export function activitiesOf(answer: { readonly activities: readonly unknown[] } | undefined): readonly Activity[] {
  return (answer?.activities ?? []) as readonly Activity[]
}
