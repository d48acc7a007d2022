import {
  type AddressFormat,
  addressFormats,
  addressOf,
  lookupAddress,
} from '../../../../protocol/chains/address_formats.ts'
import type { Signer } from '../../../keys.ts'
import type { Content, TransactionContent } from '../../content.ts'
import type { ReadableRequest } from '../../explain_context.ts'
import type { Value } from '../../explanation.ts'
import { address, ethereumAddress, row } from '../../shown_values.ts'

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

/** A content whose first section begins with the one who signs. */
export function withSigner(content: Content, signer: Value): Content {
  const [first, ...others] = content.sections
  if (first === undefined) return content
  return { ...content, sections: [{ ...first, rows: [row('signWith', signer), ...first.rows] }, ...others] }
}

/** The address of the key that signs on a chain. Undefined for a key of a curve that the chain does not take. */
export function ownAddress({ curve, publicKey }: Signer, format: AddressFormat): string | undefined {
  return addressFormats[format].curves.includes(curve) ? addressOf({ format, curve, publicKey }) : undefined
}

/** The same with the names of the account or key as which it is shown. */
export function ownAccount(
  signer: Signer,
  { format, shown }: { readonly format: AddressFormat; readonly shown: Value },
): Value | undefined {
  const own = ownAddress(signer, format)
  return own === undefined ? undefined : address(own, shown.kind === 'address' ? shown : {})
}

type Own = { readonly own: Value | undefined; readonly format?: AddressFormat }

/** Shows a sender. Its names are there if it is the address that signs. */
export function fromValue(given: string, { own, format }: Own): Value {
  const isOwn = own?.kind === 'address' && lookupAddress(own.address) === lookupAddress(given)
  const names = isOwn ? own : {}
  return format === 'ADDRESS_FORMAT_ETHEREUM' ? ethereumAddress(given, names) : address(given, names)
}

/** Whether an address is of the signing account's wallet. An amount that goes there has not left the wallet. */
export function isOfWallet(given: string, { signer, now }: Pick<TransactionContent, 'signer' | 'now'>): boolean {
  const own = signer.kind === 'wallet_account' ? now.find('wallet_account', signer.recordId) : undefined
  return own !== undefined && now.accountsAt([given]).get(given)?.walletId === own.walletId
}
