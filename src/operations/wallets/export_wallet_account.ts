import Type from 'typebox'
import { defineActivity, type OrganizationReader } from '../../contract/define.ts'
import { accountValue } from '../../contract/explanation/account_value.ts'
import { exportContent } from '../../contract/explanation/exports.ts'
import { fields, TargetPublicKey } from '../../contract/fields/fields.ts'
import { lookup } from '../../contract/needs.ts'
import { accountWithWalletFacts } from '../../contract/record_facts.ts'
import { parseTargetPublicKey } from '../../protocol/bundles/bundles.ts'
import { lookupAddress } from '../../protocol/chains/address_formats.ts'
import { oneStep } from '../../protocol/tools/steps.ts'
import { Failure } from '../../protocol/wire/failures.ts'

export default defineActivity({
  name: 'export_wallet_account',
  summary: 'Encrypts the private key of one wallet account to a key of the client.',
  policy: { resource: 'WALLET', action: 'EXPORT' },
  parameters: fields({
    address: Type.String({ minLength: 1, maxLength: 256, expected: 'the address of a wallet account' }),
    targetPublicKey: TargetPublicKey,
  }),
  result: Type.Object({ address: Type.String(), exportBundle: Type.String() }),
  check: ({ targetPublicKey }) => void parseTargetPublicKey(targetPublicKey, 'parameters.targetPublicKey'),
  needs: ({ address }) => [lookup('address', lookupAddress(address))],
  facts: ({ organization, parameters }) =>
    oneStep(() => ({ keywords: accountWithWalletFacts(organization, accountOf(organization, parameters)) })),
  *explain({ parameters, request, now }) {
    if (request instanceof Failure) return undefined
    const account = accountOf(request.organization, parameters)
    const exporting = {
      code: 'export_wallet_account',
      exported: accountValue(account, now),
      secret: 'keyOfAccount',
      wasExported: account.exported === true,
      targetPublicKey: parameters.targetPublicKey,
    } as const
    return yield* exportContent(exporting, now)
  },

  run({ organization, parameters, keys }) {
    const account = accountOf(organization, parameters)
    const { walletAccountId, address } = account
    const target = parseTargetPublicKey(parameters.targetPublicKey, 'parameters.targetPublicKey')
    using secret = keys.secretOf('wallet_account', walletAccountId)
    const exportBundle = keys.exportBundle(secret, target)
    organization.walletAccounts.put({ ...account, exported: true })
    // An account that is deleted and made again has the same key, and does not say so.
    organization.wallets.put({ ...organization.wallets.get(account.walletId), accountExported: true })
    return { address, exportBundle }
  },
})

/** Skips a private key with the same address, which export_private_key exports. */
function accountOf(organization: Pick<OrganizationReader, 'found'>, { address }: { readonly address: string }) {
  const [account] = organization.found('wallet_account', 'address', lookupAddress(address))
  if (account !== undefined) return account
  throw new Failure('NOT_FOUND', { fieldPath: 'parameters.address', expected: 'the address of a wallet account' })
}
