import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { all } from '../needs.ts'
import { WalletView, walletView } from '../records/views.ts'

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
