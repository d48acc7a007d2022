import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { PrivateKeyView, privateKeyView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'list_private_keys',
  summary: 'Lists the public data of the private keys that belong to no wallet.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ privateKeys: Type.Array(PrivateKeyView) }),
  needs: () => [all('private_key')],

  run({ organization }) {
    return { privateKeys: organization.privateKeys.all().map(privateKeyView) }
  },
})
