import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { DeleteWithoutExport, notExported } from '../../contract/fields/deletions.ts'
import { fields, list, privateKeysPerRequestMax, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { privateKey } from '../../contract/needs.ts'

export default defineActivity({
  name: 'delete_private_keys',
  summary: 'Deletes private keys. Nothing signs with them afterwards.',
  policy: { resource: 'PRIVATE_KEY', action: 'DELETE' },
  parameters: fields({
    privateKeyIds: list(Uuid, { itemsMin: 1, itemsMax: privateKeysPerRequestMax }),
    deleteWithoutExport: DeleteWithoutExport,
  }),
  result: Type.Object({ privateKeyIds: Type.Array(Type.String()) }),
  needs: ({ privateKeyIds }) => privateKeyIds.map(privateKey),

  run({ organization, parameters: { privateKeyIds, deleteWithoutExport } }) {
    privateKeyIds.forEach((privateKeyId, index) => {
      if (deleteWithoutExport === true || organization.privateKeys.get(privateKeyId).exported) return
      throw notExported(`parameters.privateKeyIds[${index}]`)
    })
    const deleted = distinctIds(privateKeyIds)
    for (const privateKeyId of deleted) organization.privateKeys.remove(privateKeyId)
    return { privateKeyIds: deleted }
  },
})
