import Type from 'typebox'
import { Failure } from '../../protocol/failures.ts'
import { defineActivity } from '../define.ts'
import { fields, list, Uuid } from '../fields.ts'
import { requireWayIn } from '../lockout.ts'
import { user } from '../needs.ts'

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
    requireWayIn(left, { rootQuorum: organization.rootQuorum, fieldPath: 'parameters.providerIds' })
    organization.users.put(left)
    return { providerIds: [...removed] }
  },
})
