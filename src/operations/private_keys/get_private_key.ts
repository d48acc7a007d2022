import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { privateKey } from '../../contract/needs.ts'
import { PrivateKeyView, privateKeyView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'get_private_key',
  summary: 'Returns the public data of one private key.',
  parameters: fields({ organizationId: Uuid, privateKeyId: Uuid }),
  result: Type.Object({ privateKey: PrivateKeyView }),
  needs: ({ privateKeyId }) => [privateKey(privateKeyId)],

  run({ organization, parameters }) {
    return { privateKey: privateKeyView(organization.privateKeys.get(parameters.privateKeyId)) }
  },
})
