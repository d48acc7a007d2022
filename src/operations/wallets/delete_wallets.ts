import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { DeleteWithoutExport, notExported } from '../../contract/fields/deletions.ts'
import { fields, list, Uuid, walletsPerDeletionMax } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { wallet } from '../../contract/needs.ts'
import { walletFacts } from '../../contract/record_facts.ts'
import { oneStep } from '../../protocol/tools/steps.ts'

export default defineActivity({
  name: 'delete_wallets',
  summary: 'Deletes wallets with all their accounts. Nothing signs with them afterwards.',
  policy: { resource: 'WALLET', action: 'DELETE' },
  parameters: fields({
    walletIds: list(Uuid, { itemsMin: 1, itemsMax: walletsPerDeletionMax }),
    deleteWithoutExport: DeleteWithoutExport,
  }),
  result: Type.Object({ walletIds: Type.Array(Type.String()) }),
  needs: ({ walletIds }) => walletIds.map(wallet),
  facts: ({ organization: { wallets }, parameters: { walletIds } }) =>
    oneStep(() => ({ keywords: { wallets: walletIds.map((walletId) => walletFacts(wallets.get(walletId))) } })),

  run({ organization, parameters: { walletIds, deleteWithoutExport } }) {
    walletIds.forEach((walletId, index) => {
      if (deleteWithoutExport === true || organization.wallets.get(walletId).exported) return
      throw notExported(`parameters.walletIds[${index}]`)
    })
    const deleted = distinctIds(walletIds)
    for (const walletId of deleted) organization.wallets.remove(walletId)
    return { walletIds: deleted }
  },
})
