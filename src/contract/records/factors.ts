import { publicKeyName } from '../../protocol/stamps/cose_keys.ts'
import { accountOfIdentity, oidcIdentityKey } from '../../protocol/tokens/id_tokens.ts'
import type { ApiKey, Authenticator, OauthProvider, User } from './record_types.ts'

type Credentials = Pick<User, 'apiKeys' | 'authenticators' | 'oauthProviders'>

/** The key of a passkey as votes record it: the COSE_Key in lower-case hex. */
export function recordedKeyOf({ cosePublicKey }: Pick<Authenticator, 'cosePublicKey'>): string {
  return Buffer.from(cosePublicKey, 'base64url').toString('hex')
}

/**
 * Returns the user with the credentials that are `left`, and without the sessions that the removed ones opened. A session
 * that another session opened has the factor of that one, so it ends with that factor too. A session from before sessions
 * kept their factor may be of any credential, so it ends with each. `stampedBy` is the public key that asks for it: a client
 * renews one session by another and removes the older, so the session that asks, and those that it opened, go on.
 */
export function withoutCredentialsAndSessions(
  found: User,
  left: Partial<Credentials>,
  stampedBy: string | undefined,
): User {
  const changed = { ...found, ...left }
  const factorsLeft = new Set(factorsOf(changed))
  const removed = new Set(factorsOf(found).filter((factor) => !factorsLeft.has(factor)))
  const removedIds = new Set(found.apiKeys.filter((key) => !changed.apiKeys.includes(key)).map(idOf))
  const asking = changed.apiKeys.find(({ publicKey }) => publicKey === stampedBy)
  const isEnded = (key: ApiKey) =>
    key.credentialType === 'CREDENTIAL_TYPE_LOGIN' &&
    (isOfFactor(key, removed) || lineOf(key, asking).some((id) => removedIds.has(id)))
  return { ...changed, apiKeys: changed.apiKeys.filter((key) => !isEnded(key)) }
}

const idOf = ({ apiKeyId }: ApiKey): string => apiKeyId

function isOfFactor({ openedBy }: ApiKey, removed: ReadonlySet<string>): boolean {
  return openedBy === undefined ? removed.size > 0 : removed.has(publicKeyName(openedBy))
}

/** The session and those through which it was opened, up to the one that asks for the removal. */
function lineOf({ apiKeyId, openedThrough = [] }: ApiKey, asking: ApiKey | undefined): readonly string[] {
  const line = [apiKeyId, ...openedThrough]
  const end = asking === undefined ? -1 : line.indexOf(asking.apiKeyId)
  return end === -1 ? line : line.slice(0, end)
}

/**
 * The user with the credentials alone that were there at this time and are there still. One that was removed and added
 * again is another one: whoever held it before may have been the reason for its removal.
 */
export function withCredentialsSince(user: User, timeMs: number): User {
  const wasThere = ({ createdAtMs }: { readonly createdAtMs: number }) => createdAtMs <= timeMs
  return {
    ...user,
    apiKeys: user.apiKeys.filter(wasThere),
    authenticators: user.authenticators.filter(wasThere),
    oauthProviders: user.oauthProviders.filter(wasThere),
  }
}

/** The factors that credentials of the user prove, as `factorOf` of `policy/mfa.ts` names them. */
export function factorsOf({ apiKeys, authenticators, oauthProviders }: Credentials): readonly string[] {
  return [
    ...recordedKeysOf({ apiKeys, authenticators }).map(publicKeyName),
    ...oauthProviders.map((provider: OauthProvider) => accountOfIdentity(oidcIdentityKey(provider))),
  ]
}

/** The keys of a user's own API keys and of the passkeys, as votes record them. No session is among them. */
function recordedKeysOf({ apiKeys, authenticators }: Omit<Credentials, 'oauthProviders'>): readonly string[] {
  const own = apiKeys.filter(({ credentialType }) => credentialType === undefined)
  return [...own.map(({ publicKey }) => publicKey), ...authenticators.map(recordedKeyOf)]
}
