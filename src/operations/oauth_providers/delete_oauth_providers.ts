import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { all, user } from '../../contract/needs.ts'
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
    const shown = (id: string) => {
      const provider = oauthProviders.find(({ providerId }) => providerId === id)
      return provider === undefined ? now.named(id) : providerValue(provider)
    }
    const removed = { list: 'oauthProviders', ids: distinctIds(providerIds) } as const
    return explainRemoval({ code: 'delete_oauth_providers', userId, ...removed, shown }, now)
  },

  run({ organization: { rootQuorum, users, features }, parameters: { userId, providerIds } }) {
    const ids = distinctIds(providerIds)
    const changed = withoutCredentials(users.get(userId), { list: 'oauthProviders', ids })
    requireWayIn(changed, { rootQuorum, features: features.all(), fieldPath: 'parameters.providerIds' })
    users.put(changed)
    return { providerIds: ids }
  },
})
