import type { ActivityContext } from '../../../contract/define.ts'
import type { Id } from '../../../contract/fields/ids.ts'
import { type AddressFormat, addressOf } from '../../../protocol/chains/address_formats.ts'
import { type Curve, publicKeyOf } from '../../../protocol/crypto/curves.ts'
import type { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'
import { fieldInvalid } from '../../../protocol/wire/failures.ts'
import { checkFormat } from '../../wallets/shared/new_accounts.ts'

type Formats = { readonly curve: Curve; readonly addressFormats: readonly AddressFormat[] }

/** Checks that every format is for the curve and that none is listed twice. */
export function checkFormats({ curve, addressFormats }: Formats, fieldPath: string): void {
  addressFormats.forEach((addressFormat, index) => {
    checkFormat({ curve, addressFormat }, `${fieldPath}[${index}]`)
  })
  if (new Set(addressFormats).size === addressFormats.length) return
  throw fieldInvalid(fieldPath, 'a list of different formats')
}

/** Adds a private key with this secret, and takes ownership of the secret. */
export function addPrivateKey(
  {
    privateKeyName,
    curve,
    addressFormats,
    secret,
    imported,
    tagIds = [],
  }: Formats & {
    readonly privateKeyName: string
    readonly secret: SecretBytes
    readonly imported: boolean
    readonly tagIds?: readonly Id[]
  },
  { organization, newId }: Pick<ActivityContext<unknown>, 'organization' | 'newId'>,
) {
  const publicKey = publicKeyOf(curve, secret.reveal())
  const privateKeyId = newId()
  const addresses = addressFormats.map((format) => ({ format, address: addressOf({ format, curve, publicKey }) }))
  const privateKey = {
    privateKeyId,
    privateKeyName,
    curve,
    publicKey: Buffer.from(publicKey).toString('hex'),
    addresses,
    privateKeyTags: tagIds,
    exported: false,
    imported,
  }
  organization.privateKeys.add(privateKey, secret)
  return { privateKeyId, addresses }
}
