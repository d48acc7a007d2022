import type { VaultRequest } from '../link/verbs.ts'
import type { Asker } from './places.ts'

type Request = Pick<VaultRequest, 'path' | 'stamps' | 'dialect' | 'sourceAddress' | 'isLocal'>

/** Requests of one organization in flight at most. More are refused, so that no organization takes every place. */
export const inFlightOfOneMax = 2_048
/** Requests of one credential in flight at most, so that one user does not take every place of the organization. */
export const inFlightOfCredentialMax = 1_024

/** Keeps account of the requests that are not answered yet. */
export function createInFlight<T>() {
  const answers = new Map<string, Promise<T>>()
  const counts = new Map<string, number>()

  function leave(key: string): void {
    const left = (counts.get(key) ?? 1) - 1
    if (left === 0) counts.delete(key)
    else counts.set(key, left)
  }

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

    /** Runs a request as one of its organization and its credential. Undefined if one of these has too many. */
    async runFor(by: Asker, run: () => Promise<T>): Promise<T | undefined> {
      const places = placesOf(by)
      if (places.some(({ key, max }) => (counts.get(key) ?? 0) >= max)) return undefined
      for (const { key } of places) counts.set(key, (counts.get(key) ?? 0) + 1)
      try {
        return await run()
      } finally {
        for (const { key } of places) leave(key)
      }
    },
  }
}

function placesOf({ organizationId, credential }: Asker): readonly { readonly key: string; readonly max: number }[] {
  const ofOrganization = { key: organizationId, max: inFlightOfOneMax }
  if (credential === undefined) return [ofOrganization]
  return [ofOrganization, { key: `${organizationId} ${credential}`, max: inFlightOfCredentialMax }]
}

/** Has the body's fingerprint, which is shorter than the body. The JSON has no line end, so keys cannot be forged. */
function keyOf({ path, stamps, dialect, sourceAddress = '', isLocal }: Request, fingerprint: string): string {
  const head = JSON.stringify([
    dialect,
    path,
    sourceAddress,
    isLocal === true,
    stamps.map(({ header, value }) => [header, value]),
  ])
  return `${head}\n${fingerprint}`
}
