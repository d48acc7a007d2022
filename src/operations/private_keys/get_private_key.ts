import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { privateKey } from '../needs.ts'
import { PrivateKeyView, privateKeyView } from '../records/views.ts'

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
