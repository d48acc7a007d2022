import { strict as assert } from 'node:assert'
import { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'

/**
 * The secrets sealed with a passcode flow: the private half, a scalar of P-256, of the key to which the client encrypts
 * the typed passcode, and the passcode in ASCII.
 *
 *   private half (32 bytes) ‖ passcode
 */
type PasscodeSecrets = { readonly targetSecret: SecretBytes; readonly passcode: SecretBytes }

const targetBytes = 32

/** The caller still owns both arguments. */
export function passcodeSecretOf({ targetSecret, passcode }: PasscodeSecrets): SecretBytes {
  const [first, second] = [targetSecret.reveal(), passcode.reveal()]
  assert(first.length === targetBytes && second.length > 0, 'a passcode is sealed behind 32 bytes of a key')
  const secret = new SecretBytes(new Uint8Array(targetBytes + second.length))
  secret.reveal().set(first)
  secret.reveal().set(second, targetBytes)
  return secret
}

/** Returns copies that are disposed of with the result. The caller still owns the argument. */
export function partsOfPasscodeSecret(secret: SecretBytes): PasscodeSecrets & Disposable {
  const bytes = secret.reveal()
  assert(bytes.length > targetBytes, 'a passcode is sealed behind 32 bytes of a key')
  const targetSecret = new SecretBytes(bytes.slice(0, targetBytes))
  const passcode = new SecretBytes(bytes.slice(targetBytes))
  return {
    targetSecret,
    passcode,
    [Symbol.dispose]() {
      targetSecret[Symbol.dispose]()
      passcode[Symbol.dispose]()
    },
  }
}
