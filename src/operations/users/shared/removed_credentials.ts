import { withoutCredentialsAndSessions } from '../../../contract/records/factors.ts'
import type { User } from '../../../contract/records/records.ts'
import { Failure } from '../../../protocol/wire/failures.ts'

/** The lists of credentials: the member that has an id, and what messages call one. */
const lists = {
  apiKeys: { id: 'apiKeyId', name: 'api key' },
  authenticators: { id: 'authenticatorId', name: 'authenticator' },
  oauthProviders: { id: 'providerId', name: 'oauth provider' },
} as const

/** `ids`: in lower case, each once. */
export type Removal = { readonly list: keyof typeof lists; readonly ids: readonly string[] }

/** The credentials of the list that stay. */
export function credentialsLeft(user: User, { list, ids }: Removal): Partial<Pick<User, keyof typeof lists>> {
  return { [list]: user[list].filter((credential) => !ids.includes(Reflect.get(credential, lists[list].id))) }
}

/**
 * Removes credentials, and the sessions that they opened. `stampedBy` is the public key of who asked
 * (`withoutCredentialsAndSessions`). Throws NOT_FOUND for an id that no credential has.
 */
export function withoutCredentials(user: User, { list, ids }: Removal, stampedBy?: string): User {
  const { id, name } = lists[list]
  const known = new Set<unknown>(user[list].map((credential) => Reflect.get(credential, id)))
  const absentId = ids.find((one) => !known.has(one))
  if (absentId !== undefined) throw new Failure('NOT_FOUND', `there is no ${name} ${absentId} of this user`)
  return withoutCredentialsAndSessions(user, credentialsLeft(user, { list, ids }), stampedBy)
}
