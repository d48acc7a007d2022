import { entropyToMnemonic, mnemonicToEntropy, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { seedFromEntropy } from './derive.ts'
import { mnemonicOfWalletSecret, partsOfWalletSecret, walletSecretOf, walletSecretOfMnemonic } from './wallet_secret.ts'

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

const valid = entropyToMnemonic(new Uint8Array(16).fill(7), wordlist)
const spaced = (blank: string) => valid.replaceAll(' ', blank)
const wide = (text: string) => text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))

test.each([
  ['capitals', valid.toUpperCase()],
  ['a capital', valid.replace(/^./, (letter) => letter.toUpperCase())],
  ['full-width letters, as BIP-39 reads them (NFKD)', wide(valid)],
  ['blanks around it', `  ${valid}\t `],
  ['newlines around it', `\n\r\n${valid}\n\n`],
  ['a line ending of Windows', `${valid}\r\n`],
  ['a byte order mark', `\ufeff${valid}`],
  ['two blanks', spaced('  ')],
  ['tabs', spaced('\t')],
  ['no-break spaces', spaced('\u00a0')],
  ['full-width spaces', spaced('\u3000')],
  ['other blanks of Unicode', spaced('\u2003\u202f\u2028')],
  ['a word on each line', spaced('\n')],
  ['a word on each line of Windows', `${spaced('\r\n')}\r\n`],
  ['six words on each line', valid.replace(/^((?:\S+ ){5}\S+) /, '$1\n')],
])('a mnemonic with %s is the plain one', (_name, text) => {
  const secret = walletSecretOfMnemonic(secretOf(text))
  expect(textOf(secret && mnemonicOfWalletSecret(secret))).toBe(valid)
})

test.each([
  ['with a line ending of Windows before it', `${valid}\r\nTREZOR`, 'TREZOR'],
  ['with a line ending after it', `${valid}\nTREZOR\n`, 'TREZOR'],
  ['with line endings of Windows after it', `${valid}\r\nTREZOR\r\n\r\n`, 'TREZOR'],
  ['with its blanks', `${valid}\n two  words \n`, ' two  words '],
  ['that begins with words of the list', `${valid}\nabandon able 1`, 'abandon able 1'],
  ['below a word on each line', `${spaced('\n')}\nTREZOR`, 'TREZOR'],
  ['below an empty line', `${spaced('\r\n')}\r\n\r\nTREZOR`, 'TREZOR'],
])('a passphrase is read %s', (_name, text, passphrase) => {
  const secret = walletSecretOfMnemonic(secretOf(text))
  expect(textOf(secret && mnemonicOfWalletSecret(secret))).toBe(`${valid}\n${passphrase}`)
})

test.each(['caf\u00e9', 'cafe\u0301', 'ＴＲＥＺＯＲ\u00a0ﬁ'])(
  'the seed with the passphrase %j is that of another library',
  async (passphrase) => {
    const secret = walletSecretOfMnemonic(secretOf(`${valid}\r\n${passphrase}\r\n`))
    const seed = secret && (await seedFromEntropy(partsOfWalletSecret(secret)))
    expect(seed?.reveal()).toEqual(mnemonicToSeedSync(valid, passphrase))
  },
)

test('two lines that are a mnemonic together and one with a passphrase are refused, unless an empty line tells', () => {
  const [first, second] = twoLines()
  const read = (text: string) => {
    const secret = walletSecretOfMnemonic(secretOf(text))
    return textOf(secret && mnemonicOfWalletSecret(secret))
  }
  expect(read(`${first}\n${second}`)).toBeUndefined()
  expect(read(`${first} ${second}`)).toBe(`${first} ${second}`)
  expect(read(`${first}\n${second}\n\n`)).toBe(`${first} ${second}`)
  expect(read(`${first}\n\n${second}`)).toBe(`${first}\n\n${second}`)
})

describe('an export of a wallet of an earlier version reads as that wallet, or is refused:', () => {
  const [first, second] = twoLines()
  const stored = (words: string, passphrase: string) =>
    walletSecretOf({ entropy: new SecretBytes(mnemonicToEntropy(words, wordlist)), passphrase: secretOf(passphrase) })
  const again = (secret: SecretBytes) => {
    const read = walletSecretOfMnemonic(mnemonicOfWalletSecret(secret))
    return read && Buffer.from(read.reveal()).toString('hex')
  }

  test.each([
    ['a passphrase of words with a fitting checksum', first, second],
    ['a passphrase that begins with a line ending', valid, '\nTREZOR'],
    ['a passphrase that begins with two', valid, '\r\n\nTREZOR'],
    ['a passphrase of words and something below', first, `${second}\nTREZOR`],
    ['blanks alone', valid, '  '],
  ])('%s', (_name, words, passphrase) => {
    const secret = stored(words, passphrase)
    expect(again(secret)).toBe(Buffer.from(secret.reveal()).toString('hex'))
  })

  // A file often has one more at its end, so nobody knows whether it is a part of the passphrase.
  test.each(['TREZOR\n', 'TREZOR\r\n', '\n', '\r', '\n\n'])('the passphrase %j, which is refused', (passphrase) => {
    const secret = stored(valid, passphrase)
    expect(textOf(mnemonicOfWalletSecret(secret))).toBe(`${valid}\n\n${passphrase}`)
    expect(again(secret)).toBeUndefined()
  })

  test('any passphrase', () => {
    const passphrases = fc.string({ unit: fc.constantFrom('\n', '\r', ' ', 'a', ...second), minLength: 1 })
    fc.assert(
      fc.property(fc.constantFrom(first, valid), fc.oneof(passphrases, fc.constant(second)), (words, passphrase) => {
        const secret = stored(words, passphrase)
        expect([undefined, Buffer.from(secret.reveal()).toString('hex')]).toContain(again(secret))
      }),
    )
  })
})

/** The first line alone is a mnemonic, and so are both. */
function twoLines(): readonly [string, string] {
  for (let at = 0; ; at += 1) {
    const words = entropyToMnemonic(
      new Uint8Array(32)
        .fill(1)
        .fill(at & 255, 12)
        .fill(at >> 8, 14),
      wordlist,
    ).split(' ')
    const [first, second] = [words.slice(0, 12).join(' '), words.slice(12).join(' ')]
    if (validateMnemonic(first, wordlist)) return [first, second]
  }
}

test.each(['', ' ', '\n', `${valid}é`, `${valid} ${valid}`, spaced('\u200b'), spaced(','), `passphrase\n${valid}`])(
  '%j is no mnemonic',
  (text) => {
    expect(walletSecretOfMnemonic(secretOf(text))).toBeUndefined()
  },
)

test('bytes that are not UTF-8 are no mnemonic', () => {
  const bytes = Buffer.concat([Buffer.from(valid), Buffer.from([0xe3, 0x80])])
  expect(walletSecretOfMnemonic(new SecretBytes(bytes))).toBeUndefined()
})
