import { webcrypto } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bitFlipped } from '../../../test/support/p256_pairs.ts'
import { decryptAesGcm, encryptAesGcm, gcmTagBytes } from './aes_gcm.ts'
import { SecretBytes } from './secret_bytes.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const boxes = fc.record({
  keyBytes: bytes(32),
  nonce: fc.oneof(bytes(12), bytes(16)),
  additionalData: fc.uint8Array(),
  plaintext: fc.uint8Array({ maxLength: 200 }),
})

test('WebCrypto decrypts it, and so does decryptAesGcm', async () => {
  await fc.assert(
    fc.asyncProperty(boxes, async ({ keyBytes, nonce, additionalData, plaintext }) => {
      using key = new SecretBytes(keyBytes.slice())
      const ciphertext = encryptAesGcm({ key, nonce, additionalData, plaintext })
      expect(ciphertext).toHaveLength(plaintext.length + gcmTagBytes)
      const theirs = await webcrypto.subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['decrypt'])
      const decrypted = await webcrypto.subtle.decrypt(
        { name: 'AES-GCM', iv: nonce, additionalData },
        theirs,
        ciphertext,
      )
      expect(new Uint8Array(decrypted)).toEqual(plaintext)
      using ours = decryptAesGcm({ key, nonce, additionalData, ciphertext })
      expect(ours && Uint8Array.from(ours.reveal())).toEqual(plaintext)
    }),
  )
})

test('a bit flipped, something cut off, other additional data: undefined', () => {
  fc.assert(
    fc.property(boxes, fc.nat(), ({ keyBytes, nonce, additionalData, plaintext }, number) => {
      using key = new SecretBytes(keyBytes.slice())
      const ciphertext = encryptAesGcm({ key, nonce, additionalData, plaintext })
      const cut = ciphertext.subarray(0, number % ciphertext.length)
      expect(decryptAesGcm({ key, nonce, additionalData, ciphertext: bitFlipped(ciphertext, number) })).toBeUndefined()
      expect(decryptAesGcm({ key, nonce, additionalData, ciphertext: cut })).toBeUndefined()
      const other = Uint8Array.of(...additionalData, 0)
      expect(decryptAesGcm({ key, nonce, additionalData: other, ciphertext })).toBeUndefined()
    }),
  )
})
