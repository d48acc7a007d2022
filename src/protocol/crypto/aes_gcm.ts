import { createCipheriv, createDecipheriv } from 'node:crypto'
import { SecretBytes } from './secret_bytes.ts'

/** AES-256-GCM (NIST SP 800-38D) with a 16-byte tag. The key has 32 bytes. The caller still owns every member. */
type Box = {
  readonly key: SecretBytes
  readonly nonce: Uint8Array
  readonly additionalData: Uint8Array
}

export const gcmTagBytes = 16

/** The ciphertext with its tag at the end. `before` are bytes to write in front of it, which spares a copy of it. */
export function encryptAesGcm({
  key,
  nonce,
  additionalData,
  plaintext,
  before = [],
}: Box & { readonly plaintext: Uint8Array; readonly before?: readonly Uint8Array[] }) {
  const cipher = createCipheriv('aes-256-gcm', key.reveal(), nonce)
  cipher.setAAD(additionalData)
  // The order of these calls matters: the tag exists only after `final`.
  return Buffer.concat([...before, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** The plaintext of a ciphertext with its tag at the end; undefined when the tag is wrong. */
export function decryptAesGcm({
  key,
  nonce,
  additionalData,
  ciphertext,
}: Box & { readonly ciphertext: Uint8Array }): SecretBytes | undefined {
  if (ciphertext.length < gcmTagBytes) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key.reveal(), nonce, { authTagLength: gcmTagBytes })
  decipher.setAAD(additionalData)
  decipher.setAuthTag(ciphertext.subarray(-gcmTagBytes))
  const plaintext = new SecretBytes(decipher.update(ciphertext.subarray(0, -gcmTagBytes)))
  try {
    decipher.final()
    return plaintext
  } catch {
    plaintext[Symbol.dispose]()
    return undefined
  }
}
