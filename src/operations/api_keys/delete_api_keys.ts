import Type from 'typebox'
import { Failure } from '../../protocol/failures.ts'
import { defineActivity } from '../define.ts'
import { fields, list, Uuid } from '../fields.ts'
import { distinctIds } from '../ids.ts'
import { requireApprovers } from '../lockout.ts'
import { all, user } from '../needs.ts'

const apiKeysPerDeletionMax = 100

export default defineActivity({
  name: 'delete_api_keys',
  summary: 'Removes API keys from a user. A key whose removal was acknowledged never stamps afterwards.',
  type: 'ACTIVITY_TYPE_DELETE_API_KEYS',
  intentKey: 'deleteApiKeysIntent',
  resultKey: 'deleteApiKeysResult',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  parameters: fields({
    userId: Uuid,
    apiKeyIds: list(Uuid, { itemsMin: 1, itemsMax: apiKeysPerDeletionMax }),
  }),
  result: Type.Object({ apiKeyIds: Type.Array(Type.String()) }),
  ownerOf: ({ userId }) => userId.toLowerCase(),
  reads: ({ userId }) => [user(userId), all('user')],

  run({ organization, parameters, nowMs }) {
    const found = organization.users.get(parameters.userId)
    const removed = distinctIds(parameters.apiKeyIds)
    for (const apiKeyId of removed) {
      if (found.apiKeys.some((apiKey) => apiKey.apiKeyId === apiKeyId)) continue
      throw new Failure('NOT_FOUND', { reason: `there is no api key ${apiKeyId} of this user` })
    }
    const apiKeys = found.apiKeys.filter(({ apiKeyId }) => !removed.includes(apiKeyId))
    const left = { ...found, apiKeys, updatedAtMs: nowMs }
    const { rootQuorum, users } = organization
    requireApprovers(left, { rootQuorum, users: users.all(), fieldPath: 'parameters.apiKeyIds' })
    organization.users.put(left)
    return { apiKeyIds: removed }
  },
})
