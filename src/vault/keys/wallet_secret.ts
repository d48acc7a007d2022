import { strict as assert } from 'node:assert'
import { createHash, timingSafeEqual } from 'node:crypto'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { joinedSecret, SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { normalized } from '../../protocol/tools/normalized.ts'
import { entropyBytesOfMnemonicLength, mnemonicFromEntropy } from './derive.ts'

/**
 * The parts of a wallet's secret, from which its seed is derived: the BIP-39 entropy and perhaps a passphrase. Only an
 * imported wallet can have a passphrase. The secret never holds the words. It is sealed with the wallet as:
 *
 *   u8 bytes of the entropy ‖ entropy ‖ passphrase in UTF-8
 */
type SecretParts = { readonly entropy: SecretBytes; readonly passphrase?: SecretBytes | undefined }

/** Encodes the parts. The caller keeps both parts and disposes of them. */
export function walletSecretOf({ entropy, passphrase }: SecretParts): SecretBytes {
  const bytes = entropy.reveal()
  return joinedSecret(Uint8Array.of(bytes.length), bytes, passphrase?.reveal() ?? new Uint8Array())
}

export function partsOfWalletSecret(walletSecret: SecretBytes): SecretParts & Disposable {
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

/**
 * Returns the English words in UTF-8. A newline and the passphrase follow, if there is a passphrase. An empty line stands
 * between where `walletSecretOfMnemonic` would read another secret otherwise.
 */
export function mnemonicOfWalletSecret(walletSecret: SecretBytes): SecretBytes {
  using parts = partsOfWalletSecret(walletSecret)
  using words = mnemonicFromEntropy(parts.entropy)
  if (parts.passphrase === undefined) return new SecretBytes(words.reveal().slice())
  const plain = joinedSecret(words.reveal(), Uint8Array.of(newline), parts.passphrase.reveal())
  using read = walletSecretOfMnemonic(plain)
  if (read !== undefined && isSame(read, walletSecret)) return plain
  using _ = plain
  return joinedSecret(words.reveal(), Uint8Array.of(newline, newline), parts.passphrase.reveal())
}

function isSame(one: SecretBytes, other: SecretBytes): boolean {
  const [bytes, others] = [one.reveal(), other.reveal()]
  return bytes.length === others.length && timingSafeEqual(bytes, others)
}

/**
 * Reads a mnemonic, and the passphrase that may stand on the line below. Words may be in capitals, in any form of Unicode
 * (NFKD, as BIP-39 reads them), and have any white space around them. The passphrase is taken as it stands, without the
 * line endings after it. Returns undefined if a word or the checksum is wrong, or if some lines are a mnemonic and more
 * of them are one too. An empty line says that the words end above it. Below it a line ending at the end is refused: it
 * may be a part of the passphrase, as earlier versions read it.
 */
export function walletSecretOfMnemonic(mnemonic: SecretBytes): SecretBytes | undefined {
  const bytes = mnemonic.reveal()
  const readings = readingsOf(bytes).flatMap(({ indexes, ...reading }) => {
    const entropy = entropyOfWords(indexes)
    return entropy === undefined ? [] : [{ entropy, ...reading }]
  })
  try {
    const [reading, another] = readings
    if (reading === undefined || another !== undefined) return undefined
    const below = bytes.subarray(reading.end)
    const line = withoutLineEndings(below)
    if (reading.isToldByEmptyLine && line.length < below.length) return undefined
    using passphrase = new SecretBytes(line.slice())
    return walletSecretOf({ entropy: reading.entropy, passphrase })
  } finally {
    for (const { entropy } of readings) entropy[Symbol.dispose]()
  }
}

const [newline, carriageReturn] = [0x0a, 0x0d]
const bitsPerWord = 11
const entropySizes = [...entropyBytesOfMnemonicLength.values()]
const lettersMax = Math.max(...wordlist.map(({ length }) => length))
const wordsMax = Math.max(...entropyBytesOfMnemonicLength.keys())
const positions: ReadonlyMap<string, number> = new Map(wordlist.map((word, index) => [word, index]))

/** The positions of a mnemonic's words in the list, and where the line ends in which the last of them stands. */
type Reading = { readonly indexes: readonly number[]; readonly end: number; readonly isToldByEmptyLine: boolean }

/** Returns the readings of a text as lines of words with perhaps something below. */
function readingsOf(bytes: Uint8Array): readonly Reading[] {
  const readings: Reading[] = []
  for (const { line, end } of linesOf(bytes)) {
    const indexes = readings.at(-1)?.indexes ?? []
    if (line.length === 0 && indexes.length > 0) return [{ indexes, end, isToldByEmptyLine: true }]
    const found = indexesOfWords(line)
    if (found === undefined) break
    if (found.length > 0) readings.push({ indexes: [...indexes, ...found], end, isToldByEmptyLine: false })
  }
  return readings
}

/** The lines of a text without their endings. `end` is where the next one begins. */
function* linesOf(bytes: Uint8Array): Iterable<{ readonly line: Uint8Array; readonly end: number }> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(newline, start)
    const end = found === -1 ? bytes.length : found + 1
    yield { line: withoutLineEndings(bytes.subarray(start, end)), end }
    start = end
  }
}

/**
 * Returns the positions of a line's words in the list, or undefined if it has another word or too many. MNEMONIC: each
 * word becomes a string while it is looked up, and so may words of a passphrase. A line never becomes a string.
 */
function indexesOfWords(line: Uint8Array): readonly number[] | undefined {
  const indexes: number[] = []
  let word = ''
  for (const character of [...charactersOf(line), ' ']) {
    const isBlank = /^\s*$/.test(character)
    if (!isBlank) word += character
    if (word.length > lettersMax) return undefined
    if (!isBlank || word === '') continue
    const index = positions.get(word)
    if (index === undefined || indexes.length === wordsMax) return undefined
    indexes.push(index)
    word = ''
  }
  return indexes
}

/** The characters of a text in UTF-8, as BIP-39 reads them (NFKD), and in lower case. */
function* charactersOf(bytes: Uint8Array): Iterable<string> {
  for (let start = 0; start < bytes.length; ) {
    let end = start + 1
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end += 1
    yield normalized(Buffer.from(bytes.subarray(start, end)).toString('utf8'), 'NFKD').toLowerCase()
    start = end
  }
}

function withoutLineEndings(bytes: Uint8Array): Uint8Array {
  const last = bytes.findLastIndex((byte) => byte !== newline && byte !== carriageReturn)
  return bytes.subarray(0, last + 1)
}

/** Returns the entropy of words with these positions in the list, or undefined if their number or checksum is wrong. */
function entropyOfWords(indexes: readonly number[]): SecretBytes | undefined {
  const entropyBytes = entropyBytesOfMnemonicLength.get(indexes.length)
  if (entropyBytes === undefined) return undefined
  using bits = new SecretBytes(new Uint8Array(entropyBytes + 1))
  for (const [place, index] of indexes.entries()) writeBits(bits.reveal(), place * bitsPerWord, index)
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
