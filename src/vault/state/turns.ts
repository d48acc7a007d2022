import type { Pause } from '../../protocol/tools/pause.ts'

/**
 * Shares the vault's one thread among organizations. A request is begun when its organization has a turn. Long work is
 * cut into steps, each of which waits for a turn (docs/decisions/0030-turns.md).
 */
export type Turns = {
  /** Runs a task when its organization has a turn. Rejects with `LateError` if nobody waits for the task by then. */
  run<T>(asker: Asker, task: (turn: Turn) => Promise<T>): Promise<T>
}

export type Asker = {
  /** Requests of one organization share its turns. Those that name none share one more. */
  readonly organizationId?: string | undefined
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

/**
 * Requests that are begun together take every step together, so each step finds its code and data in the processor's
 * caches. They also end together: fewer at a time let the service carry out the first while the next are decided. The
 * number is measured on two cores (docs/decisions/0019-sixteen-at-a-time.md).
 */
const begunTogetherMax = 16

/** What waits for the turns of one organization. Steps of requests that were begun go before new requests. */
type Waiting = { readonly steps: (() => void)[]; readonly tasks: (() => void)[] }

type Queued = { readonly endsMs: number; readonly begin: () => void; readonly refuse: (late: LateError) => void }

export function createTurns(nowMs: () => number = () => performance.now()): Turns {
  /** By organization, in the order of their turns. */
  const waiting = new Map<string, Waiting>()
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
    if (first === undefined) return undefined
    const [organizationId, { steps, tasks }] = first
    waiting.delete(organizationId)
    if (steps.length + tasks.length > 1) waiting.set(organizationId, { steps, tasks })
    const step = steps.shift()
    if (step === undefined) tasks.shift()?.()
    else step()
    return step === undefined ? 'task' : 'step'
  }

  function enqueue(organizationId: string, kind: keyof Waiting, { endsMs, begin, refuse }: Queued): void {
    const own = waiting.get(organizationId) ?? { steps: [], tasks: [] }
    own[kind].push(() => (nowMs() > endsMs ? refuse(new LateError('nobody waits any more')) : begin()))
    waiting.set(organizationId, own)
    schedule()
  }

  return {
    run({ organizationId = '', waitMsMax = Number.POSITIVE_INFINITY }, task) {
      const endsMs = nowMs() + waitMsMax
      function pause(): Promise<void> | undefined {
        if (nowMs() < sliceEndsMs) return undefined
        return new Promise((begin, refuse) => enqueue(organizationId, 'steps', { endsMs, begin, refuse }))
      }
      return new Promise((resolve, refuse) => {
        enqueue(organizationId, 'tasks', { endsMs, begin: () => resolve(task({ pause })), refuse })
      })
    },
  }
}
