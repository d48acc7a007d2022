import type { VaultRequest } from '../../link/verbs.ts'
import type { Asker } from './places.ts'

type Request = Pick<VaultRequest, 'path' | 'stamps' | 'dialect' | 'sourceAddress' | 'isLocal' | 'proxied'>

/** Requests of one organization in flight at most. More are refused, so that no organization takes every place. */
export const inFlightOfOneMax = 2_048
/** Requests of one credential in flight at most, so that one user does not take every place of the organization. */
export const inFlightOfCredentialMax = 1_024
/**
 * Requests of credentials that have few in flight, beyond those of the organization: a user has several credentials, and
 * the vote or the revocation of another user must find a place.
 */
export const inFlightOfQuietMax = 512
/** A credential with fewer requests in flight is quiet. */
export const quietMax = 16
/** Requests of one organization in flight that take long. They run a few at a time, so more would only wait. */
export const longInFlightMax = 256
/** The bodies of these. They are a part of the memory that all organizations share. */
export const longBytesMax = 64 * 1024 * 1024

/** Requests of the strangers at one address in flight at most, whatever they name. */
export const inFlightOfAddressMax = 1_024
/** All strangers together have as many long requests as an organization. One address has these at most. */
export const longOfAddressMax = 192
export const longBytesOfAddressMax = 48 * 1024 * 1024
/** An address with fewer of them is quiet, and may use so many more: the first request of a user may be a long one. */
export const quietLongMax = 4
export const longOfQuietMax = 64
export const longBytesOfQuietMax = 16 * 1024 * 1024

/** `longBytes`: the size of the body of a request that takes long; undefined for any other request. */
type Asking = Asker & {
  /** Whether the vault has verified a stamp of this asker before. If not, it is a stranger, whatever it names. */
  readonly isVerified: boolean
  readonly longBytes?: number | undefined
}

/** An amount under a key, which has a greatest sum. */
type Place = { readonly key: string; readonly amount: number; readonly max: number }

/** Keeps account of the requests that are not answered yet. */
export function createInFlight<T>() {
  const answers = new Map<string, Promise<T>>()
  const counts = new Map<string, number>()

  const countOf = (key: string) => counts.get(key) ?? 0

  function add(key: string, amount: number): void {
    const sum = countOf(key) + amount
    if (sum === 0) counts.delete(key)
    else counts.set(key, sum)
  }

  function placesOfUser({ organizationId, credential, longBytes }: Asking): readonly Place[] {
    const ofCredential = `credential ${organizationId} ${credential}`
    const quiet = countOf(ofCredential) < quietMax ? inFlightOfQuietMax : 0
    return [
      { key: `organization ${organizationId}`, amount: 1, max: inFlightOfOneMax + quiet },
      { key: ofCredential, amount: 1, max: inFlightOfCredentialMax },
      ...placesOfLong(`of ${organizationId}`, longBytes, { requests: longInFlightMax, bytes: longBytesMax }),
    ]
  }

  function placesOfStranger({ peer, longBytes }: Asking): readonly Place[] {
    const isQuiet = countOf(`long at ${peer}`) < quietLongMax
    const quiet = isQuiet ? { requests: longOfQuietMax, bytes: longBytesOfQuietMax } : { requests: 0, bytes: 0 }
    const ofAll = { requests: longInFlightMax + quiet.requests, bytes: longBytesMax + quiet.bytes }
    return [
      { key: `address ${peer}`, amount: 1, max: inFlightOfAddressMax },
      ...placesOfLong('of strangers', longBytes, ofAll),
      ...placesOfLong(`at ${peer}`, longBytes, { requests: longOfAddressMax, bytes: longBytesOfAddressMax }),
    ]
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

    /** Runs a request as one of its organization and credential, or of a stranger's address. Undefined if one has too many. */
    async runFor(by: Asking, run: () => Promise<T>): Promise<T | undefined> {
      const places = by.isVerified ? placesOfUser(by) : placesOfStranger(by)
      if (places.some(({ key, amount, max }) => countOf(key) + amount > max)) return undefined
      for (const { key, amount } of places) add(key, amount)
      try {
        return await run()
      } finally {
        for (const { key, amount } of places) add(key, -amount)
      }
    },
  }
}

function placesOfLong(
  whose: string,
  longBytes: number | undefined,
  max: { readonly requests: number; readonly bytes: number },
): readonly Place[] {
  if (longBytes === undefined) return []
  return [
    { key: `long ${whose}`, amount: 1, max: max.requests },
    { key: `bytes ${whose}`, amount: longBytes, max: max.bytes },
  ]
}

/** Has the body's fingerprint, which is shorter than the body. The JSON has no line end, so keys cannot be forged. */
function keyOf({ path, stamps, dialect, sourceAddress = '', isLocal, proxied }: Request, fingerprint: string): string {
  const head = JSON.stringify([
    dialect,
    path,
    sourceAddress,
    isLocal === true,
    // Two unstamped requests with the same bytes are two.
    proxied?.requestId ?? '',
    stamps.map(({ header, value }) => [header, value]),
  ])
  return `${head}\n${fingerprint}`
}
