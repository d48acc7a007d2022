import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { WalletView, walletView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'list_wallets',
  summary: 'Lists the wallets of the organization.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ wallets: Type.Array(WalletView) }),
  needs: () => [all('wallet')],

  run({ organization }) {
    return { wallets: organization.wallets.all().map(walletView) }
  },
})
