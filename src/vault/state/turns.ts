import type { Pause } from '../../protocol/tools/pause.ts'

/**
 * Shares the vault's one thread among peers, the turns of one among the organizations that it names, and the turns of
 * these among their credentials: an organization may make as many others as it likes, at its one address. A request is
 * begun when its credential has a turn. Long work is cut into steps, each of which waits for a turn
 * (docs/decisions/0083-peers-take-turns-in-the-vault.md).
 */
export type Turns = {
  /** Runs a task when its asker has a turn. Rejects with `LateError` if nobody waits for the task by then. */
  run<T>(asker: Asker, task: (turn: Turn) => Promise<T>): Promise<T>
}

export type Asker = {
  /** Requests of one peer share its turns. Those without one share one more. */
  readonly peer?: string | undefined
  /** Within a peer, the requests of one organization share its turns. Those that name none share one more. */
  readonly organizationId?: string | undefined
  /** Within an organization, the requests of one credential share their turns. */
  readonly credential?: string | undefined
  /** How long somebody waits for the answer. */
  readonly waitMsMax?: number
}

export type Turn = {
  /** Rejects with `LateError` if nobody waits for the answer any more. */
  readonly pause: Pause
}

/** Nobody waits for the answer any more. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

/** How long the requests of one turn of the event loop may work before others follow, apart from their last steps. */
const sliceMs = 4

/** How long a step of long work may go on. A small request waits for about three of them on its way. */
const stepMs = 2

/**
 * Requests that are begun together take every step together, so each step finds its code and data in the processor's
 * caches. They also end together: fewer at a time let the service carry out the first while the next are decided. The
 * number is measured on two cores (docs/decisions/0019-sixteen-at-a-time.md).
 */
const begunTogetherMax = 16

/** The work that waits for the turns of one credential. Steps of requests that were begun go before new requests. */
type Waiting = { readonly steps: (() => void)[]; readonly tasks: (() => void)[]; readonly size: number }

function newWaiting(): Waiting {
  const [steps, tasks]: [(() => void)[], (() => void)[]] = [[], []]
  return {
    steps,
    tasks,
    get size() {
      return steps.length + tasks.length
    },
  }
}

function takeOne({ steps, tasks }: Waiting): Next | undefined {
  const step = steps.shift()
  const begin = step ?? tasks.shift()
  return begin && { kind: step === undefined ? 'task' : 'step', begin }
}

type Next = { readonly kind: 'step' | 'task'; readonly begin: () => void }

type Queued = { readonly endsMs: number; readonly begin: () => void; readonly refuse: (late: LateError) => void }

export function createTurns(nowMs: () => number = () => performance.now()): Turns {
  /** By peer, organization and credential, in the order of their turns. */
  const waiting = new Map<string, Map<string, Map<string, Waiting>>>()
  let isScheduled = false
  let sliceEndsMs = 0

  function schedule(): void {
    if (!isScheduled) setImmediate(beginSome)
    isScheduled = true
  }

  function beginSome(): void {
    isScheduled = false
    sliceEndsMs = nowMs() + sliceMs
    for (let begun = 0; begun < begunTogetherMax; begun += 1) {
      // What a step does comes after this function, so a step is the last of a slice.
      if (beginNext() === 'step' || nowMs() > sliceEndsMs) break
    }
    if (waiting.size > 0) schedule()
  }

  function beginNext(): Next['kind'] | undefined {
    const next = takeFirst(waiting, (organizations) =>
      takeFirst(organizations, (credentials) => takeFirst(credentials, takeOne)),
    )
    if (next === undefined) return undefined
    if (next.kind === 'step') sliceEndsMs = nowMs() + stepMs
    next.begin()
    return next.kind
  }

  function enqueue(
    { peer = '', organizationId = '', credential = '' }: Asker,
    kind: 'steps' | 'tasks',
    { endsMs, begin, refuse }: Queued,
  ): void {
    const organizations = waiting.get(peer) ?? new Map<string, Map<string, Waiting>>()
    const credentials = organizations.get(organizationId) ?? new Map<string, Waiting>()
    const own = credentials.get(credential) ?? newWaiting()
    own[kind].push(() => (nowMs() > endsMs ? refuse(new LateError('nobody waits any more')) : begin()))
    waiting.set(peer, organizations.set(organizationId, credentials.set(credential, own)))
    schedule()
  }

  return {
    run(asker, task) {
      const { waitMsMax = Number.POSITIVE_INFINITY } = asker
      const endsMs = nowMs() + waitMsMax
      function pause(): Promise<void> | undefined {
        if (nowMs() < sliceEndsMs) return undefined
        return new Promise((begin, refuse) => enqueue(asker, 'steps', { endsMs, begin, refuse }))
      }
      return new Promise((resolve, refuse) => {
        enqueue(asker, 'tasks', { endsMs, begin: () => resolve(task({ pause })), refuse })
      })
    },
  }
}

/** Takes from the first of these, which is the last then, or gone if it has nothing left. */
function takeFirst<V extends { readonly size: number }>(
  turns: Map<string, V>,
  take: (first: V) => Next | undefined,
): Next | undefined {
  const [first] = turns
  if (first === undefined) return undefined
  const [owner, below] = first
  const next = take(below)
  turns.delete(owner)
  if (below.size > 0) turns.set(owner, below)
  return next
}
