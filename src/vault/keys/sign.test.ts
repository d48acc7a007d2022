import { createECDH, createPublicKey, verify as nodeVerify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { computeAddress, recoverAddress } from 'ethers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Curve } from '../../protocol/curves.ts'
import { SecretBytes } from '../../protocol/secret_bytes.ts'
import { type Signature, signMessage, taprootOutputKey } from './sign.ts'

const curves = { CURVE_SECP256K1: secp256k1, CURVE_P256: p256 } as const
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const keys = bytes32.filter((key) => secp256k1.utils.isValidSecretKey(key) && p256.utils.isValidSecretKey(key))
const zeros = new Uint8Array(32)

function sign(curve: Curve, key: Uint8Array, message: Uint8Array): Signature {
  using privateKey = new SecretBytes(key.slice())
  const signature = signMessage({ curve, scheme: 'default', privateKey, message })
  expect(privateKey.reveal()).toEqual(key)
  expect(signature.r + signature.s).toMatch(/^[0-9a-f]{128}$/)
  return signature
}

function signTaproot(key: Uint8Array, message: Uint8Array, randomness: Uint8Array): Signature {
  using privateKey = new SecretBytes(key.slice())
  const signature = signMessage({ curve: 'CURVE_SECP256K1', scheme: 'taproot', privateKey, message, randomness })
  expect(privateKey.reveal()).toEqual(key)
  return signature
}

const joined = ({ r, s }: Signature) => hexToBytes(r + s)

for (const curve of ['CURVE_SECP256K1', 'CURVE_P256'] as const) {
  describe(curve, () => {
    const { Point, getPublicKey } = curves[curve]

    test('a signature verifies, has a low s, is deterministic, and its v recovers the public key', () => {
      fc.assert(
        fc.property(keys, bytes32, (key, message) => {
          const signature = sign(curve, key, message)
          const publicKey = getPublicKey(key)
          const options = { prehash: false, lowS: true } as const
          expect(curves[curve].verify(joined(signature), message, publicKey, options)).toBe(true)
          expect(BigInt(`0x${signature.s}`) <= Point.Fn.ORDER / 2n).toBe(true)
          expect(sign(curve, key, message)).toEqual(signature)
          const recovered = concatBytes(hexToBytes(signature.v), joined(signature))
          expect(curves[curve].recoverPublicKey(recovered, message, { prehash: false })).toEqual(publicKey)
        }),
        { numRuns: 60 },
      )
    })

    test('node:crypto verifies a signature over SHA-256', () => {
      fc.assert(
        fc.property(keys, fc.uint8Array(), (key, text) => {
          const exchange = createECDH(curve === 'CURVE_P256' ? 'prime256v1' : 'secp256k1')
          exchange.setPrivateKey(key)
          const point = exchange.getPublicKey()
          const publicKey = createPublicKey({
            format: 'jwk',
            key: {
              kty: 'EC',
              crv: curve === 'CURVE_P256' ? 'P-256' : 'secp256k1',
              x: point.subarray(1, 33).toString('base64url'),
              y: point.subarray(33).toString('base64url'),
            },
          })
          const signature = joined(sign(curve, key, sha256(text)))
          expect(nodeVerify('sha256', text, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
        }),
        { numRuns: 40 },
      )
    })

    for (const length of [0, 31, 33, 64]) {
      test(`a message of ${length} bytes is a bug of the caller`, () => {
        expect(() => sign(curve, zeros.with(31, 1), new Uint8Array(length))).toThrow('32 bytes')
      })
    }
  })
}

test('P-256 has the r of RFC 6979, A.2.5, and its s or the low one', () => {
  const key = hexToBytes('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721')
  const { r, s } = sign('CURVE_P256', key, sha256(new TextEncoder().encode('sample')))
  expect(r).toBe('efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716')
  const published = BigInt('0xf7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8')
  expect(BigInt(`0x${s}`)).toBe(p256.Point.Fn.ORDER - published)
})

test('ethers recovers the signer of a secp256k1 signature from r, s and v plus 27', () => {
  fc.assert(
    fc.property(keys, bytes32, (key, message) => {
      const { r, s, v } = sign('CURVE_SECP256K1', key, message)
      const recovered = recoverAddress(message, { r: `0x${r}`, s: `0x${s}`, v: 27 + Number(v) })
      expect(recovered).toBe(computeAddress(`0x${bytesToHex(secp256k1.getPublicKey(key))}`))
    }),
    { numRuns: 40 },
  )
})

describe('CURVE_ED25519', () => {
  test('a message of any length has the signature of noble, and v 00', () => {
    fc.assert(
      fc.property(bytes32, fc.uint8Array({ maxLength: 300, size: 'max' }), (key, message) => {
        const signature = sign('CURVE_ED25519', key, message)
        expect(joined(signature)).toEqual(ed25519.sign(message, key))
        expect(ed25519.verify(joined(signature), message, ed25519.getPublicKey(key))).toBe(true)
        expect(signature.v).toBe('00')
      }),
      { numRuns: 60 },
    )
  })

  test('RFC 8032, 7.1, TEST 1 and TEST 2', () => {
    for (const [key, message, expected] of [
      [
        '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
        '',
        'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
      ],
      [
        '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
        '72',
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
      ],
    ] as const) {
      expect(bytesToHex(joined(sign('CURVE_ED25519', hexToBytes(key), hexToBytes(message))))).toBe(expected)
    }
  })
})

describe('taproot', () => {
  test('BIP-341, wallet-test-vectors.json, keyPathSpending, input 0: the tweaked key and the witness', () => {
    const key = hexToBytes('6b973d88838f27366ed61c9ad6367663045cb456e28335c109e30717ae0c6baa')
    using outputKey = taprootOutputKey(new SecretBytes(key.slice()))
    expect(bytesToHex(outputKey.reveal())).toBe('2405b971772ad26915c8dcdf10f238753a9b837e5f8e6a86fd7c0cce5b7296d9')
    // BIP-341 signs its vectors with auxiliary zeros; the last byte of the witness, the hash type, is not here.
    const sigHash = hexToBytes('2514a6272f85cfa0f45eb907fcb0d121b808ed37c6ea160a5a9046ed5526d555')
    expect(signTaproot(key, sigHash, zeros)).toEqual({
      r: 'ed7c1647cb97379e76892be0cacff57ec4a7102aa24296ca39af7541246d8ff1',
      s: '4d38958d4cc1e2e478e4d4a764bbfd835b16d4e314b72937b29833060b87276c',
      v: '00',
    })
  })

  for (const [path, outputKey] of [
    ["m/86'/0'/0'/0/0", 'a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c'],
    ["m/86'/0'/0'/0/1", 'a82f29944d65b86ae6b5e5cc75e294ead6c59391a1edc5e016e3498c67fc7bbb'],
    ["m/86'/0'/0'/1/0", '882d74e5d0572d5a816cef0041a96b6c1de832f6f9676d9605c44d5e9a97d3dc'],
  ] as const) {
    test(`BIP-86, test vectors: ${path} signs for the published output key`, () => {
      const mnemonic = `${'abandon '.repeat(11)}about`
      const { privateKey } = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive(path)
      if (!privateKey) throw new Error('a private derivation has a private key')
      const message = sha256(zeros)
      const signature = signTaproot(privateKey, message, zeros)
      expect(schnorr.verify(joined(signature), message, hexToBytes(outputKey))).toBe(true)
    })
  }

  test('a signature verifies under the public key that is tweaked as a point, for both parities of the key', () => {
    const parities = new Set<number | undefined>()
    fc.assert(
      fc.property(keys, bytes32, bytes32, (key, message, randomness) => {
        const publicKey = secp256k1.getPublicKey(key)
        parities.add(publicKey[0])
        const internal = publicKey.subarray(1)
        const tweak = BigInt(`0x${bytesToHex(schnorr.utils.taggedHash('TapTweak', internal))}`)
        const lifted = secp256k1.Point.fromBytes(concatBytes(Uint8Array.of(2), internal))
        const output = lifted.add(secp256k1.Point.BASE.multiply(tweak)).toBytes(true).subarray(1)
        expect(schnorr.verify(joined(signTaproot(key, message, randomness)), message, output)).toBe(true)
      }),
      { numRuns: 40 },
    )
    expect(parities).toEqual(new Set([2, 3]))
  })

  test('other randomness gives another signature', () => {
    const key = zeros.with(31, 1)
    expect(signTaproot(key, zeros, zeros)).not.toEqual(signTaproot(key, zeros, zeros.with(0, 1)))
  })

  test('no randomness, another curve, or a message that is no digest is a bug of the caller', () => {
    using privateKey = new SecretBytes(zeros.with(31, 1))
    const scheme = 'taproot'
    expect(() => signMessage({ curve: 'CURVE_SECP256K1', scheme, privateKey, message: zeros })).toThrow(
      '32 random bytes',
    )
    for (const curve of ['CURVE_P256', 'CURVE_ED25519'] as const) {
      expect(() => signMessage({ curve, scheme, privateKey, message: zeros, randomness: zeros })).toThrow('secp256k1')
    }
    expect(() => signTaproot(zeros.with(31, 1), new Uint8Array(31), zeros)).toThrow('32 bytes')
  })
})
