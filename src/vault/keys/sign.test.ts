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
import type { Curve } from '../../protocol/crypto/curves.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
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

function signSchnorr(
  scheme: 'bip340' | 'taproot',
  { key, message, randomness }: { key: Uint8Array; message: Uint8Array; randomness: Uint8Array },
): Signature {
  using privateKey = new SecretBytes(key.slice())
  const signature = signMessage({ curve: 'CURVE_SECP256K1', scheme, privateKey, message, randomness })
  expect(privateKey.reveal()).toEqual(key)
  return signature
}

function signTaproot(key: Uint8Array, message: Uint8Array, randomness: Uint8Array): Signature {
  return signSchnorr('taproot', { key, message, randomness })
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
  test('a message of any length has the same signature as with noble, and v 00', () => {
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
})

describe('bip340', () => {
  // BIP-340, test-vectors.csv, indexes 0 to 3
  for (const [index, key, randomness, message, expected] of [
    [
      0,
      '0000000000000000000000000000000000000000000000000000000000000003',
      '0000000000000000000000000000000000000000000000000000000000000000',
      '0000000000000000000000000000000000000000000000000000000000000000',
      'e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca821525f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0',
    ],
    [
      1,
      'b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef',
      '0000000000000000000000000000000000000000000000000000000000000001',
      '243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89',
      '6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a',
    ],
    [
      2,
      'c90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b14e5c9',
      'c87aa53824b4d7ae2eb035a2b5bbbccc080e76cdc6d1692c4b0b62d798e6d906',
      '7e2d58d8b3bcdf1abadec7829054f90dda9805aab56c77333024b9d0a508b75c',
      '5831aaeed7b44bb74e5eab94ba9d4294c49bcf2a60728d8b4c200f50dd313c1bab745879a5ad954a72c45a91c3a51d3c7adea98d82f8481e0e1e03674a6f3fb7',
    ],
    [
      3,
      '0b432b2677937381aef05bb02a66ecd012773062cf3fa2549e44f58ed2401710',
      'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      '7eb0509757e246f19449885651611cb965ecc1a187dd51b64fda1edc9637d5ec97582b9cb13db3933705b32ba982af5af25fd78881ebb32771fc5922efc66ea3',
    ],
  ] as const) {
    test(`BIP-340, test vector ${index}`, () => {
      const given = { key: hexToBytes(key), message: hexToBytes(message), randomness: hexToBytes(randomness) }
      const signature = signSchnorr('bip340', given)
      expect(bytesToHex(joined(signature))).toBe(expected)
      expect(signature.v).toBe('00')
    })
  }

  test('a signature verifies under the x of the key as it is, for both parities, and not under the tweaked one', () => {
    const parities = new Set<number | undefined>()
    fc.assert(
      fc.property(keys, bytes32, bytes32, (key, message, randomness) => {
        const publicKey = secp256k1.getPublicKey(key)
        parities.add(publicKey[0])
        const signature = joined(signSchnorr('bip340', { key, message, randomness }))
        expect(schnorr.verify(signature, message, publicKey.subarray(1))).toBe(true)
        using outputKey = taprootOutputKey(new SecretBytes(key.slice()))
        expect(schnorr.verify(signature, message, schnorr.getPublicKey(outputKey.reveal()))).toBe(false)
      }),
      { numRuns: 40 },
    )
    expect(parities).toEqual(new Set([2, 3]))
  })
})

describe.each(['bip340', 'taproot'] as const)('%s', (scheme) => {
  test('different randomness gives a different signature', () => {
    const given = { key: zeros.with(31, 1), message: zeros }
    const other = signSchnorr(scheme, { ...given, randomness: zeros.with(0, 1) })
    expect(signSchnorr(scheme, { ...given, randomness: zeros })).not.toEqual(other)
  })

  test('no randomness, another curve, or a message that is no digest is a bug of the caller', () => {
    const key = zeros.with(31, 1)
    using privateKey = new SecretBytes(key.slice())
    expect(() => signMessage({ curve: 'CURVE_SECP256K1', scheme, privateKey, message: zeros })).toThrow(
      '32 random bytes',
    )
    for (const curve of ['CURVE_P256', 'CURVE_ED25519'] as const) {
      expect(() => signMessage({ curve, scheme, privateKey, message: zeros, randomness: zeros })).toThrow('secp256k1')
    }
    const message = new Uint8Array(31)
    expect(() => signSchnorr(scheme, { key, message, randomness: zeros })).toThrow('32 bytes')
  })
})
