import { strict as assert } from 'node:assert'
import { createHash, createHmac, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import {
  type DerivationPath,
  isHardenedOnly,
  type PathStep,
  pathIndexMax,
} from '../../protocol/chains/derivation_path.ts'
import {
  type Curve,
  isPrivateKey,
  privateKeyBytes,
  publicKeyOf,
  tweakPrivateKey,
} from '../../protocol/crypto/curves.ts'
import { joinedSecret, SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { Failure } from '../../protocol/wire/failures.ts'

type Derivation = {
  readonly curve: Curve
  readonly seed: SecretBytes
  readonly path: DerivationPath
}

/**
 * Derives the private key of an account, 32 bytes: by BIP-32 for secp256k1, and by SLIP-10 for Ed25519 and P-256.
 * `seed` is the 64 bytes of BIP-39; BIP-32 allows 16 to 64. The caller keeps `seed` and disposes of it. Every
 * intermediate key is zeroed.
 *
 * An unhardened step for Ed25519 is a bug of the caller, which checks `isHardenedOnly` and answers 400.
 */
export function deriveKey({ curve, seed, path }: Derivation): SecretBytes {
  const seedBytes = seed.reveal().length
  assert(seedBytes >= seedBytesMin && seedBytes <= seedBytesMax, 'a seed has 16 to 64 bytes')
  assert(curve !== 'CURVE_ED25519' || isHardenedOnly(path), 'Ed25519 has hardened steps only')

  let extended = masterKey(curve, seed)
  for (const step of path) {
    using parent = extended
    extended = childKey({ curve, parent, step })
  }
  using last = extended
  return new SecretBytes(last.reveal().slice(0, privateKeyBytes))
}

/** The number of bytes of entropy, by the number of words of a mnemonic (BIP-39). It has every allowed length. */
export const entropyBytesOfMnemonicLength: ReadonlyMap<number, number> = new Map([
  [12, 16],
  [15, 20],
  [18, 24],
  [21, 28],
  [24, 32],
])

type Mnemonic = { readonly entropy: SecretBytes; readonly passphrase?: SecretBytes | undefined }

/**
 * Returns the 64-byte seed of a wallet (BIP-39): PBKDF2-HMAC-SHA512 over its mnemonic, on a thread of the pool. Throws
 * FIELD_INVALID if `passphrase` is not UTF-8. The caller keeps both arguments and disposes of them.
 */
export async function seedFromEntropy({ entropy, passphrase }: Mnemonic): Promise<SecretBytes> {
  using mnemonic = mnemonicFromEntropy(entropy)
  using salt = saltOf(passphrase)
  const seed = await pbkdf2Async(mnemonic.reveal(), salt.reveal(), seedRounds, seedBytesMax, 'sha512')
  return new SecretBytes(bytesOf(seed))
}

/**
 * Returns the English mnemonic of this entropy (BIP-39) as UTF-8 bytes, with single spaces between the words.
 *
 * MNEMONIC: the phrase exists as these bytes only. Each word is copied from the public list on its own. So no
 * JavaScript string, which could not be erased, ever holds the phrase.
 */
export function mnemonicFromEntropy(entropy: SecretBytes): SecretBytes {
  const entropyBytes = entropy.reveal().length
  assert([...entropyBytesOfMnemonicLength.values()].includes(entropyBytes), 'entropy has 16, 20, 24, 28 or 32 bytes')

  // The entropy, then the checksum, which is the first bits of the entropy's SHA-256: at most one byte. The zero byte
  // after it lets `readElevenBits` read every word as part of three bytes.
  using bits = new SecretBytes(new Uint8Array(entropyBytes + 2))
  using digest = new SecretBytes(bytesOf(createHash('sha256').update(entropy.reveal()).digest()))
  bits.reveal().set(entropy.reveal())
  bits.reveal().set(digest.reveal().subarray(0, 1), entropyBytes)

  using text = new SecretBytes(new Uint8Array(mnemonicBytesMax))
  const wordsCount = (entropyBytes * 3) / 4
  let length = 0
  for (let position = 0; position < wordsCount; position++) {
    if (position > 0) text.reveal()[length++] = space
    const word = wordlist[readElevenBits(bits.reveal(), position * 11)]
    assert(word !== undefined)
    length += encoder.encodeInto(word, text.reveal().subarray(length)).written
  }
  return new SecretBytes(text.reveal().slice(0, length))
}

/** The HMAC key of each curve, of "Master key generation" in BIP-32 and SLIP-10. */
const masterLabels: Readonly<Record<Curve, string>> = {
  CURVE_SECP256K1: 'Bitcoin seed',
  CURVE_ED25519: 'ed25519 seed',
  CURVE_P256: 'Nist256p1 seed',
}

const seedBytesMin = 16
const seedBytesMax = 64
/** The PBKDF2 iterations of BIP-39, "From mnemonic to seed". */
const seedRounds = 2048
/** 24 words of at most eight letters, with a space for each. */
const mnemonicBytesMax = 24 * 9
const space = 0x20

const encoder = new TextEncoder()
const pbkdf2Async = promisify(pbkdf2)

/** Returns 64 bytes: the master private key, then its chain code. */
function masterKey(curve: Curve, seed: SecretBytes): SecretBytes {
  let extended = new SecretBytes(hmac(masterLabels[curve], seed.reveal()))
  while (!isPrivateKey(curve, extended.reveal().subarray(0, privateKeyBytes))) {
    using invalid = extended
    if (curve === 'CURVE_SECP256K1') throw new Error('this seed has no BIP-32 master key (odds: 2^-127)')
    extended = new SecretBytes(hmac(masterLabels[curve], invalid.reveal())) // SLIP-10: again with S := I
  }
  return extended
}

/**
 * Derives a child key by BIP-32 or SLIP-10, "Private parent key → private child key". Parent and child are 64 bytes
 * each: the private key, then its chain code.
 */
function childKey({
  curve,
  parent,
  step: { index, hardened },
}: {
  readonly curve: Curve
  readonly parent: SecretBytes
  readonly step: PathStep
}): SecretBytes {
  const privateKey = parent.reveal().subarray(0, privateKeyBytes)
  const chainCode = parent.reveal().subarray(privateKeyBytes)
  using message = new SecretBytes(new Uint8Array(1 + privateKeyBytes + 4))
  const data = message.reveal()
  if (hardened) data.set(privateKey, 1)
  else data.set(publicKeyOf(curve, privateKey))
  new DataView(data.buffer).setUint32(1 + privateKeyBytes, hardened ? index + pathIndexMax + 1 : index)

  for (;;) {
    const extended = new SecretBytes(hmac(chainCode, data))
    if (curve === 'CURVE_ED25519') return extended
    const tweak = extended.reveal().subarray(0, privateKeyBytes)
    const child = tweakPrivateKey(curve, { privateKey, tweak })
    if (child !== undefined) {
      tweak.set(child)
      child.fill(0)
      return extended
    }
    using invalid = extended
    if (curve === 'CURVE_SECP256K1') {
      throw new Failure('FIELD_INVALID', 'BIP-32 defines no key at this path; use the next index')
    }
    // SLIP-10 tries again with 0x01 ‖ chain code ‖ index. P-256 needs this once in 2^32 keys.
    data[0] = 1
    data.set(invalid.reveal().subarray(privateKeyBytes), 1)
  }
}

function hmac(key: string | Uint8Array, data: Uint8Array): Uint8Array {
  return bytesOf(createHmac('sha512', key).update(data).digest())
}

/** Returns the same memory as a `Uint8Array`, because `slice` of a Buffer makes no copy. */
function bytesOf(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}

/** Returns the salt of BIP-39: "mnemonic" and the passphrase in NFKD. */
function saltOf(passphrase: SecretBytes | undefined): SecretBytes {
  using normalized = normalize(passphrase?.reveal() ?? new Uint8Array())
  return joinedSecret(encoder.encode('mnemonic'), normalized.reveal())
}

/**
 * Returns the passphrase in NFKD. ASCII is its own NFKD. PASSPHRASE AS TEXT: only a passphrase with other characters
 * becomes a string here, for as long as the runtime takes to normalize it. BIP-39 wants all of it, so no run of marks is
 * cut. The bundle that brought it held 8,000 bytes at most, which take 50 ms if they are marks alone.
 */
function normalize(passphrase: Uint8Array): SecretBytes {
  if (passphrase.every((byte) => byte < 0x80)) return new SecretBytes(passphrase.slice())
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(passphrase)
    return new SecretBytes(encoder.encode(text.normalize('NFKD')))
  } catch (cause) {
    throw new Failure('FIELD_INVALID', { reason: 'the passphrase is not UTF-8', cause })
  }
}

/** Returns the eleven bits from the bit `offset` on, most significant bit first. */
function readElevenBits(bytes: Uint8Array, offset: number): number {
  const first = offset >> 3
  const three = ((bytes[first] ?? 0) << 16) | ((bytes[first + 1] ?? 0) << 8) | (bytes[first + 2] ?? 0)
  return (three >> (13 - (offset & 7))) & 0x7ff
}
