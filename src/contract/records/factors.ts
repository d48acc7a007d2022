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
 * that another session opened has the factor of that one, so it ends too. A session from before sessions kept their
 * factor may be of any credential, so it ends with each. A session is no factor of others: a client renews one session by
 * another, and removes the older.
 */
export function withoutCredentialsAndSessions(found: User, left: Partial<Credentials>): User {
  const changed = { ...found, ...left }
  const factorsLeft = new Set(factorsOf(changed))
  const removed = new Set(factorsOf(found).filter((factor) => !factorsLeft.has(factor)))
  if (removed.size === 0) return changed
  const isOpenedByRemoved = ({ credentialType, openedBy }: ApiKey) =>
    credentialType === 'CREDENTIAL_TYPE_LOGIN' && (openedBy === undefined || removed.has(publicKeyName(openedBy)))
  return { ...changed, apiKeys: changed.apiKeys.filter((key) => !isOpenedByRemoved(key)) }
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
