import { randomBytes } from 'node:crypto'
import { decryptAesGcm, encryptAesGcm, gcmTagBytes } from '../../protocol/crypto/aes_gcm.ts'
import type { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'

/**
 * The form of a wrapped master seed. Every unsealer with a 256-bit key uses it:
 *
 *     u8 version 1 | u8 length, unsealer's name (ASCII) | u8 length, unsealer's parameters |
 *     nonce (12) | ciphertext (32) | tag (16)
 *
 * The cipher is AES-256-GCM (NIST SP 800-38D). Its additional data is the purpose and the bytes before the nonce.
 */

/** The vault cannot be opened. The message is for the operator: it says what to do and holds no secret. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError'
}

export const masterSeedBytes = 32

const version = 1
const nonceBytes = 12
const sealedBytes = nonceBytes + masterSeedBytes + gcmTagBytes
const purpose = Buffer.from('claviger master seed v1\0')

type SealedSeed = { readonly header: Uint8Array; readonly sealed: Uint8Array }

type SeedToSeal = {
  readonly unsealer: string
  readonly parameters: Uint8Array
  readonly key: SecretBytes
  readonly masterSeed: SecretBytes
}

/** Wraps a master seed under `key`, 32 bytes. */
export function sealSeed({ unsealer, parameters, key, masterSeed }: SeedToSeal): Uint8Array {
  if (masterSeed.reveal().length !== masterSeedBytes) throw new Error(`a master seed has ${masterSeedBytes} bytes`)
  const header = encodeHeader(unsealer, parameters)
  const nonce = randomBytes(nonceBytes)
  const additionalData = Buffer.concat([purpose, header])
  const before = [header, nonce]
  return new Uint8Array(encryptAesGcm({ key, nonce, additionalData, plaintext: masterSeed.reveal(), before }))
}

type WrappedText = {
  readonly wrapped: Uint8Array
  readonly unsealer: string
  readonly parametersBytes: number
}

/**
 * Returns the parameters with which `unsealer` wrapped the seed, and the part that `openSeed` opens. Throws
 * `UnsealError` if another unsealer wrapped the seed, or the bytes are damaged.
 */
export function readWrapped({ wrapped, unsealer, parametersBytes }: WrappedText): {
  readonly parameters: Uint8Array
  readonly seed: SealedSeed
} {
  if (wrapped[0] !== version) throw new UnsealError('the wrapped master seed is damaged, or of a newer version')
  const nameEnd = 2 + (wrapped[1] ?? 0)
  const name = Buffer.from(wrapped.subarray(2, nameEnd)).toString('latin1')
  if (name !== unsealer) {
    throw new UnsealError(`the master seed was not wrapped by the unsealer ${unsealer} ${wrappedBy(name)}`)
  }
  const headerEnd = nameEnd + 1 + parametersBytes
  if (wrapped[nameEnd] !== parametersBytes || wrapped.length !== headerEnd + sealedBytes) {
    throw new UnsealError('the wrapped master seed is damaged: it has the wrong length')
  }
  return {
    parameters: wrapped.subarray(nameEnd + 1, headerEnd),
    seed: { header: wrapped.subarray(0, headerEnd), sealed: wrapped.subarray(headerEnd) },
  }
}

/** Opens a wrapped seed. `hint` is the most likely reason why the key does not open it, for the error message. */
export function openSeed({ header, sealed }: SealedSeed, key: SecretBytes, hint: string): SecretBytes {
  const [nonce, ciphertext] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes)]
  const masterSeed = decryptAesGcm({ key, nonce, additionalData: Buffer.concat([purpose, header]), ciphertext })
  if (masterSeed !== undefined) return masterSeed
  throw new UnsealError(`the stored master seed does not open: ${hint}, or the stored state was changed`)
}

function encodeHeader(unsealer: string, parameters: Uint8Array): Uint8Array {
  const name = Buffer.from(unsealer, 'latin1')
  return Uint8Array.of(version, name.length, ...name, parameters.length, ...parameters)
}

function wrappedBy(name: string): string {
  if (!/^[a-z0-9-]{1,40}$/.test(name)) return 'and is damaged'
  return `but by ${name}: ${setups.get(name) ?? 'set that one up'}`
}

/** How the operator says which unsealer it is to be. */
const setups: ReadonlyMap<string, string> = new Map([
  ['key-file', 'leave CLAVIGER_ROOT_PASSPHRASE_FILE out'],
  ['passphrase', 'set CLAVIGER_ROOT_PASSPHRASE_FILE'],
])
