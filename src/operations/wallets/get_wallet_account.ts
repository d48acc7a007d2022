import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, optional, Uuid } from '../../contract/fields/fields.ts'
import { lookup, wallet } from '../../contract/needs.ts'
import { accountPathKey } from '../../contract/records/records.ts'
import { WalletAccountView, walletAccountView } from '../../contract/records/views.ts'
import { lookupAddress } from '../../protocol/chains/address_formats.ts'
import { Failure, fieldInvalid } from '../../protocol/wire/failures.ts'

const textCharactersMax = 256

export default defineQuery({
  name: 'get_wallet_account',
  summary: 'Returns one account of a wallet, by its address or its path.',
  parameters: fields({
    organizationId: Uuid,
    walletId: Uuid,
    address: optional(Type.String({ minLength: 1, maxLength: textCharactersMax, expected: 'an address' })),
    path: optional(
      Type.String({
        minLength: 1,
        maxLength: textCharactersMax,
        expected: "a derivation path such as m/44'/60'/0'/0/0",
      }),
    ),
  }),
  result: Type.Object({ account: WalletAccountView }),
  check: ({ address, path }) => {
    if (address === undefined && path === undefined) throw fieldInvalid('address', 'present unless `path` is')
  },
  needs: ({ walletId, address, path }) => [
    wallet(walletId),
    ...(address === undefined ? [] : [lookup('address', lookupAddress(address))]),
    ...(path === undefined ? [] : [lookup('account_path', accountPathKey({ walletId, path }))]),
  ],

  run({ organization, parameters: { walletId, address, path } }) {
    const wallet = organization.wallets.get(walletId)
    const byAddress =
      address === undefined ? [] : organization.found('wallet_account', 'address', lookupAddress(address))
    const byPath =
      path === undefined ? [] : organization.found('wallet_account', 'account_path', accountPathKey({ walletId, path }))
    const account = (address === undefined ? byPath : byAddress).find(
      (candidate) => candidate.walletId === walletId && (path === undefined || candidate.path === path),
    )
    if (account === undefined) throw new Failure('NOT_FOUND', 'there is no such account in this wallet')
    const { organizationId } = organization
    return { account: walletAccountView(account, { organizationId, wallet }) }
  },
})
