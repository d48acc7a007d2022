import { createRounds, type Rounds } from './rounds.ts'

/** The organization and the credential that a request names, verified or not, and the client's address. */
export type Asker = {
  readonly organizationId: string
  readonly credential?: string | undefined
  readonly peer: string
}

/** The requests of one organization that wait for a place. */
type Line = { taken: number; readonly waiting: Rounds<() => void> }

export type Places = {
  /** Runs a task when its organization has a place free. An error of one task does not reach the next. */
  run<T>(asker: Asker, task: () => Promise<T>): Promise<T>
  /** Whether a task of the organization would wait. */
  isFull(organizationId: string): boolean
  /** How many organizations have a task that runs or waits. */
  size(): number
}

/**
 * Lets each organization have `ofOneMax` tasks at a time. The others wait. Peers take turns, so that strangers who
 * name the organization do not delay its users, and then credentials, so that no user delays all others.
 */
export function createPlaces(ofOneMax: number): Places {
  const lines = new Map<string, Line>()

  async function take({ organizationId, credential = '', peer }: Asker): Promise<Line> {
    const line = lines.get(organizationId) ?? { taken: 0, waiting: createRounds() }
    lines.set(organizationId, line)
    if (line.taken < ofOneMax) {
      line.taken += 1
      return line
    }
    await new Promise<void>((begin) => line.waiting.add(begin, [peer, credential]))
    return line
  }

  /** Hands the place on, or gives it back. */
  function leave(line: Line, organizationId: string): void {
    const begin = line.waiting.take()
    if (begin === undefined) line.taken -= 1
    else begin()
    if (line.taken === 0) lines.delete(organizationId)
  }

  return {
    isFull: (organizationId) => (lines.get(organizationId)?.taken ?? 0) >= ofOneMax,
    size: () => lines.size,

    async run(asker, task) {
      const line = await take(asker)
      try {
        return await task()
      } finally {
        leave(line, asker.organizationId)
      }
    },
  }
}
