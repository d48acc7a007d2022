import Type from 'typebox'
import { Failure } from '../../protocol/failures.ts'
import { defineActivity } from '../define.ts'
import { fields, list, Uuid } from '../fields.ts'
import { canApprove } from '../lockout.ts'
import { user } from '../needs.ts'
import type { User } from '../records.ts'

const providersPerDeletionMax = 100

export default defineActivity({
  name: 'delete_oauth_providers',
  summary: 'Removes identities by which a user logged in. Sessions go on until they expire.',
  type: 'ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS',
  intentKey: 'deleteOauthProvidersIntent',
  resultKey: 'deleteOauthProvidersResult',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  parameters: fields({
    userId: Uuid,
    providerIds: list(Uuid, { itemsMin: 1, itemsMax: providersPerDeletionMax }),
  }),
  result: Type.Object({ providerIds: Type.Array(Type.String()) }),
  ownerOf: ({ userId }) => userId.toLowerCase(),
  reads: ({ userId }) => [user(userId)],

  run({ organization, parameters, nowMs }) {
    const found = organization.users.get(parameters.userId)
    const removed = new Set(parameters.providerIds.map((providerId) => providerId.toLowerCase()))
    for (const providerId of removed) {
      if (found.oauthProviders.some((provider) => provider.providerId === providerId)) continue
      throw new Failure('NOT_FOUND', { reason: `there is no oauth provider ${providerId} of this user` })
    }
    const oauthProviders = found.oauthProviders.filter(({ providerId }) => !removed.has(providerId))
    const left = { ...found, oauthProviders, updatedAtMs: nowMs }
    if (organization.rootQuorum.userIds.includes(left.userId) && !hasWayIn(left)) {
      throw new Failure('FIELD_INVALID', {
        fieldPath: 'parameters.providerIds',
        reason: 'this would leave a member of the root quorum without a way to log in; add another one first',
      })
    }
    organization.users.put(left)
    return { providerIds: [...removed] }
  },
})

/** One that lasts: a session's key does not, and with it the last way in would go. */
function hasWayIn(user: User): boolean {
  return (
    canApprove(user) ||
    user.oauthProviders.length > 0 ||
    user.userEmail !== undefined ||
    user.userPhoneNumber !== undefined
  )
}
