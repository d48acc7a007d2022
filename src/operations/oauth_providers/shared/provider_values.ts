import type { Value } from '../../../contract/explanation/explanation.ts'
import { note, text, tree } from '../../../contract/explanation/shown_values.ts'
import { identityRows } from '../../../contract/explanation/stated_credentials.ts'
import type { OauthProvider } from '../../../contract/records/records.ts'
import { unverifiedSubject } from '../../../protocol/tokens/id_tokens.ts'
import { type GivenOauthProvider, identityOf } from './new_oauth_providers.ts'

/** Shows a new identity. The server verifies its token before the identity counts. */
export function newProviderValue({ providerName, oidcToken, oidcClaims }: GivenOauthProvider): Value {
  const identity = oidcClaims === undefined ? unverifiedSubject(oidcToken ?? '') : identityOf(oidcClaims)
  if (identity === undefined) return tree({ name: text(providerName), identity: note('unreadable') })
  return tree({
    name: text(providerName),
    ...identityRows(identity, oidcClaims === undefined ? 'byToken' : 'byClaims'),
  })
}

/** Shows an identity that a user has. */
export function providerValue({ providerName, issuer, subject, audience }: OauthProvider): Value {
  return tree({ name: text(providerName), issuer: text(issuer), subject: text(subject), audience: text(audience) })
}
