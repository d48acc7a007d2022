import Type from 'typebox'
import type { ActivityContext, Login } from '../../../contract/define.ts'
import { lowerCase } from '../../../contract/fields/check_object.ts'
import { Flag, optional, SessionSeconds, Uuid } from '../../../contract/fields/fields.ts'
import type { Id } from '../../../contract/fields/ids.ts'
import { maybe, type Need, ofParent } from '../../../contract/needs.ts'
import type { ApiKey, SessionProfile, User } from '../../../contract/records/records.ts'
import { parseApiPublicKey } from '../../../protocol/stamps/api_keys.ts'
import { Failure, fieldInvalid } from '../../../protocol/wire/failures.ts'
import { newApiKey, unusedKey, withApiKeys } from '../../users/shared/new_users.ts'

/** The parameters that all logins share. */
export const sessionParameters = {
  publicKey: Type.String({ maxLength: 66, expected: 'a compressed public key of P-256 in hex', ...lowerCase }),
  expirationSeconds: optional(SessionSeconds),
  invalidateExisting: optional(Flag),
  sessionProfileId: optional(Uuid),
}

type GivenSession = {
  readonly publicKey: string
  readonly expirationSeconds?: string
  readonly invalidateExisting?: boolean
  readonly sessionProfileId?: Id
}

const secondsDefault = '900'
const fieldPath = 'parameters'

export function checkSession({ publicKey }: GivenSession): void {
  if (parseApiPublicKey(keyOf({ publicKey })) !== undefined) return
  throw fieldInvalid(`${fieldPath}.publicKey`, 'a compressed public key of P-256 in hex')
}

export function sessionReads({ publicKey, sessionProfileId }: GivenSession): readonly Need[] {
  const profile = sessionProfileId === undefined ? [] : [maybe('session_profile', sessionProfileId)]
  return [...unusedKey(publicKey, `${fieldPath}.publicKey`), ...profile, ...profile.map(ofParent)]
}

/**
 * Logs the user in: the public key becomes an API key of the user until it expires. The returned text only describes
 * the session to the client. The key stamps later requests. `factor` is what the login proved. Without one, as with a
 * passcode, the session is a factor of its own, and rests on the contact to which the code was sent, as `ApiKey` says.
 * `opener` is the key of the user that stamped the login, if one did. `login` says what holds for it besides.
 */
export function addSession(
  user: User,
  given: GivenSession &
    Pick<ApiKey, 'codeSentTo'> & {
      readonly factor?: string | undefined
      readonly opener?: ApiKey | undefined
      readonly isKeyProved?: boolean
    },
  {
    organization,
    keys,
    limits,
    nowMs,
    newId,
    login,
    submitted,
  }: Pick<ActivityContext<unknown>, 'organization' | 'keys' | 'limits' | 'nowMs' | 'newId' | 'login' | 'submitted'>,
): string {
  const { invalidateExisting = false, isKeyProved = false } = given
  const profile = profileOf(given, organization)
  const expirationSeconds = secondsOf(given, profile, login)
  const remaining = invalidateExisting
    ? user.apiKeys.filter(({ credentialType }) => credentialType !== 'CREDENTIAL_TYPE_LOGIN')
    : user.apiKeys
  // The person who logs in chooses the key, and need not have it.
  const claimedAtMs = isKeyProved ? undefined : submitted.atMs
  const key = newApiKey({ ...keyOf(given), expirationSeconds }, { nowMs, newId, claimedAtMs })
  const { sessionProfileId } = profile ?? {}
  const added = {
    ...key,
    credentialType: 'CREDENTIAL_TYPE_LOGIN',
    ...(sessionProfileId === undefined ? {} : { sessionProfileId }),
    openedBy: given.factor ?? key.publicKey,
    ...(login.isOfAuthProxy === undefined ? {} : { isOfAuthProxy: login.isOfAuthProxy }),
    ...(given.codeSentTo === undefined ? {} : { codeSentTo: given.codeSentTo }),
    ...throughOf(given.opener, remaining),
  } as const
  organization.users.put(withApiKeys({ ...user, apiKeys: remaining }, [added], { limits, nowMs }))
  return keys.sessionToken({
    publicKey: added.publicKey,
    sessionType: profile?.sessionProfileName ?? 'SESSION_TYPE_READ_WRITE',
    userId: user.userId,
    organizationId: organization.organizationId,
    ...(profile === undefined ? {} : { sessionProfileId: profile.sessionProfileId, scope: profile.scope }),
    expiresAtMs: nowMs + Number(expirationSeconds) * 1_000,
  })
}

/** The sessions through which a session opens, and with each of which it ends. One that has ended ends it no more. */
function throughOf(opener: ApiKey | undefined, remaining: readonly ApiKey[]): Pick<ApiKey, 'openedThrough'> {
  if (opener?.credentialType !== 'CREDENTIAL_TYPE_LOGIN') return {}
  const there = new Set(remaining.map(({ apiKeyId }) => apiKeyId))
  const openedThrough = [opener.apiKeyId, ...(opener.openedThrough ?? [])].filter((id) => there.has(id))
  return openedThrough.length === 0 ? {} : { openedThrough }
}

/** The session profile, which sub-organizations share with their parent. */
function profileOf(
  { sessionProfileId }: GivenSession,
  { sessionProfiles, parent }: ActivityContext<unknown>['organization'],
): SessionProfile | undefined {
  if (sessionProfileId === undefined) return undefined
  const found = sessionProfiles.find(sessionProfileId) ?? parent?.sessionProfiles.find(sessionProfileId)
  if (found !== undefined) return found
  throw new Failure('NOT_FOUND', {
    fieldPath: `${fieldPath}.sessionProfileId`,
    expected: 'an existing session profile',
  })
}

/** The shortest of the requested time, the profile's time, and the longest that the login allows. */
function secondsOf(
  { expirationSeconds }: GivenSession,
  profile: SessionProfile | undefined,
  { secondsMax = Number.POSITIVE_INFINITY }: Login,
): string {
  const given = [expirationSeconds, profile?.expirationSeconds].filter((seconds) => seconds !== undefined)
  return String(Math.min(secondsMax, ...(given.length === 0 ? [secondsDefault] : given).map(Number)))
}

function keyOf({ publicKey }: Pick<GivenSession, 'publicKey'>) {
  return { apiKeyName: `session ${publicKey}`, publicKey, curveType: 'API_KEY_CURVE_P256' } as const
}
