import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { fields, list, Uuid } from '../fields/fields.ts'
import { all, user } from '../needs.ts'
import type { OauthProvider } from '../records/records.ts'
import { requireWayIn } from '../users/shared/lockout.ts'
import { withoutCredentials } from '../users/shared/removed_credentials.ts'

const providersPerDeletionMax = 100

export default defineActivity({
  name: 'delete_oauth_providers',
  summary: 'Removes identities by which a user logged in. Open sessions last until they expire.',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  parameters: fields({
    userId: Uuid,
    providerIds: list(Uuid, { itemsMin: 1, itemsMax: providersPerDeletionMax }),
  }),
  result: Type.Object({ providerIds: Type.Array(Type.String()) }),
  ownerOf: ({ userId }) => userId,
  needs: ({ userId }) => [user(userId), all('feature')],

  run({ organization: { rootQuorum, users, features }, parameters: { userId, providerIds } }) {
    const found = users.get(userId)
    const idOf = ({ providerId }: OauthProvider) => providerId
    const { removedIds, left } = withoutCredentials(found.oauthProviders, providerIds, { name: 'oauth provider', idOf })
    const changed = { ...found, oauthProviders: left }
    requireWayIn(changed, { rootQuorum, features: features.all(), fieldPath: 'parameters.providerIds' })
    users.put(changed)
    return { providerIds: removedIds }
  },
})
