import { encryptOauth2ClientSecret, quorumKeyEncrypt } from '@turnkey/crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bitFlipped, newP256Pair } from '../../../test/support/p256_pairs.ts'
import { openQosEnvelope } from './qos_envelope.ts'

const receiver = newP256Pair()
const fieldPath = 'parameters.encryptedClientSecret'
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function opened(text: string, pair = receiver): Uint8Array {
  using receiverSecret = pair.secret()
  using plaintext = openQosEnvelope({ text, receiverSecret, fieldPath })
  return Uint8Array.from(plaintext.reveal())
}

test('an envelope of @turnkey/crypto opens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), async (secret) => {
      const text = await encryptOauth2ClientSecret(secret, receiver.uncompressed)
      expect(Buffer.from(opened(text)).toString()).toBe(secret)
      expect(Buffer.from(opened(text.toUpperCase())).toString()).toBe(secret)
    }),
    { numRuns: 15 },
  )
})

test('any bytes that it encrypts open', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (plaintext) => {
      expect(opened(hexOf(await quorumKeyEncrypt(receiver.point, plaintext)))).toEqual(plaintext)
    }),
    { numRuns: 20 },
  )
})

describe('refused with the field', async () => {
  const good = await quorumKeyEncrypt(receiver.point, Buffer.from('a secret'))
  const put = (bytes: Uint8Array, at: number) => {
    const changed = Uint8Array.from(good)
    changed.set(bytes, at)
    return hexOf(changed)
  }

  const refuses = (text: string, pair = receiver) => {
    const refusal = { name: 'Failure', code: 'FIELD_INVALID', httpStatus: 400, fieldPath }
    expect(() => opened(text, pair)).toThrow(expect.objectContaining(refusal))
  }

  test.each([
    ['nothing', ''],
    ['half a byte', hexOf(good).slice(1)],
    ['a prefix', `0x${hexOf(good)}`],
    ['base64', Buffer.from(good).toString('base64')],
    ['a byte behind the end', `${hexOf(good)}00`],
    ['a length that is one short', put(Uint8Array.of(23, 0, 0, 0), 77)],
    ['a length that is big-endian', put(Uint8Array.of(0, 0, 0, 24), 77)],
    ['the longest length', put(new Uint8Array(4).fill(0xff), 77)],
    ['less than a tag', `${hexOf(good.subarray(0, 77))}0f000000${'00'.repeat(15)}`],
    ['a point of zeros', put(new Uint8Array(64), 13)],
    ['a point in the hybrid form', put(Uint8Array.of(6 + ((good[76] ?? 0) & 1)), 12)],
    ['too long a text', '00'.repeat(100_000)],
  ])('%s', (_name, text) => refuses(text))

  test('an envelope for another key', () => refuses(hexOf(good), newP256Pair()))

  test('any text, and any envelope that was cut or changed', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 200 }).map(hexOf),
      fc.nat({ max: good.length - 1 }).map((length) => hexOf(good.subarray(0, length))),
      fc.nat().map((bit) => hexOf(bitFlipped(good, bit))),
    )
    fc.assert(
      fc.property(texts, (text) => refuses(text)),
      { numRuns: 300 },
    )
  })
})
