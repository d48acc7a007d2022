import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import {
  accountsPerRequestMax,
  EncryptedBundle,
  fields,
  Label,
  list,
  NewAccount,
  Uuid,
} from '../../contract/fields/fields.ts'
import { unused } from '../../contract/needs.ts'
import { parseEncryptedBundle } from '../../protocol/bundles/bundles.ts'
import { fieldRefused } from '../../protocol/wire/failures.ts'
import { openImport, targetReads } from '../private_keys/shared/import_targets.ts'
import { checkAccounts, derivedAddresses, unusedNames } from './shared/new_accounts.ts'
import { addWalletOf } from './shared/new_wallets.ts'

export default defineActivity({
  name: 'import_wallet',
  summary: 'Imports a wallet whose mnemonic a user encrypted to the target of an init_import_wallet.',
  policy: { resource: 'WALLET', action: 'IMPORT' },
  isEveryday: true,
  parameters: fields({
    userId: Uuid,
    walletName: Label,
    encryptedBundle: EncryptedBundle,
    accounts: list(NewAccount, { itemsMax: accountsPerRequestMax }),
  }),
  result: Type.Object({ walletId: Type.String(), addresses: Type.Array(Type.String()) }),
  check: ({ encryptedBundle, accounts }) => {
    parseEncryptedBundle(encryptedBundle, 'parameters.encryptedBundle')
    checkAccounts(accounts, 'parameters.accounts')
  },
  needs: ({ userId, walletName, accounts }) => [
    ...targetReads({ userId, imports: 'wallet' }),
    unused('wallet_name', walletName, 'parameters.walletName'),
    ...unusedNames(accounts, 'parameters.accounts'),
  ],
  appProofs: ({ organizationId, parameters, result }) =>
    derivedAddresses(parameters.accounts, { organizationId, ...result }),

  run({ organization, parameters, keys, nowMs, newId }) {
    const { userId, walletName, encryptedBundle, accounts } = parameters
    using mnemonic = openImport({ userId, imports: 'wallet', encryptedBundle }, { organization, keys, nowMs })
    const secret = keys.walletSecretOfMnemonic(mnemonic)
    if (secret === undefined) {
      throw fieldRefused(
        'parameters.encryptedBundle',
        'invalid mnemonic: it must hold 12 to 24 English words with a right checksum (BIP-39), on one line, and a passphrase below it if there is one, after an empty line if it could be further words; below an empty line nothing may stand after the passphrase, no line ending either',
      )
    }
    return addWalletOf({ walletName, accounts, secret, imported: true }, { organization, keys, newId })
  },
})
