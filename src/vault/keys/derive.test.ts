import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import bip32 from '../../../test/vectors/bip32.json' with { type: 'json' }
import bip39 from '../../../test/vectors/bip39.json' with { type: 'json' }
import slip10 from '../../../test/vectors/slip10.json' with { type: 'json' }
import { type DerivationPath, parsePath, pathIndexMax, pathStepsMax } from '../../protocol/chains/derivation_path.ts'
import { type Curve, curves, publicKeyOf } from '../../protocol/crypto/curves.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { deriveKey, entropyBytesOfMnemonicLength, mnemonicFromEntropy, seedFromEntropy } from './derive.ts'

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const utf8 = (text: string) => new SecretBytes(new TextEncoder().encode(text))
const pathOf = (text: string): DerivationPath => {
  const path = parsePath(text)
  if (path === undefined) throw new Error(`${text} is not a path`)
  return path
}
const derive = (curve: Curve, seed: Uint8Array, path: DerivationPath) => {
  using key = deriveKey({ curve, seed: new SecretBytes(seed), path })
  return key.reveal().slice()
}

describe('keys', () => {
  const base58check = createBase58check(sha256)
  const bip32Chains = bip32.vectors.flatMap(({ seed, chains }) => chains.map((chain) => ({ seed, ...chain })))

  test.each(bip32Chains)('BIP-32: $path of seed $seed', ({ seed, path, xprv, xpub }) => {
    const privateKey = derive('CURVE_SECP256K1', bytesOf(seed), pathOf(path))
    expect(hexOf(privateKey)).toBe(hexOf(base58check.decode(xprv).subarray(46)))
    expect(hexOf(publicKeyOf('CURVE_SECP256K1', privateKey))).toBe(hexOf(base58check.decode(xpub).subarray(45)))
  })

  const slip10Chains = slip10.vectors.flatMap(({ name, curve, seed, chains }) =>
    chains.map((chain) => ({ name, curve: curve as Curve, seed, ...chain })),
  )

  test.each(slip10Chains)('SLIP-10: $name: $path', ({ curve, seed, path, privateKey, publicKey }) => {
    const derived = derive(curve, bytesOf(seed), pathOf(path))
    expect(hexOf(derived)).toBe(privateKey)
    expect(hexOf(publicKeyOf(curve, derived))).toBe(publicKey)
  })

  test('any secp256k1 path of any seed gives the same key as @scure/bip32', () => {
    const step = fc.record({ index: fc.integer({ min: 0, max: pathIndexMax }), hardened: fc.boolean() })
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 64 }),
        fc.array(step, { maxLength: pathStepsMax }),
        (seed, path) => {
          const expected = path.reduce(
            (parent, { index, hardened }) => parent.deriveChild(hardened ? index + 2 ** 31 : index),
            HDKey.fromMasterSeed(seed),
          )
          expect(derive('CURVE_SECP256K1', seed, path)).toEqual(expected.privateKey)
        },
      ),
    )
  })

  test('an unhardened step for Ed25519 is a bug', () => {
    expect(() => derive('CURVE_ED25519', new Uint8Array(64), pathOf("m/44'/501'/0'/0"))).toThrow('hardened steps only')
  })

  test.each([
    [15, false],
    [16, true],
    [64, true],
    [65, false],
  ])('a seed of %i bytes is taken: %s', (length, taken) => {
    const attempt = () => derive('CURVE_SECP256K1', new Uint8Array(length), [])
    if (taken) expect(attempt()).toHaveLength(32)
    else expect(attempt).toThrow('16 to 64 bytes')
  })

  test.each(curves)(
    'a derived key on %s is its own memory: the seed stays, and zeroing one changes no other',
    (curve) => {
      const seed = new SecretBytes(new Uint8Array(64).fill(9))
      const first = deriveKey({ curve, seed, path: pathOf("m/1'") })
      const second = deriveKey({ curve, seed, path: pathOf("m/1'") })
      first[Symbol.dispose]()
      expect(first.reveal()).toEqual(new Uint8Array(32))
      expect(second.reveal()).not.toEqual(new Uint8Array(32))
      expect(second.reveal().buffer.byteLength, 'no key and no chain code beside it').toBe(32)
      expect(seed.reveal()).toEqual(new Uint8Array(64).fill(9))
    },
  )
})

describe('mnemonics and seeds', () => {
  const entropies = fc
    .constantFrom(...entropyBytesOfMnemonicLength.values())
    .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }))

  test.each(bip39.vectors)('BIP-39: entropy $entropy', async ({ entropy, mnemonic, seed }) => {
    const secret = new SecretBytes(bytesOf(entropy))
    expect(new TextDecoder().decode(mnemonicFromEntropy(secret).reveal())).toBe(mnemonic)
    expect(hexOf((await seedFromEntropy({ entropy: secret, passphrase: utf8(bip39.passphrase) })).reveal())).toBe(seed)
    expect(hexOf(secret.reveal()), 'the entropy stays').toBe(entropy)
  })

  test.each([...entropyBytesOfMnemonicLength])('a mnemonic of %i words is %i bytes of entropy', (words, bytes) => {
    const mnemonic = mnemonicFromEntropy(new SecretBytes(new Uint8Array(bytes).fill(0xa5)))
    expect(new TextDecoder().decode(mnemonic.reveal()).split(' ')).toHaveLength(words)
  })

  test('any entropy gives the same mnemonic as @scure/bip39', () => {
    fc.assert(
      fc.property(entropies, (entropy) => {
        const mnemonic = mnemonicFromEntropy(new SecretBytes(entropy)).reveal()
        expect(new TextDecoder().decode(mnemonic)).toBe(entropyToMnemonic(entropy, wordlist))
      }),
    )
  })

  test('any entropy and passphrase give the same seed as @scure/bip39', async () => {
    const wellFormed = fc.string({ unit: 'binary', maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(entropies, fc.oneof(wellFormed, fc.string()), async (entropy, passphrase) => {
        const seed = await seedFromEntropy({ entropy: new SecretBytes(entropy), passphrase: utf8(passphrase) })
        expect(seed.reveal()).toEqual(mnemonicToSeedSync(entropyToMnemonic(entropy, wordlist), passphrase))
      }),
    )
  })

  test.each(['ΐ', 'ﬁ', 'é', 'ガ', '㍍ガバヴァぱばぐゞちぢ十人十色'])(
    'the passphrase %s is normalized',
    async (passphrase) => {
      const entropy = new Uint8Array(16)
      const seed = await seedFromEntropy({ entropy: new SecretBytes(entropy), passphrase: utf8(passphrase) })
      expect(seed.reveal()).toEqual(mnemonicToSeedSync(entropyToMnemonic(entropy, wordlist), passphrase))
    },
  )

  test('an empty passphrase equals no passphrase', async () => {
    const entropy = new SecretBytes(new Uint8Array(32))
    const without = await seedFromEntropy({ entropy })
    expect((await seedFromEntropy({ entropy, passphrase: utf8('') })).reveal()).toEqual(without.reveal())
  })

  test('a passphrase that is not UTF-8 is refused', async () => {
    const passphrase = new SecretBytes(Uint8Array.of(0xc3, 0x28))
    const refusal = seedFromEntropy({ entropy: new SecretBytes(new Uint8Array(16)), passphrase })
    await expect(refusal).rejects.toThrow(Failure)
  })

  test.each([0, 15, 17, 33, 64])('%i bytes of entropy are refused', (length) => {
    expect(() => mnemonicFromEntropy(new SecretBytes(new Uint8Array(length)))).toThrow('entropy has')
  })
})
