import type { WalletAccount } from '../records/records.ts'
import type { Now } from './explain_context.ts'
import type { Value } from './explanation.ts'
import { address } from './shown_values.ts'

/** Shows an account by its address, with the names of its wallet and its own. */
export function accountValue({ address: given, walletId, name }: WalletAccount, now: Pick<Now, 'find'>): Value {
  return address(given, { name: now.find('wallet', walletId)?.walletName, account: name })
}
