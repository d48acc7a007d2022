import Type from 'typebox'
import { Failure } from '../../protocol/failures.ts'
import { defineActivity, type Quorum } from '../define.ts'
import { fields, list, Uuid } from '../fields.ts'
import { distinctIds } from '../ids.ts'
import { all, user } from '../needs.ts'
import { isExpired, type User } from '../records.ts'

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
    const users = organization.users.all().map((other) => (other.userId === left.userId ? left : other))
    if (isLockedOut(organization.rootQuorum, users, nowMs)) {
      throw new Failure('FIELD_INVALID', {
        fieldPath: 'parameters.apiKeyIds',
        reason: 'this would leave the root quorum without enough members who have a credential; add one first',
      })
    }
    organization.users.put(left)
    return { apiKeyIds: removed }
  },
})

/** Too few members of the quorum could still approve anything: nobody could ever mend that. */
function isLockedOut({ threshold, userIds }: Quorum, users: readonly User[], nowMs: number): boolean {
  const canApprove = ({ userId, apiKeys }: User) =>
    userIds.includes(userId) && apiKeys.some((apiKey) => !isExpired(apiKey, nowMs))
  return users.filter(canApprove).length < threshold
}
