import { strict as assert } from 'node:assert'
import type { Keys } from '../../../contract/keys.ts'
import { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'
import { openProviderSecret } from '../../oauth2_credentials/shared/provider_credentials.ts'

/**
 * The secrets sealed with an on-ramp credential: the provider's secret API key and, for providers that need one, a
 * private key. Both are texts in UTF-8 and neither is empty.
 *
 *   u16 bytes of the secret API key ‖ secret API key ‖ private key
 */
type OnRampSecrets = { readonly secretApiKey: SecretBytes; readonly privateApiKey?: SecretBytes | undefined }

/** The caller still owns both arguments. */
export function onRampSecretOf({ secretApiKey, privateApiKey }: OnRampSecrets): SecretBytes {
  const [first, second] = [secretApiKey.reveal(), privateApiKey?.reveal() ?? nothing]
  assert(first.length > 0 && first.length <= bytesMax, 'a secret API key has from 1 to 65,535 bytes')
  const secret = new SecretBytes(new Uint8Array(lengthBytes + first.length + second.length))
  viewOf(secret).setUint16(0, first.length)
  secret.reveal().set(first, lengthBytes)
  secret.reveal().set(second, lengthBytes + first.length)
  return secret
}

/** Returns copies that are disposed of with the result. The caller still owns the argument. */
export function partsOfOnRampSecret(secret: SecretBytes): OnRampSecrets & Disposable {
  const bytes = secret.reveal()
  assert(bytes.length > lengthBytes, 'an on-ramp credential is sealed with its secret API key')
  const end = lengthBytes + viewOf(secret).getUint16(0)
  assert(end > lengthBytes && end <= bytes.length, 'an on-ramp credential is sealed with its secret API key')
  const secretApiKey = new SecretBytes(bytes.slice(lengthBytes, end))
  const privateApiKey = end === bytes.length ? undefined : new SecretBytes(bytes.slice(end))
  return {
    secretApiKey,
    privateApiKey,
    [Symbol.dispose]() {
      secretApiKey[Symbol.dispose]()
      privateApiKey?.[Symbol.dispose]()
    },
  }
}

/** Opens the secrets of a request. An absent private key is taken from `kept`. Throws FIELD_INVALID. */
export function openOnRampSecret(
  given: { readonly encryptedSecretApiKey: string; readonly encryptedPrivateApiKey?: string },
  keys: Pick<Keys, 'openSealedTo'>,
  kept?: Pick<OnRampSecrets, 'privateApiKey'>,
): SecretBytes {
  const open = (text: string, fieldPath: string) =>
    openProviderSecret(keys, 'onRampEncryption', { text, fieldPath: `parameters.${fieldPath}` })
  const { encryptedSecretApiKey, encryptedPrivateApiKey } = given
  using secretApiKey = open(encryptedSecretApiKey, 'encryptedSecretApiKey')
  using privateApiKey =
    encryptedPrivateApiKey === undefined ? undefined : open(encryptedPrivateApiKey, 'encryptedPrivateApiKey')
  return onRampSecretOf({ secretApiKey, privateApiKey: privateApiKey ?? kept?.privateApiKey })
}

const nothing = new Uint8Array()
const lengthBytes = 2
const bytesMax = 0xffff

function viewOf(secret: SecretBytes): DataView {
  const { buffer, byteOffset, byteLength } = secret.reveal()
  return new DataView(buffer, byteOffset, byteLength)
}
