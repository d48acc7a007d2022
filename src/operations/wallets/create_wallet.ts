import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import {
  accountsPerRequestMax,
  fields,
  Label,
  list,
  MnemonicLength,
  NewAccount,
  optional,
} from '../../contract/fields/fields.ts'
import { unused } from '../../contract/needs.ts'
import { checkAccounts, derivedAddresses, unusedNames } from './shared/new_accounts.ts'
import { addWallet } from './shared/new_wallets.ts'

export default defineActivity({
  name: 'create_wallet',
  summary: 'Creates a wallet from fresh entropy, and derives accounts from it.',
  policy: { resource: 'WALLET', action: 'CREATE' },
  isEveryday: true,
  parameters: fields({
    walletName: Label,
    accounts: list(NewAccount, { itemsMax: accountsPerRequestMax }),
    mnemonicLength: optional(MnemonicLength),
  }),
  result: Type.Object({ walletId: Type.String(), addresses: Type.Array(Type.String()) }),
  check: ({ accounts }) => checkAccounts(accounts, 'parameters.accounts'),
  needs: ({ walletName, accounts }) => [
    unused('wallet_name', walletName, 'parameters.walletName'),
    ...unusedNames(accounts, 'parameters.accounts'),
  ],
  appProofs: ({ organizationId, parameters, result }) =>
    derivedAddresses(parameters.accounts, { organizationId, ...result }),

  run({ organization, parameters, keys, newId }) {
    return addWallet(parameters, { organization, keys, newId })
  },
})
