import type { WalletAccount } from '../records/records.ts'
import type { Now } from './explain_context.ts'
import type { Value } from './explanation.ts'
import { address } from './values.ts'

/** Shows an account by its address, with the names of its wallet and its own. */
export function accountValue({ address: given, walletId, name }: WalletAccount, now: Pick<Now, 'find'>): Value {
  const walletName = now.find('wallet', walletId)?.walletName
  const names = [walletName, name].filter((one) => one !== undefined)
  return address(given, names.length === 0 ? undefined : names.join(' / '))
}
