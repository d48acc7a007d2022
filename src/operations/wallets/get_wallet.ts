import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { wallet } from '../../contract/needs.ts'
import { WalletView, walletView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'get_wallet',
  summary: 'Returns one wallet.',
  parameters: fields({ organizationId: Uuid, walletId: Uuid }),
  result: Type.Object({ wallet: WalletView }),
  needs: ({ walletId }) => [wallet(walletId)],

  run({ organization, parameters }) {
    return { wallet: walletView(organization.wallets.get(parameters.walletId)) }
  },
})
