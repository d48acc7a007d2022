import type { Pause } from '../../protocol/tools/pause.ts'

/**
 * Shares the vault's one thread. A request is begun when its credential has a turn. Long work is cut into steps, each of
 * which waits for a turn.
 *
 * Until its stamp is verified, a request has turns of its peer: whatever it names, it may be a stranger's. From then on
 * it has turns of its family, an organization with its sub-organizations: a family may ask from as many addresses as it
 * likes. Within both, organizations take turns, then their credentials
 * (docs/decisions/0094-families-take-turns-in-the-vault.md).
 */
export type Turns = {
  /** Runs a task when its asker has a turn. Rejects with `LateError` if nobody waits for the task by then. */
  run<T>(asker: Asker, task: (turn: Turn) => Promise<T>): Promise<T>
}

export type Asker = {
  /** Requests of one peer share its turns. Those without one share one more. */
  readonly peer?: string | undefined
  /** Within a peer or a family, the requests of one organization share its turns. Those that name none share one more. */
  readonly organizationId?: string | undefined
  /** Within an organization, the requests of one credential share their turns. */
  readonly credential?: string | undefined
  /** How long somebody waits for the answer. */
  readonly waitMsMax?: number
}

export type Turn = {
  /** Rejects with `LateError` if nobody waits for the answer any more. */
  readonly pause: Pause
  /** Says once the stamp is verified whose turns the request has from then on. */
  takeTurnsOf(familyId: string): void
}

/** Nobody waits for the answer any more. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

/** How long the requests that are begun in one turn of the event loop may work, apart from their last steps. */
const sliceMs = 4

/** How long a step of long work may go on. A small request waits for about three of them on its way. */
const stepMs = 2

/**
 * Requests that are begun together take every step together, so each step finds its code and data in the processor's
 * caches. They also end together: fewer at a time let the service carry out the first while the next are decided. The
 * number is measured on two cores (docs/decisions/0019-sixteen-at-a-time.md).
 */
const begunTogetherMax = 16

export function createTurns(nowMs: () => number = () => performance.now()): Turns {
  /** Requests to begin, by peer, organization and credential. */
  const tasks = newLine()
  /**
   * Requests to go on with, by kind of owner, owner, organization and credential. The kinds alternate, so strangers delay
   * no family much, however many peers they are.
   */
  const steps = newLine()
  let requests = 0
  let isScheduled = false
  let sliceEndsMs = 0

  function schedule(): void {
    if (!isScheduled) setImmediate(takeSlice)
    isScheduled = true
  }

  /** Begins requests, most of which are short. Then one that was begun goes on. */
  function takeSlice(): void {
    isScheduled = false
    sliceEndsMs = nowMs() + sliceMs
    for (let begun = 0; begun < begunTogetherMax && nowMs() <= sliceEndsMs; begun += 1) takeNext(tasks)?.()
    const step = takeNext(steps)
    // The step runs after this function, so it is the last of a slice.
    if (step !== undefined) sliceEndsMs = nowMs() + stepMs
    step?.()
    if (sizeOf(tasks) + sizeOf(steps) > 0) schedule()
  }

  return {
    run({ peer = '', organizationId = '', credential = '', waitMsMax = Number.POSITIVE_INFINITY }, task) {
      const endsMs = nowMs() + waitMsMax
      requests += 1
      const number = requests
      let owner: Path = ['peer', peer]

      /** Settles with what `next` returns, which is called as soon as there is a turn. */
      const waitIn = <R>(line: Line, path: Path, next: () => R | PromiseLike<R>) =>
        new Promise<R>((resolve, reject) => {
          const begin = () => (nowMs() > endsMs ? reject(new LateError('nobody waits any more')) : resolve(next()))
          enqueue(line, path, { number, begin })
          schedule()
        })
      const turn: Turn = {
        pause() {
          return nowMs() < sliceEndsMs ? undefined : waitIn(steps, [...owner, organizationId, credential], () => {})
        },
        takeTurnsOf(familyId) {
          owner = ['family', familyId]
        },
      }
      return waitIn(tasks, [peer, organizationId, credential], () => task(turn))
    },
  }
}

/** Requests are numbered in the order in which they came. */
type Work = { readonly number: number; readonly begin: () => void }

/** Waiting work, in the order of its turns: that of the owners below, or that of an owner with none below. */
type Line = { readonly below: Map<string, Line>; readonly work: Work[] }

type Path = readonly string[]

function newLine(): Line {
  return { below: new Map(), work: [] }
}

function sizeOf({ below, work }: Line): number {
  return below.size + work.length
}

/** The request that came first has all its steps first: if those of one credential went on together, all would be late. */
function enqueue(line: Line, [owner, ...path]: Path, work: Work): void {
  if (owner === undefined) {
    line.work.splice(line.work.findLastIndex(({ number }) => number < work.number) + 1, 0, work)
    return
  }
  const found = line.below.get(owner) ?? newLine()
  line.below.set(owner, found)
  enqueue(found, path, work)
}

/** Takes work from the first owner, who is the last then, or gone if nothing of it is left. */
function takeNext({ below, work }: Line): Work['begin'] | undefined {
  const [first] = below
  if (first === undefined) return work.shift()?.begin
  const [owner, line] = first
  const taken = takeNext(line)
  below.delete(owner)
  if (sizeOf(line) > 0) below.set(owner, line)
  return taken
}
