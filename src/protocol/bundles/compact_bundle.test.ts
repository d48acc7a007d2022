import { sha256 } from '@noble/hashes/sha2.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { createBase58check } from '@scure/base'
import { decryptCredentialBundle, encryptOnRampSecret } from '@turnkey/crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bitFlipped, newP256Pair, randomBytes } from '../../../test/support/p256_pairs.ts'
import { SecretBytes } from '../crypto/secret_bytes.ts'
import { compactPlaintextBytesMax, openCompactBundle, sealCompactBundle } from './compact_bundle.ts'

const base58check = createBase58check(sha256)
const receiver = newP256Pair()
const fieldPath = 'parameters.encryptedSecretApiKey'

function sealed(bytes: Uint8Array): string {
  using plaintext = new SecretBytes(bytes.slice())
  return sealCompactBundle({ receiver: receiver.point, plaintext, randomBytes })
}

function opened(text: string, pair = receiver): Uint8Array {
  using receiverSecret = pair.secret()
  using plaintext = openCompactBundle({ text, receiverSecret, fieldPath })
  return Uint8Array.from(plaintext.reveal())
}

test('@turnkey/crypto opens a credential bundle', () => {
  for (let round = 0; round < 20; round += 1) {
    const key = randomBytes(32)
    expect(decryptCredentialBundle(sealed(key), receiver.secretHex)).toBe(Buffer.from(key).toString('hex'))
  }
})

test('a bundle that @turnkey/crypto encrypts to the compressed key opens', () => {
  const secrets = fc.string({ unit: 'grapheme', maxLength: 100 })
  fc.assert(
    fc.property(secrets, (secret) => {
      expect(Buffer.from(opened(encryptOnRampSecret(secret, receiver.compressed))).toString()).toBe(secret)
    }),
    { numRuns: 15 },
  )
  const longest = 'x'.repeat(2_048)
  expect(Buffer.from(opened(encryptOnRampSecret(longest, receiver.compressed))).toString()).toBe(longest)
})

test.each([
  [
    "@turnkey/crypto's",
    '20fa65df11f24833790ae283fc9a0c215eecbbc589549767977994dc69d05a56',
    'w99a5xV6A75TfoAUkZn869fVyDYvgVsKrawMALZXmrauZd8hEv66EkPU1Z42CUaHESQjcA5bqd8dynTGBMLWB9ewtXWPEVbZvocB4Tw2K1vQVp7uwjf',
  ],
  [
    "the Rust client's",
    'd2d9239a4bb25d09a6d91822e1d0991f0b21a63b102191bb98b6b77ac6fc6c91',
    'skr1QFHrNyL7xcvzRpU4t9yhL8rEVPZgDcFM5YW8S1YwLYjedoagnNZwMCyJsxNYzuphKHqQBkZxt4fLWSVsMqnW9XdmLBsK2MhwC5WxuxZD9xE8ezQ',
  ],
])('the published bundle of %s tests opens', (_name, key, bundle) => {
  const credential = '67ee05fc3bdf4161bc70701c221d8d77180294cefcfcea64ba83c4d4c732fcb9'
  expect(Buffer.from(opened(bundle, newP256Pair(hexToBytes(key)))).toString('hex')).toBe(credential)
})

test('a plaintext of the greatest length is sealed, and a longer one is not', () => {
  const longest = randomBytes(compactPlaintextBytesMax)
  expect(opened(sealed(longest))).toEqual(longest)
  expect(() => sealed(randomBytes(compactPlaintextBytesMax + 1))).toThrow('invalid length')
})

describe('refused with the field', () => {
  const good = sealed(Buffer.from('a secret'))
  const content = base58check.decode(good)

  const refuses = (text: string, pair = receiver) => {
    const refusal = { name: 'Failure', code: 'FIELD_INVALID', httpStatus: 400, fieldPath }
    expect(() => opened(text, pair)).toThrow(expect.objectContaining(refusal))
  }

  test.each([
    ['nothing', ''],
    ['a letter that is no digit', `${good.slice(0, -1)}0`],
    ['a wrong checksum', `${good.slice(0, -1)}${good.endsWith('2') ? '3' : '2'}`],
    ['a checksum of nothing', base58check.encode(new Uint8Array())],
    ['a point only', base58check.encode(content.subarray(0, 33))],
    ['less than a tag', base58check.encode(content.subarray(0, 48))],
    ['an uncompressed point', base58check.encode(Uint8Array.of(...receiver.point, ...content.subarray(33)))],
    ['an x without a point', base58check.encode(Uint8Array.of(2, ...new Uint8Array(31), 1, ...content.subarray(33)))],
    ['too long a text', '1'.repeat(100_000)],
    ['white space', ` ${good}`],
  ])('%s', (_name, text) => refuses(text))

  test('a bundle for another key', () => refuses(good, newP256Pair()))

  test('any text, and any bundle that was cut or changed behind its checksum', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{0,200}$/),
      fc.uint8Array({ maxLength: 120 }).map((bytes) => base58check.encode(bytes)),
      fc.nat({ max: good.length - 1 }).map((length) => good.slice(0, length)),
      fc.nat().map((bit) => base58check.encode(bitFlipped(content, bit))),
      fc.nat({ max: content.length - 1 }).map((length) => base58check.encode(content.subarray(0, length))),
    )
    fc.assert(
      fc.property(texts, (text) => refuses(text)),
      { numRuns: 300 },
    )
  })
})
