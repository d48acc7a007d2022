import { strict as assert } from 'node:assert'
import { createHash } from 'node:crypto'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { joinedSecret, SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { entropyBytesOfMnemonicLength, mnemonicFromEntropy } from './derive.ts'

/**
 * The parts of a wallet's secret, from which its seed is derived: the BIP-39 entropy and perhaps a passphrase. Only an
 * imported wallet can have a passphrase. The secret never holds the words. It is sealed with the wallet as:
 *
 *   u8 bytes of the entropy ‖ entropy ‖ passphrase in UTF-8
 */
type Parts = { readonly entropy: SecretBytes; readonly passphrase?: SecretBytes | undefined }

/** Encodes the parts. The caller keeps both parts and disposes of them. */
export function walletSecretOf({ entropy, passphrase }: Parts): SecretBytes {
  const bytes = entropy.reveal()
  return joinedSecret(Uint8Array.of(bytes.length), bytes, passphrase?.reveal() ?? new Uint8Array())
}

export function partsOfWalletSecret(walletSecret: SecretBytes): Parts & Disposable {
  const bytes = walletSecret.reveal()
  const end = 1 + (bytes[0] ?? 0)
  assert(entropySizes.includes(end - 1) && bytes.length >= end, 'a wallet is sealed with its entropy')
  const entropy = new SecretBytes(bytes.slice(1, end))
  const passphrase = end === bytes.length ? undefined : new SecretBytes(bytes.slice(end))
  return {
    entropy,
    passphrase,
    [Symbol.dispose]() {
      entropy[Symbol.dispose]()
      passphrase?.[Symbol.dispose]()
    },
  }
}

/** Returns the English words in UTF-8. A newline and the passphrase follow, if there is a passphrase. */
export function mnemonicOfWalletSecret(walletSecret: SecretBytes): SecretBytes {
  using parts = partsOfWalletSecret(walletSecret)
  using words = mnemonicFromEntropy(parts.entropy)
  if (parts.passphrase === undefined) return new SecretBytes(words.reveal().slice())
  return joinedSecret(words.reveal(), Uint8Array.of(newline), parts.passphrase.reveal())
}

/**
 * Reads a mnemonic that `mnemonicOfWalletSecret` wrote: words in lower case, with one space between two words. Returns
 * undefined if a word or the checksum is wrong.
 */
export function walletSecretOfMnemonic(mnemonic: SecretBytes): SecretBytes | undefined {
  const bytes = mnemonic.reveal()
  const end = bytes.indexOf(newline)
  const words = bytes.subarray(0, end === -1 ? bytes.length : end)
  using entropy = entropyOfWords(words)
  if (entropy === undefined) return undefined
  using passphrase = end === -1 ? undefined : new SecretBytes(bytes.slice(end + 1))
  return walletSecretOf({ entropy, passphrase })
}

const newline = 0x0a
const space = 0x20
const bitsPerWord = 11
const entropySizes = [...entropyBytesOfMnemonicLength.values()]
const positions: ReadonlyMap<string, number> = new Map(wordlist.map((word, index) => [word, index]))

/**
 * Returns the entropy of BIP-39 words, or undefined if a word or the checksum is wrong. MNEMONIC: each word becomes a
 * string while it is looked up. The phrase never becomes a string.
 */
function entropyOfWords(words: Uint8Array): SecretBytes | undefined {
  const indexes = splitAt(words, space).map((word) => positions.get(Buffer.from(word).toString('latin1')))
  const entropyBytes = entropyBytesOfMnemonicLength.get(indexes.length)
  if (entropyBytes === undefined) return undefined
  using bits = new SecretBytes(new Uint8Array(entropyBytes + 1))
  for (const [place, index] of indexes.entries()) {
    if (index === undefined) return undefined
    writeBits(bits.reveal(), place * bitsPerWord, index)
  }
  const entropy = new SecretBytes(bits.reveal().slice(0, entropyBytes))
  const checksumBits = (entropyBytes * 8) / 32
  using digest = new SecretBytes(new Uint8Array(createHash('sha256').update(entropy.reveal()).digest()))
  const expected = (digest.reveal()[0] ?? 0) >> (8 - checksumBits)
  const found = (bits.reveal()[entropyBytes] ?? 0) >> (8 - checksumBits)
  if (found === expected) return entropy
  entropy[Symbol.dispose]()
  return undefined
}

function writeBits(bytes: Uint8Array, offset: number, value: number): void {
  for (let bit = 0; bit < bitsPerWord; bit += 1) {
    if (((value >> (bitsPerWord - 1 - bit)) & 1) === 0) continue
    const at = offset + bit
    bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7))
  }
}

function splitAt(bytes: Uint8Array, separator: number): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let start = 0; start <= bytes.length; ) {
    const found = bytes.indexOf(separator, start)
    const end = found === -1 ? bytes.length : found
    parts.push(bytes.subarray(start, end))
    start = end + 1
  }
  return parts
}
