import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { ApiKeyView, apiKeyView } from '../../contract/records/views.ts'
import { Failure } from '../../protocol/wire/failures.ts'

export default defineQuery({
  name: 'get_api_key',
  summary: 'Returns one API key.',
  parameters: fields({ organizationId: Uuid, apiKeyId: Uuid }),
  result: Type.Object({ apiKey: ApiKeyView }),
  needs: () => [all('user')],

  run({ organization, parameters: { apiKeyId } }) {
    const apiKey = organization.users
      .all()
      .flatMap(({ apiKeys }) => apiKeys)
      .find((candidate) => candidate.apiKeyId === apiKeyId)
    if (apiKey === undefined) throw new Failure('NOT_FOUND', `there is no api key ${apiKeyId} in this organization`)
    return { apiKey: apiKeyView(apiKey) }
  },
})
