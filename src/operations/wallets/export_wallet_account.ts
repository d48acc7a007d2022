import Type from 'typebox'
import { parseTargetPublicKey } from '../../protocol/bundles.ts'
import { Failure } from '../../protocol/failures.ts'
import { defineActivity } from '../define.ts'
import { fields, TargetPublicKey } from '../fields.ts'
import { signer } from '../needs.ts'

const fieldPath = 'parameters.address'

export default defineActivity({
  name: 'export_wallet_account',
  summary: 'Encrypts the private key of one wallet account to a key of the client.',
  type: 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT',
  intentKey: 'exportWalletAccountIntent',
  resultKey: 'exportWalletAccountResult',
  policy: { resource: 'WALLET', action: 'EXPORT' },
  parameters: fields({
    address: Type.String({ minLength: 1, maxLength: 256, expected: 'the address of a wallet account' }),
    targetPublicKey: TargetPublicKey,
  }),
  result: Type.Object({ address: Type.String(), exportBundle: Type.String() }),
  check: ({ targetPublicKey }) => void parseTargetPublicKey(targetPublicKey, 'parameters.targetPublicKey'),
  reads: ({ address }) => [signer(address, fieldPath)],

  run({ organization, parameters, keys, nowMs }) {
    const { kind, recordId } = organization.signer(parameters.address)
    if (kind !== 'wallet_account') {
      throw new Failure('NOT_FOUND', { fieldPath, expected: 'the address of a wallet account' })
    }
    const account = organization.walletAccounts.get(recordId)
    const { address } = account
    const target = parseTargetPublicKey(parameters.targetPublicKey, 'parameters.targetPublicKey')
    using secret = keys.secretOf('wallet_account', recordId)
    const exportBundle = keys.exportBundle(secret, target)
    organization.walletAccounts.put({ ...account, exported: true, updatedAtMs: nowMs })
    return { address, exportBundle }
  },
})
