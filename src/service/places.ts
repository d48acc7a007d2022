/** Whose request it is: the organization, and the credential that its stamp names, verified or not. */
export type Asker = { readonly organizationId: string; readonly credential?: string | undefined }

/** The requests of one organization that wait for a place, by credential in the order of their turns. */
type Line = { taken: number; readonly waiting: Map<string, (() => void)[]> }

export type Places = {
  /** Runs a task when its organization has a place free. An error of one task does not reach the next. */
  run<T>(asker: Asker, task: () => Promise<T>): Promise<T>
  /** Whether a task of the organization would wait. */
  isFull(organizationId: string): boolean
  /** How many organizations have a task that runs or waits. */
  size(): number
}

/**
 * Lets each organization have `ofOneMax` tasks at a time. The others wait, and the credentials of the organization take
 * turns, so that one user's requests do not stand before all others'.
 */
export function createPlaces(ofOneMax: number): Places {
  const lines = new Map<string, Line>()

  async function take({ organizationId, credential = '' }: Asker): Promise<Line> {
    const line = lines.get(organizationId) ?? { taken: 0, waiting: new Map() }
    lines.set(organizationId, line)
    if (line.taken < ofOneMax) {
      line.taken += 1
      return line
    }
    const own = line.waiting.get(credential) ?? []
    line.waiting.set(credential, own)
    await new Promise<void>((begin) => own.push(begin))
    return line
  }

  /** Hands the place on, or gives it back. */
  function leave(line: Line, organizationId: string): void {
    const [next] = line.waiting
    if (next === undefined) {
      line.taken -= 1
      if (line.taken === 0) lines.delete(organizationId)
      return
    }
    const [credential, own] = next
    const begin = own.shift()
    line.waiting.delete(credential)
    if (own.length > 0) line.waiting.set(credential, own)
    begin?.()
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
