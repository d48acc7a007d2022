import type { ActivityContext, ChildWriter } from '../../../contract/define.ts'
import type { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'
import { deriveAccount, type GivenAccount } from './new_accounts.ts'

export const mnemonicWordsDefault = 12

export type GivenWallet = {
  readonly walletName: string
  readonly accounts: readonly GivenAccount[]
  readonly mnemonicLength?: number
}

/** Adds a wallet from fresh entropy, with its accounts, to any organization. */
export async function addWallet(
  { walletName, accounts, mnemonicLength = mnemonicWordsDefault }: GivenWallet,
  place: WalletPlace,
): Promise<NewWallet> {
  const secret = place.keys.newWalletSecret(mnemonicLength)
  return addWalletOf({ walletName, accounts, secret, imported: false }, place)
}

type WalletPlace = Pick<ActivityContext<unknown>, 'keys' | 'newId'> & {
  readonly organization: Pick<ChildWriter, 'wallets' | 'walletAccounts'>
}
type NewWallet = { readonly walletId: string; readonly addresses: string[] }

/** Adds a wallet with this secret, and takes ownership of the secret. */
export async function addWalletOf(
  {
    walletName,
    accounts,
    secret: walletSecret,
    imported,
  }: Pick<GivenWallet, 'walletName' | 'accounts'> & { readonly secret: SecretBytes; readonly imported: boolean },
  { organization, keys, newId }: WalletPlace,
): Promise<NewWallet> {
  const walletId = newId()
  organization.wallets.add({ walletId, walletName, exported: false, imported }, walletSecret)
  using seed = await keys.seedOf(walletSecret)
  const addresses: string[] = []
  for (const given of accounts) {
    const { account, secret } = await deriveAccount(given, { keys, seed, walletId, walletAccountId: newId() })
    organization.walletAccounts.add(account, secret)
    addresses.push(account.address)
  }
  return { walletId, addresses }
}
