import { secp256k1 } from '@noble/curves/secp256k1.js'
import { decrypt } from 'eciesjs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bitFlipped, randomBytes } from '../../../test/support/p256_pairs.ts'
import { eciesEncrypt } from './ecies.ts'
import { SecretBytes } from './secret_bytes.ts'

const privateKeys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((key) => secp256k1.utils.isValidSecretKey(key))

function encrypted(receiver: Uint8Array, bytes: Uint8Array): Uint8Array {
  using plaintext = new SecretBytes(bytes.slice())
  return eciesEncrypt({ receiver, plaintext, randomBytes })
}

test('eciesjs decrypts it with the receiver’s private key, in either form of the public key', () => {
  fc.assert(
    fc.property(privateKeys, fc.uint8Array({ maxLength: 300, size: 'max' }), (key, plaintext) => {
      for (const isCompressed of [true, false]) {
        const ciphertext = encrypted(secp256k1.getPublicKey(key, isCompressed), plaintext)
        expect(ciphertext).toHaveLength(97 + plaintext.length)
        expect(Uint8Array.from(decrypt(key, ciphertext))).toEqual(plaintext)
      }
    }),
    { numRuns: 30 },
  )
})

test('each ciphertext has a key and a nonce of its own; nobody else decrypts it; nothing in it can be changed', () => {
  const key = secp256k1.utils.randomSecretKey()
  const plaintext = Buffer.from('a secret')
  const [first, second] = [0, 1].map(() => encrypted(secp256k1.getPublicKey(key), plaintext))
  if (first === undefined || second === undefined) throw new Error('two were encrypted')
  expect(first.subarray(0, 65)).not.toEqual(second.subarray(0, 65))
  expect(first.subarray(65, 81)).not.toEqual(second.subarray(65, 81))
  expect(() => decrypt(secp256k1.utils.randomSecretKey(), first)).toThrow()
  for (let bit = 0; bit < 8 * first.length; bit += 7) expect(() => decrypt(key, bitFlipped(first, bit))).toThrow()
})

test('a receiver that is no point is a bug of the caller', () => {
  for (const bad of [new Uint8Array(), new Uint8Array(33), new Uint8Array(65).fill(4, 0, 1)]) {
    expect(() => encrypted(bad, new Uint8Array())).toThrow()
  }
})
