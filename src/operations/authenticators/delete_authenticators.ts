import Type from 'typebox'
import { Failure } from '../../protocol/failures.ts'
import { defineActivity } from '../define.ts'
import { fields, list, Uuid } from '../fields.ts'
import { requireApprovers } from '../lockout.ts'
import { all, user } from '../needs.ts'

const authenticatorsPerDeletionMax = 100

export default defineActivity({
  name: 'delete_authenticators',
  summary: 'Removes passkeys from a user. One whose removal was acknowledged never stamps afterwards.',
  type: 'ACTIVITY_TYPE_DELETE_AUTHENTICATORS',
  intentKey: 'deleteAuthenticatorsIntent',
  resultKey: 'deleteAuthenticatorsResult',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  parameters: fields({
    userId: Uuid,
    authenticatorIds: list(Uuid, { itemsMin: 1, itemsMax: authenticatorsPerDeletionMax }),
  }),
  result: Type.Object({ authenticatorIds: Type.Array(Type.String()) }),
  ownerOf: ({ userId }) => userId.toLowerCase(),
  reads: ({ userId }) => [user(userId), all('user')],

  run({ organization: { rootQuorum, users }, parameters, nowMs }) {
    const found = users.get(parameters.userId)
    const removed = new Set(parameters.authenticatorIds.map((authenticatorId) => authenticatorId.toLowerCase()))
    for (const authenticatorId of removed) {
      if (found.authenticators.some((authenticator) => authenticator.authenticatorId === authenticatorId)) continue
      throw new Failure('NOT_FOUND', { reason: `there is no authenticator ${authenticatorId} of this user` })
    }
    const authenticators = found.authenticators.filter(({ authenticatorId }) => !removed.has(authenticatorId))
    const left = { ...found, authenticators, updatedAtMs: nowMs }
    requireApprovers(left, { rootQuorum, users: users.all(), fieldPath: 'parameters.authenticatorIds' })
    users.put(left)
    return { authenticatorIds: [...removed] }
  },
})
