import { isUtf8 } from 'node:buffer'
import Type from 'typebox'
import { secret } from '../../../contract/fields/secret_fields.ts'
import type { Keys, SealingKeyName } from '../../../contract/keys.ts'
import type { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'
import { fieldRefused } from '../../../protocol/wire/failures.ts'

/** The common part of on-ramp and OAuth 2.0 credentials: an account with a provider, and its secret. */

/** A secret encrypted to `onRampEncryption`. */
export const EncryptedOnRampSecret = secret(
  Type.String({
    minLength: 1,
    maxLength: 4_096,
    expected: 'a secret encrypted to the key `onRampEncryption`, in Base58Check',
  }),
)

/** A secret encrypted to `tlsFetcherEncryption`. */
export const EncryptedClientSecret = secret(
  Type.String({
    minLength: 1,
    maxLength: 16_384,
    expected: 'a secret encrypted to the key `tlsFetcherEncryption`, in hex',
  }),
)

/** Opens a provider's secret: a text in UTF-8, as clients encode it. Throws FIELD_INVALID. */
export function openProviderSecret(
  keys: Pick<Keys, 'openSealedTo'>,
  keyName: SealingKeyName,
  sealed: { readonly text: string; readonly fieldPath: string },
): SecretBytes {
  const secret = keys.openSealedTo(keyName, sealed)
  if (secret.reveal().length > 0 && isUtf8(secret.reveal())) return secret
  secret[Symbol.dispose]()
  throw fieldRefused(sealed.fieldPath, 'its plaintext must be a text in UTF-8 that is not empty')
}
