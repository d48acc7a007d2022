import type { User } from '../../../contract/records/records.ts'

/** The credentials that users of an organization had and have no more, each with its user as that was then. */
export type FormerUsers = {
  /** Takes a change of a user. `after` undefined: the user is removed. */
  note(before: User | undefined, after: User | undefined): void
  /** The user with each removed credential alone, and without any if the user was removed. */
  of(userId: string): readonly User[]
  /** Whether none was forgotten. */
  areWhole(): boolean
}

/** The latest ones are remembered. A late entry is one of a few before a power cut. */
const credentialsMax = 65_536

export function createFormerUsers(keptMax = credentialsMax): FormerUsers {
  const kept = new Map<string, User>()
  let forgotten = 0

  function keep(user: User, credential: string): void {
    const name = `${user.userId} ${credential}`
    kept.delete(name)
    kept.set(name, user)
    if (kept.size <= keptMax) return
    kept.delete(kept.keys().next().value ?? name)
    forgotten += 1
  }

  return {
    note(before, after) {
      if (before === undefined) return
      const stays = new Set([
        ...(after?.apiKeys.map(({ publicKey }) => publicKey) ?? []),
        ...(after?.authenticators.map(({ credentialId }) => credentialId) ?? []),
      ])
      const bare = { ...before, apiKeys: [], authenticators: [] }
      for (const key of before.apiKeys) {
        if (!stays.has(key.publicKey)) keep({ ...bare, apiKeys: [key] }, key.publicKey)
      }
      for (const passkey of before.authenticators) {
        if (!stays.has(passkey.credentialId)) keep({ ...bare, authenticators: [passkey] }, passkey.credentialId)
      }
      if (after === undefined) keep(bare, '')
    },
    of: (userId) => [...kept.values()].filter((user) => user.userId === userId),
    areWhole: () => forgotten === 0,
  }
}
