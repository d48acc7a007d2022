import { entropyToMnemonic, mnemonicToEntropy, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { seedFromEntropy } from './derive.ts'
import { mnemonicOfWalletSecret, partsOfWalletSecret, walletSecretOfMnemonic } from './wallet_secret.ts'

const secretOf = (text: string) => new SecretBytes(new TextEncoder().encode(text))
const textOf = (secret: SecretBytes | undefined) => secret && Buffer.from(secret.reveal()).toString('utf8')

const entropies = fc
  .constantFrom(16, 20, 24, 28, 32)
  .chain((size) => fc.uint8Array({ minLength: size, maxLength: size }))

test('a mnemonic is the same after reading and writing, and another library reads the same entropy', () => {
  fc.assert(
    fc.property(
      entropies,
      fc.option(fc.string({ unit: 'grapheme', minLength: 1 }), { nil: undefined }),
      (entropy, given) => {
        const words = entropyToMnemonic(entropy, wordlist)
        const text = given === undefined ? words : `${words}\n${given}`
        const secret = walletSecretOfMnemonic(secretOf(text))
        expect(secret).toBeDefined()
        if (secret === undefined) return
        const { entropy: found, passphrase } = partsOfWalletSecret(secret)
        expect(found.reveal()).toEqual(mnemonicToEntropy(words, wordlist))
        expect(textOf(passphrase)).toBe(given)
        expect(textOf(mnemonicOfWalletSecret(secret))).toBe(text)
      },
    ),
  )
})

test('the seed is that of BIP-39, with the passphrase', async () => {
  const words = entropyToMnemonic(new Uint8Array(16).fill(7), wordlist)
  const secret = walletSecretOfMnemonic(secretOf(`${words}\nTREZOR é`))
  if (secret === undefined) throw new Error('it is a mnemonic')
  const seed = await seedFromEntropy(partsOfWalletSecret(secret))
  expect(seed.reveal()).toEqual(mnemonicToSeedSync(words, 'TREZOR é'))
})

test('a text that another library refuses as a mnemonic is refused', () => {
  const words = fc.array(fc.constantFrom(...wordlist.slice(0, 40)), { minLength: 0, maxLength: 25 })
  fc.assert(
    fc.property(words, (chosen) => {
      const text = chosen.join(' ')
      expect(walletSecretOfMnemonic(secretOf(text)) !== undefined).toBe(validateMnemonic(text, wordlist))
    }),
    { numRuns: 300 },
  )
})

const valid = entropyToMnemonic(new Uint8Array(16), wordlist)
test.each([
  '',
  ' ',
  valid.toUpperCase(),
  ` ${valid}`,
  `${valid} `,
  valid.replace(' ', '  '),
  valid.replace(' ', '\t'),
  `${valid}é`,
])('%j is no mnemonic', (text) => {
  expect(walletSecretOfMnemonic(secretOf(text))).toBeUndefined()
})
