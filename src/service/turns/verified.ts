import type { Asker } from './places.ts'

/** Askers that are remembered. Those forgotten are strangers until their next request. */
export const verifiedMax = 16_384

/**
 * Remembers the askers whose stamp the vault has verified: a credential of an organization, at one address. A name
 * in a body, under a stamp that nobody has verified, takes no place of the organization
 * (docs/decisions/0071-places-before-a-stamp-is-verified.md).
 */
export function createVerified() {
  /** The one that was seen the longest ago first. */
  const known = new Set<string>()

  return {
    has(asker: Asker): boolean {
      return known.has(keyOf(asker))
    },
    /** `status`: of the answer to a request of this asker. Other answers than these two do not tell who it is. */
    learn(asker: Asker, status: number): void {
      if (asker.credential === undefined || (status !== 200 && status !== 401)) return
      const key = keyOf(asker)
      known.delete(key)
      if (status === 401) return
      const [oldest] = known
      if (known.size >= verifiedMax && oldest !== undefined) known.delete(oldest)
      known.add(key)
    },
  }
}

function keyOf({ organizationId, credential = '', peer }: Asker): string {
  return `${organizationId} ${peer} ${credential}`
}
