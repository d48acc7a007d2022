import { createCipheriv } from 'node:crypto'
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { shake128 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { hpkeDecrypt, hpkeEncrypt, uncompressRawPublicKey } from '@turnkey/crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bitFlipped, newP256Pair, randomBytes } from '../../../test/support/p256_pairs.ts'
import { encapsulate, keySchedule, openSealed, sealTo } from './hpke.ts'
import { SecretBytes } from './secret_bytes.ts'

const receiver = newP256Pair()
const info = new TextEncoder().encode('turnkey_hpke')
const plaintexts = fc.uint8Array({ maxLength: 300, size: 'max' })
const seal = (plaintext: Uint8Array) => sealTo({ receiver: receiver.point, plaintext, randomBytes })

function open(sealed: ReturnType<typeof sealTo>, pair = receiver): Uint8Array | undefined {
  using secret = pair.secret()
  using opened = openSealed({ sealed, receiverSecret: secret })
  expect(bytesToHex(secret.reveal())).toBe(pair.secretHex)
  return opened && Uint8Array.from(opened.reveal())
}

describe('RFC 9180', () => {
  const ode = Buffer.from('Ode on a Grecian Urn')

  test('A.3.1: DHKEM(P-256, HKDF-SHA256) makes its encapsulated key and shared secret', () => {
    const { encappedPublic, sharedSecret } = encapsulate({
      receiver: hexToBytes(
        '04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f706a826a779b4cf969b8a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0',
      ),
      randomBytes: () => hexToBytes('4270e54ffd08d79d5928020af4686d8f6b7d35dbe470265f1f5aa22816ce860e'),
    })
    expect(bytesToHex(encappedPublic)).toBe(
      '04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4',
    )
    expect(bytesToHex(sharedSecret.reveal())).toBe('c0d26aeab536609a572b07695d933b589dcf363ff9d93c93adea537aeabb8cb8')
  })

  test('test-vectors.json of the RFC, this very suite (0x0010, 0x0001, 0x0002), base mode', () => {
    // As the Go standard library condenses them (crypto/hpke/testdata/rfc9180.json): 1,000 messages of SHAKE128's
    // output, and of what they were encrypted to the SHAKE128.
    const { encappedPublic, sharedSecret } = encapsulate({
      receiver: hexToBytes(
        '04abc7e49a4c6b3566d77d0304addc6ed0e98512ffccf505e6a8e3eb25c685136f853148544876de76c0f2ef99cdc3a05ccf5ded7860c7c021238f9e2073d2356c',
      ),
      randomBytes: () => hexToBytes('a90d3417c3da9cb6c6ae19b4b5dd6cc9529a4cc24efb7ae0ace1f31887a8cd6c'),
    })
    expect(bytesToHex(encappedPublic)).toBe(
      '04c06b4f6bebc7bb495cb797ab753f911aff80aefb86fd8b6fcc35525f3ab5f03e0b21bd31a86c6048af3cb2d98e0d3bf01da5cc4c39ff5370d331a4f1f7d5a4e0',
    )
    using message = keySchedule({ sharedSecret, info: ode })
    const [source, sink] = [shake128.create(), shake128.create()]
    const draw = () => source.xof(source.xof(1)[0] ?? 0)
    for (let sequence = 0; sequence < 1_000; sequence += 1) {
      const [additionalData, plaintext] = [draw(), draw()]
      // RFC 9180, 5.2, ComputeNonce.
      const nonce = Buffer.from(message.nonce)
      nonce.writeUInt16BE(nonce.readUInt16BE(10) ^ sequence, 10)
      const cipher = createCipheriv('aes-256-gcm', message.key.reveal(), nonce).setAAD(additionalData)
      sink.update(cipher.update(plaintext)).update(cipher.final()).update(cipher.getAuthTag())
    }
    expect(bytesToHex(sink.xof(16))).toBe('8d3263541fc1695b6e88ff3a1208577c')
  })
})

describe('@hpke/core', () => {
  const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
  const recipientKey = suite.kem.importKey('raw', new Uint8Array(hexToBytes(receiver.secretHex)).buffer, false)
  const recipientPublicKey = suite.kem.importKey('raw', new Uint8Array(receiver.point).buffer, true)

  test('opens what is sealed here', async () => {
    await fc.assert(
      fc.asyncProperty(plaintexts, async (plaintext) => {
        const { encappedPublic, ciphertext } = seal(plaintext)
        const context = { recipientKey: await recipientKey, enc: encappedPublic, info }
        const opened = await suite.open(context, ciphertext, Buffer.concat([encappedPublic, receiver.point]))
        expect(new Uint8Array(opened)).toEqual(plaintext)
      }),
      { numRuns: 30 },
    )
  })

  test('seals what is opened here', async () => {
    await fc.assert(
      fc.asyncProperty(plaintexts, async (plaintext) => {
        const sender = await suite.createSenderContext({ recipientPublicKey: await recipientPublicKey, info })
        const encappedPublic = new Uint8Array(sender.enc)
        const sealed = await sender.seal(plaintext, Buffer.concat([encappedPublic, receiver.point]))
        expect(open({ encappedPublic, ciphertext: new Uint8Array(sealed) })).toEqual(plaintext)
      }),
      { numRuns: 30 },
    )
  })

  test('derives the same ephemeral key from the same random bytes', async () => {
    const seed = randomBytes(32)
    const { encappedPublic } = sealTo({
      receiver: receiver.point,
      plaintext: seed,
      randomBytes: () => seed.slice(),
    })
    const { publicKey } = await suite.kem.deriveKeyPair(seed)
    expect(new Uint8Array(await suite.kem.serializePublicKey(publicKey))).toEqual(encappedPublic)
  })
})

describe('@turnkey/crypto', () => {
  test('opens what is sealed here', () => {
    fc.assert(
      fc.property(plaintexts, (plaintext) => {
        const { encappedPublic, ciphertext } = seal(plaintext)
        const opened = hpkeDecrypt({
          ciphertextBuf: ciphertext,
          encappedKeyBuf: encappedPublic,
          receiverPriv: receiver.secretHex,
        })
        expect(opened).toEqual(plaintext)
      }),
      { numRuns: 10 },
    )
  })

  test('seals what is opened here', () => {
    fc.assert(
      fc.property(plaintexts, (plaintext) => {
        const sealed = hpkeEncrypt({ plainTextBuf: plaintext, targetKeyBuf: receiver.point })
        const encappedPublic = uncompressRawPublicKey(sealed.slice(0, 33))
        expect(open({ encappedPublic, ciphertext: sealed.slice(33) })).toEqual(plaintext)
      }),
      { numRuns: 10 },
    )
  })
})

test('the same random bytes seal alike, others do not', () => {
  const plaintext = Buffer.from('a secret')
  const sealWith = (seed: number) =>
    sealTo({ receiver: receiver.point, plaintext, randomBytes: (size) => new Uint8Array(size).fill(seed) })
  expect(sealWith(1)).toEqual(sealWith(1))
  expect(sealWith(1).encappedPublic).not.toEqual(sealWith(2).encappedPublic)
  expect(plaintext.toString()).toBe('a secret')
})

test('another key, a flipped bit, a cut end: undefined', () => {
  fc.assert(
    fc.property(plaintexts, fc.nat(), (plaintext, number) => {
      const { encappedPublic, ciphertext } = seal(plaintext)
      expect(open({ encappedPublic, ciphertext }, newP256Pair())).toBeUndefined()
      expect(open({ encappedPublic: bitFlipped(encappedPublic, number), ciphertext })).toBeUndefined()
      expect(open({ encappedPublic, ciphertext: bitFlipped(ciphertext, number) })).toBeUndefined()
      expect(open({ encappedPublic, ciphertext: ciphertext.subarray(0, number % ciphertext.length) })).toBeUndefined()
      expect(open({ encappedPublic: newP256Pair().point, ciphertext })).toBeUndefined()
    }),
    { numRuns: 30 },
  )
})

test('any bytes: undefined, never an error', () => {
  const points = fc.oneof(fc.uint8Array({ maxLength: 70 }), fc.constant(receiver.point))
  fc.assert(
    fc.property(points, fc.uint8Array({ maxLength: 80 }), (encappedPublic, ciphertext) => {
      expect(open({ encappedPublic, ciphertext })).toBeUndefined()
    }),
  )
})

test('a receiver that is no uncompressed point is a bug of the caller', () => {
  const plaintext = new Uint8Array()
  for (const bad of [hexToBytes(receiver.compressed), new Uint8Array(65), new Uint8Array(65).fill(4, 0, 1)]) {
    expect(() => sealTo({ receiver: bad, plaintext, randomBytes })).toThrow()
  }
})

test('the random bytes and everything derived from them are erased', () => {
  const seed = new Uint8Array(32).fill(7)
  const { sharedSecret } = encapsulate({ receiver: receiver.point, randomBytes: () => seed })
  expect(seed).toEqual(new Uint8Array(32))
  expect(sharedSecret).toBeInstanceOf(SecretBytes)
})
