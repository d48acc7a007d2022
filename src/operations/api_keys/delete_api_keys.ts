import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { all, user } from '../../contract/needs.ts'
import { requireApprovers } from '../users/shared/lockout.ts'
import { explainRemoval } from '../users/shared/removal_changes.ts'
import { withoutCredentials } from '../users/shared/removed_credentials.ts'

const apiKeysPerDeletionMax = 100

export default defineActivity({
  name: 'delete_api_keys',
  summary:
    'Removes API keys from a user, and ends the sessions that they opened. A session that removes one through which it was opened goes on. A key never stamps again after its removal was acknowledged.',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  parameters: fields({
    userId: Uuid,
    apiKeyIds: list(Uuid, { itemsMin: 1, itemsMax: apiKeysPerDeletionMax }),
  }),
  result: Type.Object({ apiKeyIds: Type.Array(Type.String()) }),
  ownerOf: ({ userId }) => userId,
  removedKeyIds: ({ apiKeyIds }) => distinctIds(apiKeyIds),
  needs: ({ userId }) => [user(userId), all('user'), all('feature')],
  explain: ({ parameters: { userId, apiKeyIds }, now }) =>
    explainRemoval({ code: 'delete_api_keys', userId, list: 'apiKeys', ids: distinctIds(apiKeyIds) }, now),

  run({ organization: { rootQuorum, users, features }, parameters: { userId, apiKeyIds }, submitted }) {
    const ids = distinctIds(apiKeyIds)
    const changed = withoutCredentials(users.get(userId), { list: 'apiKeys', ids }, submitted.apiKey?.publicKey)
    const place = { rootQuorum, users: users.all(), features: features.all() }
    requireApprovers(changed, { ...place, fieldPath: 'parameters.apiKeyIds' })
    users.put(changed)
    return { apiKeyIds: ids }
  },
})
