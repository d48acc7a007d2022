import type { ActivityContext, BoundActivity, BoundQuery } from '../../contract/define.ts'
import type { OidcIdentity } from '../../contract/oidc.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import type { VaultServices } from '../state/vault_services.ts'

type Verifying = {
  readonly services: Pick<VaultServices, 'verifyOidcToken'>
  readonly nowMs: number
  readonly pause: Pause
}

/** The most tokens of a request that are verified at once. Each may wait for its issuer. */
const atOnceMax = 32

/**
 * Verifies the ID tokens that a request names and returns what they say. A token must be valid at `submittedAtMs`, when
 * the request was submitted, because votes may take longer than the token lasts.
 */
export async function verifyOidcTokens(
  { services, nowMs, pause }: Verifying,
  bound: Pick<BoundActivity | BoundQuery, 'oidcTokens'>,
  submittedAtMs: number,
): Promise<ActivityContext<unknown>['oidcIdentity']> {
  const identities = new Map<string, OidcIdentity>()
  const tokens = bound.oidcTokens()
  for (let from = 0; from < tokens.length; from += atOnceMax) {
    if (from > 0) await pause()
    await Promise.all(
      tokens.slice(from, from + atOnceMax).map(async ({ token, ...named }) => {
        identities.set(token, await services.verifyOidcToken({ token, ...named, nowMs, validAtMs: submittedAtMs }))
      }),
    )
  }
  return (token) => {
    const identity = identities.get(token)
    if (identity === undefined) throw new Error('`oidcTokens` did not name this token')
    return identity
  }
}
