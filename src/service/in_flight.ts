import type { VaultRequest } from '../link/verbs.ts'

type Request = Pick<VaultRequest, 'path' | 'stamps' | 'dialect' | 'sourceAddress'>

/** Requests of one organization in flight at most. More are refused, so that no organization takes every place. */
export const inFlightOfOneMax = 2_048

/** Keeps account of the requests that are not answered yet. */
export function createInFlight<T>() {
  const answers = new Map<string, Promise<T>>()
  const counts = new Map<string, number>()

  return {
    /** Begins a request, or returns the answer of an equal one that has begun. */
    share(request: Request, fingerprint: string, begin: () => Promise<T>): Promise<T> {
      const key = keyOf(request, fingerprint)
      const running = answers.get(key)
      if (running !== undefined) return running
      const answer = begin().finally(() => answers.delete(key))
      answers.set(key, answer)
      return answer
    },

    /** Runs a request as one of its organization. Undefined if the organization has too many. */
    async runFor(organizationId: string, run: () => Promise<T>): Promise<T | undefined> {
      const count = counts.get(organizationId) ?? 0
      if (count >= inFlightOfOneMax) return undefined
      counts.set(organizationId, count + 1)
      try {
        return await run()
      } finally {
        const left = (counts.get(organizationId) ?? 1) - 1
        if (left === 0) counts.delete(organizationId)
        else counts.set(organizationId, left)
      }
    },
  }
}

/** Has the body's fingerprint, which is shorter than the body. The JSON has no line end, so keys cannot be forged. */
function keyOf({ path, stamps, dialect, sourceAddress = '' }: Request, fingerprint: string): string {
  const head = JSON.stringify([dialect, path, sourceAddress, stamps.map(({ header, value }) => [header, value])])
  return `${head}\n${fingerprint}`
}
