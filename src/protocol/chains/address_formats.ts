import { strict as assert } from 'node:assert'
import { schnorr } from '@noble/curves/secp256k1.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { sha3_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { base32, base58, base58xrp, bech32, bech32m } from '@scure/base'
import { type Curve, uncompressedOf } from '../crypto/curves.ts'
import { keccak256 } from '../crypto/keccak.ts'
import { tweakPublicKey } from '../crypto/secp256k1.ts'
import { crc16 } from './crc16.ts'
import { checksummed } from './ethereum_values.ts'
import { type TonWallet, tonAddress } from './ton.ts'

export type AddressFormatRow = {
  /** The curves whose public keys have such an address. A request for any other curve is refused (400). */
  readonly curves: readonly Curve[]
  /** Makes the address of a compressed public key from `publicKeyOf`. */
  readonly address: (publicKey: Uint8Array, curve: Curve) => string
  /** How a key signs when a request names it by such an address. */
  readonly signatureScheme: SignatureScheme
}

/**
 * `default`: ECDSA, or Ed25519 on its curve. `bip340`: BIP-340 with the key as it is. `taproot`: BIP-340 with the key
 * tweaked by `taprootTweak`.
 */
export type SignatureScheme = 'default' | 'bip340' | 'taproot'

export type BitcoinNetwork = {
  readonly p2pkhVersion: number
  readonly p2shVersion: number
  /** The human-readable part of BIP-173. */
  readonly prefix: string
}

export const bitcoinMainnet: BitcoinNetwork = { p2pkhVersion: 0x00, p2shVersion: 0x05, prefix: 'bc' }
/** Signet has testnet's versions and prefix (BIP-325), so the same key has the same address on both. */
export const bitcoinTestnet: BitcoinNetwork = { p2pkhVersion: 0x6f, p2shVersion: 0xc4, prefix: 'tb' }
export const bitcoinRegtest: BitcoinNetwork = { p2pkhVersion: 0x6f, p2shVersion: 0xc4, prefix: 'bcrt' }

/** Every format of the interface's enum, in its order. */
const table = {
  ADDRESS_FORMAT_UNCOMPRESSED: onCurves(['CURVE_SECP256K1', 'CURVE_P256'], uncompressedHex),
  ADDRESS_FORMAT_COMPRESSED: onCurves(['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256'], bytesToHex),
  ADDRESS_FORMAT_ETHEREUM: onCurves(['CURVE_SECP256K1'], (publicKey) => `0x${checksummed(ethereumBytes(publicKey))}`),
  ADDRESS_FORMAT_SOLANA: onCurves(['CURVE_ED25519'], (publicKey) => base58.encode(publicKey)),
  ADDRESS_FORMAT_COSMOS: cosmos('cosmos'),
  ADDRESS_FORMAT_TRON: onCurves(['CURVE_SECP256K1'], (publicKey) => base58Check(0x41, ethereumBytes(publicKey))),
  ADDRESS_FORMAT_SUI: onCurves(['CURVE_ED25519'], sui),
  ADDRESS_FORMAT_APTOS: onCurves(['CURVE_ED25519'], aptos),
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH: p2pkh(bitcoinMainnet),
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH: p2sh(bitcoinMainnet),
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH: p2wpkh(bitcoinMainnet),
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH: p2wsh(bitcoinMainnet),
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR: p2tr(bitcoinMainnet),
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH: p2pkh(bitcoinTestnet),
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH: p2sh(bitcoinTestnet),
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH: p2wpkh(bitcoinTestnet),
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH: p2wsh(bitcoinTestnet),
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR: p2tr(bitcoinTestnet),
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH: p2pkh(bitcoinTestnet),
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH: p2sh(bitcoinTestnet),
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH: p2wpkh(bitcoinTestnet),
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH: p2wsh(bitcoinTestnet),
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR: p2tr(bitcoinTestnet),
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH: p2pkh(bitcoinRegtest),
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH: p2sh(bitcoinRegtest),
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH: p2wpkh(bitcoinRegtest),
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH: p2wsh(bitcoinRegtest),
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR: p2tr(bitcoinRegtest),
  ADDRESS_FORMAT_SEI: cosmos('sei'),
  ADDRESS_FORMAT_XLM: onCurves(['CURVE_ED25519'], stellar),
  ADDRESS_FORMAT_DOGE_MAINNET: p2pkh({ p2pkhVersion: 0x1e }),
  ADDRESS_FORMAT_DOGE_TESTNET: p2pkh({ p2pkhVersion: 0x71 }),
  ADDRESS_FORMAT_TON_V3R2: ton('V3R2'),
  ADDRESS_FORMAT_TON_V4R2: ton('V4R2'),
  ADDRESS_FORMAT_TON_V5R1: ton('V5R1'),
  ADDRESS_FORMAT_XRP: onCurves(['CURVE_SECP256K1'], xrp),
  ADDRESS_FORMAT_SPARK_MAINNET: spark('spark'),
  ADDRESS_FORMAT_SPARK_REGTEST: spark('sparkrt'),
} as const satisfies Record<string, AddressFormatRow>

/** A name of the interface's enum. */
export type AddressFormat = keyof typeof table

export const addressFormats: Readonly<Record<AddressFormat, AddressFormatRow>> = table

/** In the interface's order, for schemas. */
export const addressFormatNames: readonly AddressFormat[] = Object.keys(table) as AddressFormat[]

type KeyWithFormat = {
  readonly format: AddressFormat
  readonly curve: Curve
  readonly publicKey: Uint8Array
}

/**
 * Returns the address of a public key: 33 bytes compressed, or 32 for Ed25519. The caller must first check with
 * `addressFormats[format].curves` that the format is for this curve.
 */
export function addressOf({ format, curve, publicKey }: KeyWithFormat): string {
  const row = addressFormats[format]
  assert(row.curves.includes(curve), `${format} is not for ${curve}`)
  assert(publicKey.length === (curve === 'CURVE_ED25519' ? 32 : 33), 'a compressed public key')
  return row.address(publicKey, curve)
}

/**
 * Returns the one spelling under which an address is stored and looked up. `0x` with 40 hex digits (Ethereum) or 64
 * (Sui, Aptos) is the same address in any case, since EIP-55 is a checksum only. Bech32 may be all capitals (BIP-173),
 * as in QR codes. All other texts, base58 above all, depend on case and stay as they are.
 */
export function lookupAddress(text: string): string {
  if (/^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/.test(text)) return text.toLowerCase()
  if (!/^[A-Z]{1,83}1[02-9AC-HJ-NP-Z]{6,90}$/.test(text)) return text
  // The checksum distinguishes bech32 from a base58 text that happens to have no lower-case letter.
  const isBech32 = bech32.decodeUnsafe(text) !== undefined || bech32m.decodeUnsafe(text) !== undefined
  return isBech32 ? text.toLowerCase() : text
}

/** The scalar that BIP-341 adds to a key without scripts (BIP-86): TapTweak over its 32-byte x coordinate. 32 bytes. */
export function taprootTweak(publicKeyX: Uint8Array): Uint8Array {
  return schnorr.utils.taggedHash('TapTweak', publicKeyX)
}

function onCurves(curves: readonly Curve[], address: AddressFormatRow['address']): AddressFormatRow {
  return { curves, address, signatureScheme: 'default' }
}

function uncompressedHex(publicKey: Uint8Array, curve: Curve): string {
  assert(curve !== 'CURVE_ED25519')
  return bytesToHex(uncompressedOf(curve, publicKey))
}

/** Yellow Paper, appendix F: the last 20 bytes of Keccak-256 over x ‖ y. */
function ethereumBytes(publicKey: Uint8Array): Uint8Array {
  return keccak256(uncompressedOf('CURVE_SECP256K1', publicKey).subarray(1)).subarray(-20)
}

/** BLAKE2b-256 over the flag of the scheme, 0 for Ed25519, and the key (docs.sui.io, "Keys and Addresses"). */
function sui(publicKey: Uint8Array): string {
  return `0x${bytesToHex(blake2b(concatBytes(Uint8Array.of(0x00), publicKey), { dkLen: 32 }))}`
}

/** SHA3-256 over the key and the scheme, 0 for Ed25519 (aptos.dev, "Accounts"); all 64 digits, as AIP-40 requires. */
function aptos(publicKey: Uint8Array): string {
  return `0x${bytesToHex(sha3_256(concatBytes(publicKey, Uint8Array.of(0x00))))}`
}

/** SEP-23: version 6 << 3, which begins with G, and a checksum whose low byte comes first. */
function stellar(publicKey: Uint8Array): string {
  const unchecked = concatBytes(Uint8Array.of(0x30), publicKey)
  const checksum = crc16(unchecked)
  return base32.encode(concatBytes(unchecked, Uint8Array.of(checksum & 0xff, checksum >> 8)))
}

function ton(wallet: TonWallet): AddressFormatRow {
  return onCurves(['CURVE_ED25519'], (publicKey) => tonAddress(wallet, publicKey))
}

/** XRPL's documentation, "Base58 Encodings": as Bitcoin's P2PKH, with an alphabet of its own. */
function xrp(publicKey: Uint8Array): string {
  return base58Check(0x00, hash160(publicKey), base58xrp)
}

/** Bech32m, without a witness version, over Spark's protobuf message `SparkAddress` of one field, the identity key. */
function spark(prefix: string): AddressFormatRow {
  return {
    curves: ['CURVE_SECP256K1'],
    address: (publicKey) => bech32m.encodeFromBytes(prefix, concatBytes(Uint8Array.of(0x0a, 0x21), publicKey)),
    signatureScheme: 'bip340',
  }
}

function cosmos(prefix: string): AddressFormatRow {
  return onCurves(['CURVE_SECP256K1'], (publicKey) => bech32.encodeFromBytes(prefix, hash160(publicKey)))
}

function p2pkh({ p2pkhVersion }: Pick<BitcoinNetwork, 'p2pkhVersion'>): AddressFormatRow {
  return onCurves(['CURVE_SECP256K1'], (publicKey) => base58Check(p2pkhVersion, hash160(publicKey)))
}

/** The redeem script of P2WPKH nested in P2SH (BIP-49): OP_0 and a push of the key's hash. */
export function nestedRedeemScript(publicKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0x00, 0x14), hash160(publicKey))
}

function p2sh({ p2shVersion }: BitcoinNetwork): AddressFormatRow {
  return onCurves(['CURVE_SECP256K1'], (publicKey) => base58Check(p2shVersion, hash160(nestedRedeemScript(publicKey))))
}

/** BIP-84. */
function p2wpkh({ prefix }: BitcoinNetwork): AddressFormatRow {
  return onCurves(['CURVE_SECP256K1'], (publicKey) => segwit({ prefix, version: 0, program: hash160(publicKey) }))
}

/** The witness script of P2WSH is BIP-173's example: a push of the compressed key, OP_CHECKSIG. */
export function soleKeyWitnessScript(publicKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0x21), publicKey, Uint8Array.of(0xac))
}

function p2wsh({ prefix }: BitcoinNetwork): AddressFormatRow {
  return onCurves(['CURVE_SECP256K1'], (publicKey) =>
    segwit({ prefix, version: 0, program: sha256(soleKeyWitnessScript(publicKey)) }),
  )
}

/** BIP-86: the key path alone. */
function p2tr({ prefix }: BitcoinNetwork): AddressFormatRow {
  return {
    curves: ['CURVE_SECP256K1'],
    address: (publicKey) => segwit({ prefix, version: 1, program: taprootOutputKey(publicKey) }),
    signatureScheme: 'taproot',
  }
}

/** BIP-341 "taproot_tweak_pubkey": the point with this x and an even y, plus the tweak. Its 32-byte x coordinate. */
export function taprootOutputKey(publicKey: Uint8Array): Uint8Array {
  const publicKeyX = publicKey.subarray(1)
  const evenPoint = concatBytes(Uint8Array.of(0x02), publicKeyX)
  return tweakPublicKey(evenPoint, taprootTweak(publicKeyX)).subarray(1)
}

type WitnessProgram = {
  readonly prefix: string
  readonly version: number
  readonly program: Uint8Array
}

/** BIP-173 for version 0, BIP-350 for the others. */
export function segwit({ prefix, version, program }: WitnessProgram): string {
  const encoding = version === 0 ? bech32 : bech32m
  return encoding.encode(prefix, [version, ...encoding.toWords(program)])
}

export function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes))
}

/** Base58 with a checksum as in Bitcoin's addresses: the first four bytes of a double SHA-256. */
export function base58Check(version: number, bytes: Uint8Array, alphabet = base58): string {
  const unchecked = concatBytes(Uint8Array.of(version), bytes)
  return alphabet.encode(concatBytes(unchecked, sha256(sha256(unchecked)).subarray(0, 4)))
}
