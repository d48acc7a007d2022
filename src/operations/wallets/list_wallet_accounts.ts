import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { Flag, fields, optional, PaginationOptions, Uuid } from '../../contract/fields/fields.ts'
import { checkPagination, pageOf } from '../../contract/fields/page_fields.ts'
import { all, wallet } from '../../contract/needs.ts'
import { WalletAccountView, walletAccountView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'list_wallet_accounts',
  summary: 'Lists the accounts of one wallet or of all wallets, oldest first.',
  parameters: fields({
    organizationId: Uuid,
    walletId: optional(Uuid),
    includeWalletDetails: optional(Flag),
    paginationOptions: optional(PaginationOptions),
  }),
  result: Type.Object({ accounts: Type.Array(WalletAccountView) }),
  check: ({ paginationOptions }) => checkPagination(paginationOptions),
  needs: ({ walletId, paginationOptions }) => [
    walletId === undefined ? all('wallet') : wallet(walletId),
    {
      need: 'page',
      kind: 'wallet_account',
      ...(walletId === undefined ? {} : { ownerId: walletId }),
      page: pageOf(paginationOptions),
    },
  ],

  run({ organization, parameters: { includeWalletDetails } }) {
    const { organizationId } = organization
    const accounts = organization.walletAccounts.page().map((account) => {
      const wallet = includeWalletDetails === true ? organization.wallets.get(account.walletId) : undefined
      return walletAccountView(account, { organizationId, wallet })
    })
    return { accounts }
  },
})
