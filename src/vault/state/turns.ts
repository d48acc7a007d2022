import type { Pause } from '../../protocol/tools/pause.ts'

/**
 * Shares the vault's one thread among organizations, and the turns of one among its credentials. A request is begun when
 * its credential has a turn. Long work is cut into steps, each of which waits for a turn (docs/decisions/0030-turns.md).
 */
export type Turns = {
  /** Runs a task when its organization has a turn. Rejects with `LateError` if nobody waits for the task by then. */
  run<T>(asker: Asker, task: (turn: Turn) => Promise<T>): Promise<T>
}

export type Asker = {
  /** Requests of one organization share its turns. Those that name none share one more. */
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
type Waiting = { readonly steps: (() => void)[]; readonly tasks: (() => void)[] }

type Queued = { readonly endsMs: number; readonly begin: () => void; readonly refuse: (late: LateError) => void }

export function createTurns(nowMs: () => number = () => performance.now()): Turns {
  /** By organization and credential, in the order of their turns. */
  const waiting = new Map<string, Map<string, Waiting>>()
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

  function beginNext(): 'step' | 'task' | undefined {
    const [first] = waiting
    const [next] = first?.[1] ?? []
    if (first === undefined || next === undefined) return undefined
    const [organizationId, credentials] = first
    const [credential, { steps, tasks }] = next
    credentials.delete(credential)
    if (steps.length + tasks.length > 1) credentials.set(credential, { steps, tasks })
    waiting.delete(organizationId)
    if (credentials.size > 0) waiting.set(organizationId, credentials)
    const step = steps.shift()
    if (step === undefined) {
      tasks.shift()?.()
      return 'task'
    }
    sliceEndsMs = nowMs() + stepMs
    step()
    return 'step'
  }

  function enqueue(
    { organizationId = '', credential = '' }: Asker,
    kind: keyof Waiting,
    { endsMs, begin, refuse }: Queued,
  ): void {
    const credentials = waiting.get(organizationId) ?? new Map<string, Waiting>()
    const own = credentials.get(credential) ?? { steps: [], tasks: [] }
    own[kind].push(() => (nowMs() > endsMs ? refuse(new LateError('nobody waits any more')) : begin()))
    waiting.set(organizationId, credentials.set(credential, own))
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
