import type { ActivityContext, ChildWriter } from './define.ts'
import { deriveAccount, type GivenAccount } from './new_accounts.ts'

export const mnemonicWordsDefault = 12

export type GivenWallet = {
  readonly walletName: string
  readonly accounts: readonly GivenAccount[]
  readonly mnemonicLength?: number
}

/** A wallet from fresh entropy, in whatever organization it is made, and its accounts. */
export async function addWallet(
  { walletName, accounts, mnemonicLength = mnemonicWordsDefault }: GivenWallet,
  {
    organization,
    keys,
    nowMs,
    newId,
  }: Pick<ActivityContext<unknown>, 'keys' | 'nowMs' | 'newId'> & {
    readonly organization: Pick<ChildWriter, 'wallets' | 'walletAccounts'>
  },
): Promise<{ walletId: string; addresses: string[] }> {
  const walletId = newId()
  const entropy = keys.newEntropy(mnemonicLength)
  const wallet = { walletId, walletName, exported: false, imported: false, createdAtMs: nowMs, updatedAtMs: nowMs }
  organization.wallets.add(wallet, entropy)
  using seed = await keys.seedOf(entropy)
  const addresses: string[] = []
  for (const given of accounts) {
    const { account, secret } = await deriveAccount(given, { keys, seed, walletId, walletAccountId: newId(), nowMs })
    organization.walletAccounts.add(account, secret)
    addresses.push(account.address)
  }
  return { walletId, addresses }
}
