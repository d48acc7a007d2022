import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { all, user } from '../../contract/needs.ts'
import { withoutCredentialsAndSessions } from '../../contract/records/factors.ts'
import type { ApiKey, User } from '../../contract/records/records.ts'
import { requireApprovers } from '../users/shared/lockout.ts'
import { explainRemoval } from '../users/shared/removal_changes.ts'
import { withoutCredentials } from '../users/shared/removed_credentials.ts'

const apiKeysPerDeletionMax = 100

export default defineActivity({
  name: 'delete_api_keys',
  summary:
    'Removes API keys from a user, and ends the sessions that they opened. A key never stamps again after its removal was acknowledged.',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  parameters: fields({
    userId: Uuid,
    apiKeyIds: list(Uuid, { itemsMin: 1, itemsMax: apiKeysPerDeletionMax }),
  }),
  result: Type.Object({ apiKeyIds: Type.Array(Type.String()) }),
  ownerOf: ({ userId }) => userId,
  needs: ({ userId }) => [user(userId), all('user'), all('feature')],
  explain({ parameters: { userId, apiKeyIds }, now }) {
    const ids: readonly string[] = distinctIds(apiKeyIds)
    const left = ({ apiKeys }: Pick<User, 'apiKeys'>) => ({
      apiKeys: apiKeys.filter(({ apiKeyId }) => !ids.includes(apiKeyId)),
    })
    return explainRemoval({ code: 'delete_api_keys', userId, deleted: ids.map(now.named), left }, now)
  },

  run({ organization: { rootQuorum, users, features }, parameters: { userId, apiKeyIds } }) {
    const found = users.get(userId)
    const idOf = ({ apiKeyId }: ApiKey) => apiKeyId
    const { removedIds, left } = withoutCredentials(found.apiKeys, apiKeyIds, { name: 'api key', idOf })
    const changed = withoutCredentialsAndSessions(found, { apiKeys: left })
    const place = { rootQuorum, users: users.all(), features: features.all() }
    requireApprovers(changed, { ...place, fieldPath: 'parameters.apiKeyIds' })
    users.put(changed)
    return { apiKeyIds: removedIds }
  },
})
