import type { Asker } from './places.ts'

/** Askers that are remembered. Those forgotten are strangers until their next request. */
export const verifiedMax = 16_384

/** `isRefused`: the last stamp of the asker was a wrong one. */
type Known = { readonly userId: string; readonly isRefused: boolean }

/**
 * Remembers the askers whose stamp the vault has verified: a credential of an organization, at one address. A name
 * in a body, under a stamp that nobody has verified, takes no place of the organization
 * (docs/decisions/0071-places-before-a-stamp-is-verified.md).
 */
export function createVerified() {
  /** The one that was seen the longest ago first. */
  const known = new Map<string, Known>()

  function keep(key: string, one: Known): void {
    known.delete(key)
    const [oldest] = known.keys()
    if (known.size >= verifiedMax && oldest !== undefined) known.delete(oldest)
    known.set(key, one)
  }

  return {
    /** Undefined for an asker with whose credential nobody has stamped yet. */
    of(asker: Asker): Known | undefined {
      return known.get(keyOf(asker))
    },
    /** The vault has verified a stamp of this asker: it is of this user. */
    learn(asker: Asker, userId: string): void {
      if (asker.credential !== undefined) keep(keyOf(asker), { userId, isRefused: false })
    },
    /**
     * The vault has refused a stamp of this asker: a key was deleted, or somebody else names it. The asker takes no place
     * of the organization until the next stamp holds, but what it asks for stays the work of its user.
     */
    refuse(asker: Asker): void {
      const key = keyOf(asker)
      const one = known.get(key)
      if (one !== undefined) keep(key, { ...one, isRefused: true })
    },
  }
}

function keyOf({ organizationId, credential = '', peer }: Asker): string {
  return `${organizationId} ${peer} ${credential}`
}
