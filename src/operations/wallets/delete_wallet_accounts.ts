import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { accountValue } from '../../contract/explanation/account_value.ts'
import { flag, listed, namedInTitle, row, section } from '../../contract/explanation/shown_values.ts'
import { DeleteWithoutExport, notExported } from '../../contract/fields/deletions.ts'
import { accountsPerRequestMax, fields, list, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { all, walletAccount } from '../../contract/needs.ts'
import { walletFacts } from '../../contract/record_facts.ts'
import { oneStep } from '../../protocol/tools/steps.ts'
import { Failure } from '../../protocol/wire/failures.ts'

export default defineActivity({
  name: 'delete_wallet_accounts',
  summary: 'Deletes accounts of wallets. The wallets stay and can derive the accounts again.',
  policy: { resource: 'WALLET', action: 'DELETE' },
  parameters: fields({
    walletAccountIds: list(Uuid, { itemsMin: 1, itemsMax: accountsPerRequestMax }),
    deleteWithoutExport: DeleteWithoutExport,
  }),
  result: Type.Object({ walletAccountIds: Type.Array(Type.String()) }),
  needs: ({ walletAccountIds }) => [...walletAccountIds.map(walletAccount), all('wallet')],
  facts: ({ organization: { walletAccounts, wallets }, parameters: { walletAccountIds } }) =>
    oneStep(() => {
      const walletIds = new Set(walletAccountIds.map((accountId) => walletAccounts.get(accountId).walletId))
      return { keywords: { wallets: [...walletIds].map((walletId) => walletFacts(wallets.get(walletId))) } }
    }),
  explain: ({ parameters: { walletAccountIds, deleteWithoutExport }, request, now }) =>
    oneStep(() => {
      if (request instanceof Failure) return undefined
      const accounts = listed(distinctIds(walletAccountIds), (accountId) =>
        accountValue(request.organization.walletAccounts.get(accountId), now),
      )
      return {
        title: { code: 'delete_wallet_accounts', values: namedInTitle(accounts) },
        sections: section('changes', [
          ...accounts.map((account) => row('deleted', account)),
          row('deleteWithoutExport', flag(deleteWithoutExport)),
        ]),
      }
    }),

  run({ organization, parameters: { walletAccountIds, deleteWithoutExport }, limits: { deletedAccountsMax } }) {
    walletAccountIds.forEach((walletAccountId, index) => {
      if (deleteWithoutExport === true) return
      const { exported, walletId } = organization.walletAccounts.get(walletAccountId)
      // An exported wallet can derive all its accounts.
      if (exported === true || organization.wallets.get(walletId).exported) return
      throw notExported(`parameters.walletAccountIds[${index}]`, 'WALLET_ACCOUNT_NOT_EXPORTED')
    })
    const deleted = distinctIds(walletAccountIds)
    for (const walletAccountId of deleted) organization.walletAccounts.remove(walletAccountId)
    if (organization.walletAccounts.removedCount() > deletedAccountsMax) {
      throw new Failure(
        'LIMIT_REACHED',
        `an organization remembers at most ${deletedAccountsMax} accounts that were deleted while their wallet stayed; delete the wallet`,
      )
    }
    return { walletAccountIds: deleted }
  },
})
