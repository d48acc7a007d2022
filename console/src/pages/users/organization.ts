import type { Queries } from '../../api/operations.ts'

export type Organization = Queries['get_organization']['result']['organizationData']
export type User = Organization['users'][number]
export type ApiKey = User['apiKeys'][number]

export type CredentialKind = 'apiKey' | 'session' | 'link'

/** An API key that a user brought, a key of a session, or a link that adds a passkey. */
export function credentialKind({ credential: { type } }: ApiKey): CredentialKind {
  if (type === 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256') return 'link'
  return type.startsWith('CREDENTIAL_TYPE_API_KEY') ? 'apiKey' : 'session'
}

/** Whether a user can approve when no session is open. The server judges alike (`src/operations/users/shared/lockout.ts`). */
export function hasLastingCredential({ authenticators, oauthProviders, apiKeys }: User): boolean {
  const isLasting = ({ expirationSeconds }: ApiKey) => expirationSeconds === undefined
  return authenticators.length > 0 || oauthProviders.length > 0 || apiKeys.some(isLasting)
}
