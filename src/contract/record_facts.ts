import type { Struct } from '../policy/language/expression_values.ts'
import { canonicalAddress } from '../protocol/chains/canonical_address.ts'
import { onceFor } from '../protocol/tools/once_for.ts'
import { spelledLabel } from '../protocol/wire/labels.ts'
import type { OrganizationReader } from './define.ts'
import type { PrivateKey, Wallet, WalletAccount } from './records/records.ts'

/** The facts about the key that signs and, for a wallet account, about its wallet. */
export function signerFacts(organization: OrganizationReader, signWith: string): Struct {
  const { kind, recordId } = organization.signer(signWith)
  if (kind === 'private_key') return { private_key: privateKeyFacts(organization.privateKeys.get(recordId)) }
  const account = organization.walletAccounts.get(recordId)
  return accountWithWalletFacts(organization, account)
}

/** A wallet did not always note that one of its accounts was exported, so the account is asked too. */
export function accountWithWalletFacts({ wallets }: OrganizationReader, account: WalletAccount): Struct {
  const wallet = walletFacts(wallets.get(account.walletId))
  return {
    wallet: account.exported === true ? { ...wallet, exported: true } : wallet,
    wallet_account: accountFacts(account),
  }
}

export function walletFacts({ walletId, walletName, imported, exported, accountExported }: Wallet): Struct {
  return { id: walletId, label: spelledLabel(walletName), imported, exported: exported || accountExported === true }
}

export function privateKeyFacts({
  privateKeyId,
  privateKeyName,
  privateKeyTags,
  imported,
  exported,
}: PrivateKey): Struct {
  return { id: privateKeyId, label: spelledLabel(privateKeyName), tags: privateKeyTags, imported, exported }
}

/** A mnemonic has each account of its wallet, also one that is deleted or was never made. */
export const anyAccount: Struct = { is_any: true }

/**
 * `address` is the canonical one, so that a condition need not know which network the account's own address names. `curve`
 * tells the other addresses of the key. Kept, so that these are made once.
 */
export const accountFacts = onceFor(({ address, publicKey, curve, path }: WalletAccount): Struct => {
  const steps = path.split('/').slice(1)
  return {
    curve,
    address: canonicalAddress(address) ?? address,
    public_key: publicKey.toLowerCase(),
    path_indexes: steps.map((step) => BigInt(step.replace("'", ''))),
    path_hardened: steps.map((step) => step.endsWith("'")),
  }
})
