import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { base32, base58, base58xrp, base64nopad, base64urlnopad, bech32, bech32m } from '@scure/base'
import { crc16 } from './crc16.ts'

/**
 * Each function of this file returns the one spelling of what a text names, or undefined if the text names no such
 * thing. Rules compare these spellings. The functions run in web pages too.
 */

/** No address is longer. Decoding base58 takes the square of the length. */
const charactersMax = 140

/**
 * The address on Bitcoin's main network that stands for the same script as an address of any network. A key can be
 * asked for by its address on each network, and the same script is spent.
 */
export function canonicalBitcoinAddress(text: string): string | undefined {
  return /^(bc|tb|bcrt)1/i.test(text) ? segwitOnMainnet(text) : checkedBase58(text, bitcoinVersions)
}

/** BIP-173 and BIP-350: versions and lengths for which outputs have an address here. */
function segwitOnMainnet(text: string): string | undefined {
  for (const [encoding, versionHere, lengths] of [
    [bech32, 0, [20, 32]],
    [bech32m, 1, [32]],
  ] as const) {
    const decoded = encoding.decodeUnsafe(text)
    if (decoded === undefined || !['bc', 'tb', 'bcrt'].includes(decoded.prefix)) continue
    const [version, ...words] = decoded.words
    const isKnown = lengths.some((length) => encoding.fromWordsUnsafe(words)?.length === length)
    if (version === versionHere && isKnown) return encoding.encode('bc', decoded.words)
  }
  return undefined
}

/** The version of the main network for the version of each network. */
type Versions = ReadonlyMap<number, number>
const bitcoinVersions: Versions = new Map([
  [0x00, 0x00],
  [0x6f, 0x00],
  [0x05, 0x05],
  [0xc4, 0x05],
])
const dogecoinVersions: Versions = new Map([
  [0x1e, 0x1e],
  [0x71, 0x1e],
])
const tronVersions: Versions = new Map([[0x41, 0x41]])
const xrpVersions: Versions = new Map([[0x00, 0x00]])

/** A version, 20 bytes and the first four bytes of their double SHA-256. */
function checkedBase58(text: string, versions: Versions, alphabet = base58): string | undefined {
  const bytes = decodedBy(alphabet, text)
  const version = bytes?.length === 25 ? versions.get(bytes[0] ?? -1) : undefined
  if (bytes === undefined || version === undefined) return undefined
  const checksum = checksumOf(bytes.subarray(0, 21))
  if (!bytes.subarray(21).every((byte, index) => byte === checksum[index])) return undefined
  // Base58 has one text for the same bytes.
  return version === bytes[0] ? text : withChecksum(concatBytes(Uint8Array.of(version), bytes.subarray(1, 21)))
}

function withChecksum(unchecked: Uint8Array): string {
  return base58.encode(concatBytes(unchecked, checksumOf(unchecked)))
}

function checksumOf(unchecked: Uint8Array): Uint8Array {
  return sha256(sha256(unchecked)).subarray(0, 4)
}

type Alphabet = { readonly decode: (text: string) => Uint8Array }

function decodedBy(alphabet: Alphabet, text: string): Uint8Array | undefined {
  if (text.length > charactersMax) return undefined
  try {
    return alphabet.decode(text)
  } catch {
    return undefined // a character is not of the alphabet
  }
}

/** In base58, also from the hex of the 21 bytes, as Tron's own interfaces write addresses. */
export function canonicalTronAddress(text: string): string | undefined {
  const [, hex] = /^(?:0x)?(41[0-9a-f]{40})$/i.exec(text) ?? []
  return hex === undefined ? checkedBase58(text, tronVersions) : withChecksum(hexToBytes(hex))
}

/** 32 bytes in base58, also from their hex. */
export function canonicalSolanaKey(text: string): string | undefined {
  const [, hex] = /^(?:0x)?([0-9a-f]{64})$/i.exec(text) ?? []
  if (hex !== undefined) return base58.encode(hexToBytes(hex))
  return decodedBy(base58, text)?.length === 32 ? text : undefined
}

/** Spark's message of the identity key, on the main network. */
export function canonicalSparkAddress(text: string): string | undefined {
  const decoded = /^spark(rt)?1/i.test(text) ? bech32m.decodeUnsafe(text) : undefined
  if (decoded === undefined) return undefined
  const bytes = bech32m.fromWordsUnsafe(decoded.words)
  const isIdentityKey = bytes?.length === 35 && bytes[0] === 0x0a && bytes[1] === 0x21
  return isIdentityKey ? bech32m.encode('spark', decoded.words) : undefined
}

/** An address of any format of this server. Where a network has a test network, it is the address on the main one. */
export function canonicalAddress(text: string): string | undefined {
  return (
    canonicalHex(text) ??
    canonicalBitcoinAddress(text) ??
    canonicalSparkAddress(text) ??
    cosmosAddress(text) ??
    stellarAddress(text) ??
    tonAddress(text) ??
    canonicalSolanaKey(text) ??
    canonicalTronAddress(text) ??
    checkedBase58(text, dogecoinVersions) ??
    checkedBase58(text, xrpVersions, base58xrp)
  )
}

/** `0x` and 20 bytes (Ethereum) or 32 (Sui, Aptos), or a public key: compressed, uncompressed, or of Ed25519. */
function canonicalHex(text: string): string | undefined {
  const lower = text.toLowerCase()
  if (/^0x([0-9a-f]{40}|[0-9a-f]{64})$/.test(lower)) return lower
  if (/^[0-9a-f]{40}$/.test(lower)) return `0x${lower}`
  const [, key] = /^(?:0x)?([0-9a-f]{66}|[0-9a-f]{130})$/.exec(lower) ?? []
  return key ?? (/^[0-9a-f]{64}$/.test(lower) ? lower : undefined)
}

function cosmosAddress(text: string): string | undefined {
  const decoded = /^(cosmos|sei)1/i.test(text) ? bech32.decodeUnsafe(text) : undefined
  if (decoded === undefined) return undefined
  return bech32.fromWordsUnsafe(decoded.words)?.length === 20 ? text.toLowerCase() : undefined
}

/** SEP-23: a version, the key, and a checksum whose low byte comes first. */
function stellarAddress(text: string): string | undefined {
  const bytes = /^G.{55}$/.test(text) ? decodedBy(base32, text) : undefined
  if (bytes?.[0] !== 0x30) return undefined
  const checksum = crc16(bytes.subarray(0, 33))
  return bytes[33] === (checksum & 0xff) && bytes[34] === checksum >> 8 ? text : undefined
}

/** TEP-2: the form that does not bounce, from that form, from the one that bounces, and from `0:` with hex. */
function tonAddress(text: string): string | undefined {
  const [, hex] = /^0:([0-9a-f]{64})$/i.exec(text) ?? []
  if (hex !== undefined) return tonText(hexToBytes(hex))
  const isUrlSafe = !/[+/]/.test(text)
  const bytes = text.length === 48 ? decodedBy(isUrlSafe ? base64urlnopad : base64nopad, text) : undefined
  const [tag = 0, workchain] = bytes ?? []
  if (bytes === undefined || ![0x11, 0x51].includes(tag & 0x7f) || workchain !== 0) return undefined
  const checksum = crc16(bytes.subarray(0, 34))
  const isWhole = bytes[34] === checksum >> 8 && bytes[35] === (checksum & 0xff)
  return isWhole ? tonText(bytes.subarray(2, 34)) : undefined
}

function tonText(hash: Uint8Array): string {
  const unchecked = concatBytes(Uint8Array.of(0x51, 0), hash)
  const checksum = crc16(unchecked)
  return base64urlnopad.encode(concatBytes(unchecked, Uint8Array.of(checksum >> 8, checksum & 0xff)))
}

/** The 32 bytes of an address of Stellar, TON or Bitcoin that is spelled as above, in hex. Undefined if it has others. */
export function bytesInAddress(text: string): string | undefined {
  if (stellarAddress(text) === text) return bytesToHex(base32.decode(text).subarray(1, 33))
  if (tonAddress(text) === text) return bytesToHex(base64urlnopad.decode(text).subarray(2, 34))
  const program = /^bc1/.test(text) && segwitOnMainnet(text) === text ? witnessProgram(text) : undefined
  return program?.length === 32 ? bytesToHex(program) : undefined
}

function witnessProgram(text: string): Uint8Array | undefined {
  const [, ...words] = (bech32.decodeUnsafe(text) ?? bech32m.decodeUnsafe(text))?.words ?? []
  return bech32.fromWordsUnsafe(words) ?? undefined
}

/** The hex of bytes in lower case and without `0x`, whatever the text has. */
export function hexDigits(text: string): string | undefined {
  const [, digits] = /^(?:0x)?((?:[0-9a-f]{2})*)$/i.exec(text) ?? []
  return digits?.toLowerCase()
}

/** The compressed point in hex, also from the uncompressed one. It is not checked that the point is on a curve. */
export function canonicalPoint(text: string): string | undefined {
  const digits = hexDigits(text) ?? ''
  if (/^0[23][0-9a-f]{64}$/.test(digits)) return digits
  const [, x, lastDigit] = /^04([0-9a-f]{64})[0-9a-f]{63}([0-9a-f])$/.exec(digits) ?? []
  return x === undefined ? undefined : `0${2 + (Number.parseInt(lastDigit ?? '', 16) % 2)}${x}`
}
