import Type from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { row } from '../../contract/explanation/shown_values.ts'
import { fields, list, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import type { OidcIdentity } from '../../contract/oidc.ts'
import type { User } from '../../contract/records/records.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import { withVerifiedContact } from '../sessions/shared/verification_tokens.ts'
import {
  checkOauthProviders,
  FirstNewOauthProvider,
  identityReads,
  NewOauthProvider,
  newOauthProviders,
  oauthProvidersPerUserRequestMax,
  oidcTokensOf,
  withOauthProviders,
} from './shared/new_oauth_providers.ts'
import { newProviderValue } from './shared/provider_values.ts'
import { vouchesForAddress } from './shared/vouched_addresses.ts'

const requested = { itemsMin: 1, itemsMax: oauthProvidersPerUserRequestMax }
const fieldPath = 'parameters.oauthProviders'

export default defineActivity({
  name: 'create_oauth_providers',
  summary: 'Adds identities at OIDC issuers by which a user logs in. An ID token proves each identity.',
  type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  parameters: fields({ userId: Uuid, oauthProviders: list(NewOauthProvider, requested) }),
  result: Type.Object({ providerIds: Type.Array(Type.String()) }),
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS',
      parameters: fields({ userId: Uuid, oauthProviders: list(FirstNewOauthProvider, requested) }),
      upgrade: (given) => given,
    }),
  ],
  openToParent: true,
  check: ({ oauthProviders }) => checkOauthProviders(oauthProviders, fieldPath),
  ownerOf: ({ userId }) => userId,
  needs: ({ userId, oauthProviders }) => [user(userId), ...identityReads(oauthProviders)],
  oidcTokens: ({ oauthProviders }) => oidcTokensOf(oauthProviders, fieldPath),
  explain: ({ parameters: { userId, oauthProviders }, now }) =>
    changesContent(now, {
      code: 'create_oauth_providers',
      subject: [now.named(userId)],
      rows: [
        row('user', now.named(userId)),
        ...oauthProviders.map((provider) => row('added', newProviderValue(provider))),
      ],
    }),

  run({ organization, parameters: { userId, oauthProviders }, caller, ...context }) {
    const { oidcIdentity, oidcAudiences, limits, nowMs, newId } = context
    const found = organization.users.get(userId)
    const identities = oidcTokensOf(oauthProviders, fieldPath).map(({ token }) => oidcIdentity(token))
    const showsEmail = identities.map((identity) => showsEmailOf(identity, found, oidcAudiences))
    // A user of the parent may write nothing else here, but may link a user's Google identity.
    if (caller.organizationId !== organization.organizationId && !showsEmail.every(Boolean)) {
      throw new Failure(
        'ORGANIZATION_MISMATCH',
        'a parent may only add Google identities whose verified e-mail address is the user’s own and a mailbox at Google, by tokens for a client in CLAVIGER_OIDC_AUDIENCES',
      )
    }
    const added = newOauthProviders(oauthProviders, {
      fieldPath,
      organization,
      oidcIdentity,
      oidcAudiences,
      nowMs,
      newId,
    })
    const linked = withOauthProviders(found, added, limits)
    organization.users.put(showsEmail.some(Boolean) ? withVerifiedEmail(linked) : linked)
    return { providerIds: added.map(({ providerId }) => providerId) }
  },
})

/** Whether a token proves that this person reads the user's mail. */
function showsEmailOf(identity: OidcIdentity, { userEmail }: User, oidcAudiences: readonly string[]): boolean {
  const { email } = identity
  if (email === undefined || userEmail === undefined || !vouchesForAddress(identity, oidcAudiences)) return false
  return mailboxOf(email) === mailboxOf(userEmail)
}

function withVerifiedEmail(user: User): User {
  return withVerifiedContact(user, { verificationType: 'OTP_TYPE_EMAIL', contact: user.userEmail ?? '' })
}
