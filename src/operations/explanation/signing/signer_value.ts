import type { ReadableRequest } from '../explain_context.ts'
import type { Value } from '../explanation.ts'
import { address } from '../values.ts'

/** Shows the wallet account or private key that signs: its address, and what the organization calls it. */
export function signerValue({ organization }: Pick<ReadableRequest, 'organization'>, signWith: string): Value {
  const { kind, recordId } = organization.signer(signWith)
  if (kind === 'private_key') {
    const { privateKeyName } = organization.privateKeys.get(recordId)
    return address(signWith, { name: privateKeyName })
  }
  const account = organization.walletAccounts.get(recordId)
  const { walletName } = organization.wallets.get(account.walletId)
  return address(account.address, { name: walletName, account: account.name })
}
