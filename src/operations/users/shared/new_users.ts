import type { ActivityContext } from '../../../contract/define.ts'
import { distinctIds, type Id } from '../../../contract/fields/ids.ts'
import type { Limits } from '../../../contract/limits.ts'
import { each, lookup, type Need, unused } from '../../../contract/needs.ts'
import {
  type ApiKey,
  apiKeyLookups,
  isExpired,
  type User,
  type WithoutTimes,
} from '../../../contract/records/records.ts'
import { type ApiKeyCurve, parseApiPublicKey } from '../../../protocol/stamps/api_keys.ts'
import type { Pause } from '../../../protocol/tools/pause.ts'
import { Failure, fieldInvalid } from '../../../protocol/wire/failures.ts'
import {
  checkAuthenticators,
  type GivenAuthenticator,
  newAuthenticator,
  type ParsedAuthenticator,
  parsedAuthenticators,
  unusedAuthenticator,
  withAuthenticators,
} from '../../authenticators/shared/new_authenticators.ts'

/** New users and their credentials in the parameters of any operation. */
export type GivenApiKey = {
  readonly apiKeyName: string
  readonly publicKey: string
  readonly curveType: ApiKeyCurve
  readonly expirationSeconds?: string
}
export type GivenUser = {
  readonly userName: string
  readonly userEmail?: string | undefined
  readonly userPhoneNumber?: string | undefined
  readonly apiKeys: readonly GivenApiKey[]
  readonly authenticators?: readonly ParsedAuthenticator[]
  readonly userTags: readonly Id[]
}

type NewUser = WithoutTimes<User>
type Circumstances = {
  readonly nowMs: number
  readonly newId: () => Id
  /** When the request came, if the keys are only claimed by it. Undefined: somebody vouches for them. */
  readonly claimedAtMs: number | undefined
}
type Adding = Pick<ActivityContext<unknown>, 'organization' | 'caller' | 'submitted'>
type CircumstancesOfUser = Circumstances & { readonly limits: Limits }

/** Returns the users with passkeys that read their registrations once. */
export function parsedUsers<U extends { readonly authenticators: readonly GivenAuthenticator[] }>(
  given: readonly U[],
  fieldPath: string,
) {
  return given.map((user, index) => ({
    ...user,
    authenticators: parsedAuthenticators(user.authenticators, `${fieldPath}[${index}].authenticators`),
  }))
}

/** Makes users that `checkUsers` has passed. Throws LIMIT_REACHED for more credentials than a user may have. */
export function newUsers(given: readonly GivenUser[], circumstances: CircumstancesOfUser): readonly NewUser[] {
  return given.map((one) => newUser(one, circumstances))
}

export function newUser(given: GivenUser, { nowMs, newId, claimedAtMs, limits }: CircumstancesOfUser): NewUser {
  const user = {
    userId: newId(),
    userName: given.userName,
    ...(given.userEmail === undefined ? {} : { userEmail: given.userEmail }),
    ...(given.userPhoneNumber === undefined ? {} : { userPhoneNumber: given.userPhoneNumber }),
    apiKeys: [],
    authenticators: [],
    oauthProviders: [],
    userTags: distinctIds(given.userTags),
  }
  const apiKeys = given.apiKeys.map((apiKey) => newApiKey(apiKey, { nowMs, newId, claimedAtMs }))
  const authenticators = (given.authenticators ?? []).map((one) => newAuthenticator(one, { nowMs, newId }))
  return withAuthenticators(withApiKeys(user, apiKeys, { limits, nowMs }), authenticators, limits)
}

/** Gives keys that name no curve the curve P-256, which was the only one in older types. */
export function onP256<T extends { readonly apiKeys: readonly Omit<GivenApiKey, 'curveType'>[] }>(holder: T) {
  const curveType = 'API_KEY_CURVE_P256' as const
  return { ...holder, apiKeys: holder.apiKeys.map((apiKey) => ({ ...apiKey, curveType })) }
}

/**
 * When a key that the caller adds is claimed. Undefined: it is the user's by more than the caller's word. In a
 * sub-organization it is not: anybody may have one. An organization without a parent vouches for what its rules allow. A
 * user may add keys to its own record without a rule, so only the root quorum's users vouch for their own.
 */
export function claimedAt({ organization, caller, submitted }: Adding, userId?: string): number | undefined {
  if (organization.parentId !== undefined) return submitted.atMs
  const isVouchedFor = userId !== caller.user.userId || organization.rootQuorum.userIds.includes(userId)
  return isVouchedFor ? undefined : submitted.atMs
}

/** Makes a key that `checkApiKeys` has passed. */
export function newApiKey(given: GivenApiKey, { nowMs, newId, claimedAtMs }: Circumstances): ApiKey {
  return {
    apiKeyId: newId(),
    apiKeyName: given.apiKeyName,
    publicKey: normalized(given),
    curveType: given.curveType,
    ...(given.expirationSeconds === undefined ? {} : { expirationSeconds: Number(given.expirationSeconds) }),
    ...(claimedAtMs === undefined ? {} : { isClaimed: true }),
    ...(claimedAtMs === undefined || claimedAtMs === nowMs ? {} : { claimedAtMs }),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/** Checks that every key is a point of its curve and that the request names each once. */
export async function checkApiKeys(
  given: readonly GivenApiKey[],
  { fieldPath, pause, seen = new Set() }: { fieldPath: string; pause: Pause; seen?: Set<string> },
): Promise<void> {
  for (const [index, apiKey] of given.entries()) {
    if (index > 0) await pause()
    const at = `${fieldPath}[${index}]`
    const publicKey = publicKeyOf(apiKey, at)
    if (seen.has(publicKey)) {
      throw new Failure('NAME_TAKEN', { fieldPath: `${at}.publicKey`, expected: 'a key that the request names once' })
    }
    seen.add(publicKey)
  }
}

export async function checkUsers(given: readonly GivenUser[], fieldPath: string, pause: Pause): Promise<void> {
  const seen = { apiKeys: new Set<string>(), authenticators: new Set<string>() }
  for (const [index, user] of given.entries()) {
    if (index > 0) await pause()
    await checkApiKeys(user.apiKeys, { fieldPath: `${fieldPath}[${index}].apiKeys`, pause, seen: seen.apiKeys })
    checkAuthenticators(user.authenticators ?? [], seen.authenticators)
  }
}

/** The key as records have it. `checkApiKeys` checks whether it is a key at all. */
function normalized({ publicKey }: GivenApiKey): string {
  return publicKey.toLowerCase()
}

/** Requires that no user of the organization has these public keys. */
export function unusedKeys(given: readonly GivenApiKey[], fieldPath: string): readonly Need[] {
  return given.flatMap((apiKey, index) => {
    const at = `${fieldPath}[${index}]`
    return unusedKey(normalized(apiKey), `${at}.publicKey`)
  })
}

/** Requires that no user of the organization has this public key, claims it, or asks for it by a request that waits. */
export function unusedKey(publicKey: string, fieldPath: string): readonly Need[] {
  return [...apiKeyLookups.map((name) => unused(name, publicKey, fieldPath)), lookup('waiting_credential', publicKey)]
}

/** Requires that no user of the organization has these public keys or passkeys. */
export function unusedKeysOfUsers(given: readonly GivenUser[], fieldPath: string): readonly Need[] {
  return given.flatMap(({ apiKeys, authenticators = [] }, index) => [
    ...unusedKeys(apiKeys, `${fieldPath}[${index}].apiKeys`),
    ...authenticators.flatMap(unusedAuthenticator),
  ])
}

export function tagsOfUsers(given: readonly GivenUser[], fieldPath: string): readonly Need[] {
  return given.flatMap(({ userTags }, index) => each('user_tag', userTags, `${fieldPath}[${index}].userTags`))
}

/**
 * Adds API keys to a user. Long-lived keys have a maximum. Over the maximum of expiring keys, expired keys are removed
 * first, then the oldest. Recovery credentials replace only one another, and so do sessions: a parent may start a
 * recovery, and a reader of the user's mail a session. Neither must remove keys that the user has.
 */
export function withApiKeys<U extends NewUser>(
  user: U,
  added: readonly ApiKey[],
  { limits, nowMs }: { readonly limits: Limits; readonly nowMs: number },
): U {
  const all = [...user.apiKeys, ...added]
  const longLived = all.filter(({ expirationSeconds }) => expirationSeconds === undefined)
  if (longLived.length > limits.longLivedApiKeysPerUserMax) {
    throw new Failure(
      'LIMIT_REACHED',
      `user has exceeded maximum long-lived api keys (${limits.longLivedApiKeysPerUserMax})`,
    )
  }
  const isExpiring = ({ expirationSeconds }: ApiKey) => expirationSeconds !== undefined
  // Older keys make place, but a request must not remove the keys that it adds itself.
  if (added.filter(isExpiring).length > limits.expiringApiKeysPerUserMax) {
    throw new Failure(
      'LIMIT_REACHED',
      `user has exceeded maximum short-lived api keys (${limits.expiringApiKeysPerUserMax})`,
    )
  }
  const kinds = Map.groupBy(all.filter(isExpiring), ({ credentialType }) => credentialType)
  const newest = [...kinds.values()].flatMap((apiKeys) =>
    newestFirst(apiKeys, nowMs).slice(0, limits.expiringApiKeysPerUserMax),
  )
  const kept = new Set([...longLived, ...newest])
  return { ...user, apiKeys: all.filter((apiKey) => kept.has(apiKey)) }
}

/** The keys that have not expired, then the expired ones; the newest first in each part. */
function newestFirst(apiKeys: readonly ApiKey[], nowMs: number): readonly ApiKey[] {
  return apiKeys
    .map((apiKey, index) => ({ apiKey, index, isExpired: isExpired(apiKey, nowMs) }))
    .sort((a, b) => Number(a.isExpired) - Number(b.isExpired) || b.index - a.index)
    .map(({ apiKey }) => apiKey)
}

function publicKeyOf({ curveType, publicKey }: GivenApiKey, fieldPath: string): string {
  const parsed = parseApiPublicKey({ curveType, publicKey })
  if (parsed !== undefined) return parsed
  const expected =
    curveType === 'API_KEY_CURVE_ED25519'
      ? '32 bytes in hex, a point of prime order'
      : 'a compressed point of the curve: 33 bytes in hex'
  throw fieldInvalid(`${fieldPath}.publicKey`, expected)
}
