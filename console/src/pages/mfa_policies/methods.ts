import type { Queries } from '../../api/operations.ts'
import type { Texts } from '../../texts/types.ts'

export type User = Queries['get_organization']['result']['organizationData']['users'][number]
export type MfaPolicy = User['mfaPolicies'][number]
export type Step = MfaPolicy['requiredAuthenticationMethods'][number]
export type Method = Step['any'][number]
export type Profile = Queries['get_session_profiles']['result']['sessionProfiles'][number]

/** The credentials of a user and the session profiles of the organization, which methods can name. */
export type Owned = { readonly user: User; readonly profiles: readonly Profile[] }

/** The methods of which a step of this user may take one: each kind, and each thing that the user has. */
export function methodsOf({ user, profiles }: Owned): readonly Method[] {
  return [
    { type: 'AUTHENTICATION_TYPE_PASSKEY' },
    ...user.authenticators.map(({ authenticatorId: id }) => ({ type: 'AUTHENTICATION_TYPE_PASSKEY' as const, id })),
    { type: 'AUTHENTICATION_TYPE_EMAIL_OTP' },
    { type: 'AUTHENTICATION_TYPE_SMS_OTP' },
    { type: 'AUTHENTICATION_TYPE_API_KEY' },
    ...user.apiKeys
      .filter(({ credential }) => credential.type.startsWith('CREDENTIAL_TYPE_API_KEY'))
      .map(({ apiKeyId: id }) => ({ type: 'AUTHENTICATION_TYPE_API_KEY' as const, id })),
    { type: 'AUTHENTICATION_TYPE_SESSION' },
    ...profiles.map(({ sessionProfileId: id }) => ({ type: 'AUTHENTICATION_TYPE_SESSION' as const, id })),
    { type: 'AUTHENTICATION_TYPE_OAUTH' },
    ...user.oauthProviders.map(({ providerId: id }) => ({ type: 'AUTHENTICATION_TYPE_OAUTH' as const, id })),
  ]
}

export function keyOf({ type, id = '' }: Method): string {
  return `${type} ${id}`
}

/** A method in words. A thing that nobody knows any more is named by its id. */
export function methodText(method: Method, owned: Owned, texts: Texts['mfaPolicies']): string {
  const kind = texts.methods[method.type]
  return method.id === undefined ? kind : texts.named(kind, nameOf(method.id, owned) ?? method.id)
}

function nameOf(id: string, { user, profiles }: Owned): string | undefined {
  const names = [
    ...user.authenticators.map((one) => [one.authenticatorId, one.authenticatorName] as const),
    ...user.apiKeys.map((one) => [one.apiKeyId, one.apiKeyName] as const),
    ...user.oauthProviders.map((one) => [one.providerId, one.providerName] as const),
    ...profiles.map((one) => [one.sessionProfileId, one.sessionProfileName] as const),
  ]
  return names.find(([known]) => known === id)?.[1]
}
