import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { note, text } from '../../contract/explanation/shown_values.ts'
import { BearerToken } from '../../contract/fields/bearer_token.ts'
import { fields } from '../../contract/fields/fields.ts'
import {
  accountOfIdentity,
  idTokenId,
  isBoundTo,
  oidcIdentityKey,
  tooOldReason,
  unverifiedSubject,
} from '../../protocol/tokens/id_tokens.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { IdToken, identityReads } from '../oauth_providers/shared/new_oauth_providers.ts'
import { loginContent } from './shared/login_explanation.ts'
import { addSession, checkSession, sessionParameters, sessionReads } from './shared/new_sessions.ts'
import { usedTokenReads, useUp } from './shared/verification_tokens.ts'

const fieldPath = 'parameters.oidcToken'

const tokenInvalid = (reason: string) => new Failure('OIDC_TOKEN_INVALID', { fieldPath, reason })

const schema = fields({ oidcToken: IdToken, ...sessionParameters })

export default defineActivity({
  name: 'oauth_login',
  summary: 'Logs in the user whose identity an ID token of an OIDC issuer proves.',
  policy: { resource: 'AUTH', action: 'CREATE' },
  logsIn: true,
  parameters: schema,
  result: Type.Object({ session: BearerToken }),
  openToParent: true,
  check: checkSession,
  needs: (parameters) => [
    ...sessionReads(parameters),
    ...identityReads([parameters]),
    ...usedTokenReads(idTokenId(parameters.oidcToken)),
  ],
  oidcTokens: ({ oidcToken }) => [{ token: oidcToken, fieldPath }],

  explain(context) {
    const { oidcToken } = context.parameters
    const identity = unverifiedSubject(oidcToken)
    return loginContent(
      {
        ...{ code: 'oauth_login', schema, by: identity === undefined ? note('unreadable') : text(identity.subject) },
        find: (organization) =>
          identity === undefined ? [] : organization.found('user', 'oidc_identity', oidcIdentityKey(identity)),
      },
      context,
    )
  },

  run({ organization, parameters, oidcIdentity, ...context }) {
    const identity = oidcIdentity(parameters.oidcToken)
    // The nonce binds the token to the session's key, so nobody else who has the token can log in with it.
    if (!isBoundTo(parameters.publicKey, identity)) {
      const reason = 'its nonce must be the SHA-256 of the text of parameters.publicKey, in lower-case hex'
      throw tokenInvalid(reason)
    }
    // The token was valid when the login was submitted, and votes may take longer than it lasts. They may not take longer
    // than the vault itself remembers its use.
    if (identity.tooOldAtMs <= context.nowMs) throw tokenInvalid(tooOldReason)
    // A session that has ended must not come back by the token that opened it. A token that proves an identity, as for a
    // sign-up, is not used up by that: the login follows.
    const { organizationId } = organization
    useUp({ id: idTokenId(parameters.oidcToken), organizationId }, { organization, ...context }, tokenInvalid)
    // At most one user of the organization has an identity.
    const key = oidcIdentityKey(identity)
    const [user] = organization.found('user', 'oidc_identity', key)
    if (user === undefined) {
      throw new Failure('NOT_FOUND', 'no user of this organization has the identity that the token shows')
    }
    const given = { ...parameters, factor: accountOfIdentity(key) }
    return { session: addSession(user, given, { organization, ...context }) }
  },
})
