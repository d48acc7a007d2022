import type { ActivityContext, BoundActivity, BoundQuery } from '../../contract/define.ts'
import type { OidcIdentity } from '../../contract/oidc.ts'
import type { VaultServices } from '../state/vault_services.ts'

type Verifying = { readonly services: Pick<VaultServices, 'verifyOidcToken'>; readonly nowMs: number }

/**
 * Verifies the ID tokens that a request names and returns what they say. A token must be valid at `submittedAtMs`, when
 * the request was submitted, because votes may take longer than the token lasts. All tokens are verified at once,
 * because each may wait for its issuer.
 */
export async function verifyOidcTokens(
  { services, nowMs }: Verifying,
  bound: BoundActivity | BoundQuery,
  submittedAtMs: number,
): Promise<ActivityContext<unknown>['oidcIdentity']> {
  const verified = await Promise.all(
    bound.oidcTokens().map(async ({ token, ...named }) => {
      const identity = await services.verifyOidcToken({ token, ...named, nowMs, validAtMs: submittedAtMs })
      return [token, identity] as const
    }),
  )
  const identities = new Map<string, OidcIdentity>(verified)
  return (token) => {
    const identity = identities.get(token)
    if (identity === undefined) throw new Error('`oidcTokens` did not name this token')
    return identity
  }
}
