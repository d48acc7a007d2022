import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { all, user } from '../../contract/needs.ts'
import { withoutCredentialsAndSessions } from '../../contract/records/factors.ts'
import type { OauthProvider, User } from '../../contract/records/records.ts'
import { requireWayIn } from '../users/shared/lockout.ts'
import { explainRemoval } from '../users/shared/removal_changes.ts'
import { withoutCredentials } from '../users/shared/removed_credentials.ts'
import { providerValue } from './shared/provider_values.ts'

const providersPerDeletionMax = 100

export default defineActivity({
  name: 'delete_oauth_providers',
  summary: 'Removes identities by which a user logged in, and ends the sessions of accounts that have none left.',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  parameters: fields({
    userId: Uuid,
    providerIds: list(Uuid, { itemsMin: 1, itemsMax: providersPerDeletionMax }),
  }),
  result: Type.Object({ providerIds: Type.Array(Type.String()) }),
  ownerOf: ({ userId }) => userId,
  needs: ({ userId }) => [user(userId), all('feature')],
  explain({ parameters: { userId, providerIds }, now }) {
    const { oauthProviders = [] } = now.find('user', userId) ?? {}
    const ids: readonly string[] = distinctIds(providerIds)
    const deleted = ids.map((id) => {
      const provider = oauthProviders.find(({ providerId }) => providerId === id)
      return provider === undefined ? now.named(id) : providerValue(provider)
    })
    const left = (of: Pick<User, 'oauthProviders'>) => ({
      oauthProviders: of.oauthProviders.filter(({ providerId }) => !ids.includes(providerId)),
    })
    return explainRemoval({ code: 'delete_oauth_providers', userId, deleted, left }, now)
  },

  run({ organization: { rootQuorum, users, features }, parameters: { userId, providerIds } }) {
    const found = users.get(userId)
    const idOf = ({ providerId }: OauthProvider) => providerId
    const { removedIds, left } = withoutCredentials(found.oauthProviders, providerIds, { name: 'oauth provider', idOf })
    const changed = withoutCredentialsAndSessions(found, { oauthProviders: left })
    requireWayIn(changed, { rootQuorum, features: features.all(), fieldPath: 'parameters.providerIds' })
    users.put(changed)
    return { providerIds: removedIds }
  },
})
