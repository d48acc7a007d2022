import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { accountsPerRequestMax, Flag, fields, list, NewAccount, optional, Uuid } from '../../contract/fields/fields.ts'
import { lookup, wallet } from '../../contract/needs.ts'
import { accountPathKey } from '../../contract/records/records.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { checkAccounts, deriveAccount, derivedAddresses, unusedNames } from './shared/new_accounts.ts'

export default defineActivity({
  name: 'create_wallet_accounts',
  summary: 'Derives further accounts of a wallet.',
  policy: { resource: 'WALLET', action: 'CREATE' },
  isEveryday: true,
  parameters: fields({
    walletId: Uuid,
    accounts: list(NewAccount, { itemsMin: 1, itemsMax: accountsPerRequestMax }),
    /** If false, the addresses are answered only: nothing is stored, and nothing can sign for them. */
    persist: optional(Flag),
  }),
  result: Type.Object({ addresses: Type.Array(Type.String()) }),
  check: ({ accounts }) => checkAccounts(accounts, 'parameters.accounts'),
  needs: ({ walletId, accounts, persist }) => [
    wallet(walletId),
    ...(persist === false
      ? []
      : [
          ...unusedNames(accounts, 'parameters.accounts'),
          ...accounts.map(({ path }) => lookup('account_path', accountPathKey({ walletId, path }))),
        ]),
  ],
  appProofs: ({ organizationId, parameters: { walletId, accounts }, result: { addresses } }) =>
    derivedAddresses(accounts, { organizationId, walletId, addresses }),

  async run({ organization, parameters: { walletId, accounts, persist }, keys, newId }) {
    using secret = keys.secretOf('wallet', walletId)
    using seed = await keys.seedOf(secret)
    const addresses: string[] = []
    for (const [index, given] of accounts.entries()) {
      const atPath =
        persist === false
          ? []
          : organization.found('wallet_account', 'account_path', accountPathKey({ walletId, path: given.path }))
      if (atPath.some(({ addressFormat, curve }) => addressFormat === given.addressFormat && curve === given.curve)) {
        const expected = 'one that no account of this wallet, format and curve has'
        throw new Failure('PATH_TAKEN', { fieldPath: `parameters.accounts[${index}].path`, expected })
      }
      const place = { keys, seed, walletId, walletAccountId: newId() }
      const { account, secret: accountSecret } = await deriveAccount(given, place)
      if (persist === false) accountSecret[Symbol.dispose]()
      else organization.walletAccounts.add(account, accountSecret)
      addresses.push(account.address)
    }
    return { addresses }
  },
})
