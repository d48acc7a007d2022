import { createRounds, type Rounds } from './rounds.ts'

/**
 * The organization and the credential that a request names, verified or not, and the client's address. `userId`: whose
 * stamps the vault has verified with this credential.
 */
export type Asker = {
  readonly organizationId: string
  readonly credential?: string | undefined
  readonly userId?: string | undefined
  readonly peer: string
}

/** The requests of one organization. `working`: how many tasks of an owner have begun and not ended. */
type Line = { taken: number; readonly waiting: Rounds<() => void>; readonly working: Map<string, number> }

/** Leaves the place that the task has, and waits for one as the other asker. */
export type Move = (asker: Asker) => Promise<void>

export type Places = {
  /** Runs a task when its organization has a place free. An error of one task does not reach the next. */
  run<T>(asker: Asker, task: (move: Move) => Promise<T>): Promise<T>
  /** Whether a task of the organization would wait. */
  isFull(organizationId: string): boolean
  /** How many organizations have a task that runs or waits. */
  size(): number
}

/**
 * Lets each organization have `ofOneMax` tasks at a time. The others wait. Users take turns, and peers of whom no user
 * is known: strangers who name the organization do not delay its users, and no user delays all others, however many
 * credentials and addresses they have. Within the turns of one, credentials take turns.
 *
 * `heldMsMax`: how long a task holds its place at most. One that takes longer goes on without a place, and the next one
 * begins: first that of an owner who has none in work.
 */
export function createPlaces(ofOneMax: number, { heldMsMax }: { readonly heldMsMax?: number } = {}): Places {
  const lines = new Map<string, Line>()

  /** Returns what ends the task in its line. */
  async function enter(asker: Asker): Promise<() => void> {
    const { organizationId, credential = '' } = asker
    const owner = ownerOf(asker)
    const line = lines.get(organizationId) ?? { taken: 0, waiting: createRounds(), working: new Map() }
    lines.set(organizationId, line)
    if (line.taken < ofOneMax) line.taken += 1
    else await new Promise<void>((begin) => line.waiting.add(begin, [owner, credential]))
    line.working.set(owner, (line.working.get(owner) ?? 0) + 1)
    let isHeld = true
    const leaveOnce = () => {
      if (isHeld) leave(line)
      isHeld = false
      if (line.taken === 0 && line.working.size === 0) lines.delete(organizationId)
    }
    const timer = heldMsMax === undefined ? undefined : setTimeout(leaveOnce, heldMsMax)
    return () => {
      clearTimeout(timer)
      const others = (line.working.get(owner) ?? 1) - 1
      if (others === 0) line.working.delete(owner)
      else line.working.set(owner, others)
      leaveOnce()
    }
  }

  /** Hands the place on, or gives it back. */
  function leave(line: Line): void {
    const isIdle = (owner: string | object) => typeof owner === 'string' && !line.working.has(owner)
    const begin = line.waiting.take(isIdle) ?? line.waiting.take()
    if (begin === undefined) line.taken -= 1
    else begin()
  }

  return {
    isFull: (organizationId) => (lines.get(organizationId)?.taken ?? 0) >= ofOneMax,
    size: () => lines.size,

    async run(asker, task) {
      let end = await enter(asker)
      const move: Move = async (to) => {
        end()
        end = () => {}
        end = await enter(to)
      }
      try {
        return await task(move)
      } finally {
        end()
      }
    },
  }
}

function ownerOf({ userId, peer }: Asker): string {
  return userId === undefined ? `peer ${peer}` : `user ${userId}`
}
