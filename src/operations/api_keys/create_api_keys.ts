import Type from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import { apiKeysPerUserRequestMax, fields, list, NewApiKey, NewP256ApiKey, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import { checkApiKeys, claimedAt, newApiKey, onP256, unusedKeys, withApiKeys } from '../users/shared/new_users.ts'

export default defineActivity({
  name: 'create_api_keys',
  summary: 'Adds API keys to a user.',
  type: 'ACTIVITY_TYPE_CREATE_API_KEYS_V2',
  resultKey: 'createApiKeysResult',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  parameters: fields({
    apiKeys: list(NewApiKey, { itemsMin: 1, itemsMax: apiKeysPerUserRequestMax }),
    userId: Uuid,
  }),
  result: Type.Object({ apiKeyIds: Type.Array(Type.String()) }),
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_API_KEYS',
      parameters: fields({
        apiKeys: list(NewP256ApiKey, { itemsMin: 1, itemsMax: apiKeysPerUserRequestMax }),
        userId: Uuid,
      }),
      upgrade: onP256,
    }),
  ],
  check: ({ apiKeys }, pause) => checkApiKeys(apiKeys, { fieldPath: 'parameters.apiKeys', pause }),
  ownerOf: ({ userId }) => userId,
  needs: ({ userId, apiKeys }) => [user(userId), ...unusedKeys(apiKeys, 'parameters.apiKeys')],

  run({ organization, parameters, caller, submitted, nowMs, newId, limits }) {
    const claimedAtMs = claimedAt({ organization, caller, submitted }, parameters.userId)
    const added = parameters.apiKeys.map((given) => newApiKey(given, { nowMs, newId, claimedAtMs }))
    organization.users.put(withApiKeys(organization.users.get(parameters.userId), added, { limits, nowMs }))
    return { apiKeyIds: added.map(({ apiKeyId }) => apiKeyId) }
  },
})
