import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, optional, Uuid } from '../../contract/fields/fields.ts'
import { all, user } from '../../contract/needs.ts'
import { ApiKeyView, apiKeyView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'get_api_keys',
  summary: 'Lists the API keys of one user, or of all users.',
  parameters: fields({ organizationId: Uuid, userId: optional(Uuid) }),
  result: Type.Object({ apiKeys: Type.Array(ApiKeyView) }),
  needs: ({ userId }) => [userId === undefined ? all('user') : user(userId)],

  run({ organization, parameters: { userId } }) {
    const users = userId === undefined ? organization.users.all() : [organization.users.get(userId)]
    return { apiKeys: users.flatMap(({ apiKeys }) => apiKeys.map(apiKeyView)) }
  },
})
