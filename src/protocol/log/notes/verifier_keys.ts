import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { bytesIn, isOneLine } from '../lines.ts'
import { Malformed, type Reading, readable, reading } from '../reading.ts'

/** The kinds of keys that sign notes: their byte, and how long a public key and a signature are. */
export const keyTypes = {
  /** Signs the text of a note (C2SP signed-note). */
  Ed25519: { byte: 0x01, publicKeyBytes: 32, signatureBytes: 64 },
  /** Signs a checkpoint with a time (C2SP tlog-cosignature). */
  'Ed25519 cosignature': { byte: 0x04, publicKeyBytes: 32, signatureBytes: 8 + 64 },
  /** Signs the tree of a checkpoint, with or without a time (C2SP tlog-cosignature). */
  'ML-DSA-44 cosignature': { byte: 0x06, publicKeyBytes: 1_312, signatureBytes: 8 + 2_420 },
} as const

export type KeyType = keyof typeof keyTypes

/** A public key under the name of who signs with it. */
export type VerifierKey = {
  readonly name: string
  readonly type: KeyType
  /** As RFC 8032 and FIPS 204 encode it. */
  readonly publicKey: Uint8Array
}

const textCharactersMax = 4_096

/** Whether keys can have this name: not empty, without blanks of Unicode, `+` and control characters. */
export function isKeyName(name: string): boolean {
  return /^[^\p{White_Space}+]+$/u.test(name) && isOneLine(name)
}

/** The four bytes in hex that stand before a signature: the beginning of SHA-256(name ‖ line feed ‖ type ‖ key). */
export function keyIdOf({ name, type, publicKey }: VerifierKey): string {
  const digest = sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(keyTypes[type].byte), publicKey))
  return bytesToHex(digest.subarray(0, 4))
}

/** Reads `name+id+key`: the id in hex, the key in base64 behind the byte of its type (C2SP signed-note). */
export function readVerifierKey(text: string): Reading<VerifierKey> {
  return reading(() => {
    if (text.length > textCharactersMax) throw new Malformed(`a key has ${textCharactersMax} characters at most`)
    const [, name = '', id, encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/s.exec(text) ?? []
    if (!isKeyName(name)) throw new Malformed('a key is a name, eight hex digits and base64 with + between them')
    const bytes = bytesIn(encoded)
    const type = typeOf(bytes[0])
    const publicKey = bytes.subarray(1)
    if (publicKey.length !== keyTypes[type].publicKeyBytes) throw new Malformed(`this is no public key of ${type}`)
    const key = { name, type, publicKey }
    if (keyIdOf(key) !== id) throw new Malformed('the id is not that of the key')
    return key
  })
}

/** Throws a RangeError for a name that keys cannot have, and for a key of another length. */
export function writeVerifierKey(key: VerifierKey): string {
  const encoded = base64.encode(concatBytes(Uint8Array.of(keyTypes[key.type].byte), key.publicKey))
  return readable(`${key.name}+${keyIdOf(key)}+${encoded}`, readVerifierKey)
}

function typeOf(byte: number | undefined): KeyType {
  if (byte === keyTypes.Ed25519.byte) return 'Ed25519'
  if (byte === keyTypes['Ed25519 cosignature'].byte) return 'Ed25519 cosignature'
  if (byte === keyTypes['ML-DSA-44 cosignature'].byte) return 'ML-DSA-44 cosignature'
  throw new Malformed('there is no key of this type')
}
