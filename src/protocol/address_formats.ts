import { strict as assert } from 'node:assert'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { base58, bech32, bech32m, createBase58check } from '@scure/base'
import { type Curve, uncompressedOf } from './curves.ts'

export type AddressFormatRow = {
  /** The curves whose public keys have such an address; any other is the caller's mistake (400). */
  readonly curves: readonly Curve[]
  /** From the compressed public key, as `publicKeyOf` gives it. */
  readonly address: (publicKey: Uint8Array, curve: Curve) => string
  /** `taproot`: BIP-340 with the key tweaked by `taprootTweak`. `default`: ECDSA, or Ed25519 on its curve. */
  readonly signatureScheme: 'default' | 'taproot'
}

type BitcoinNetwork = {
  readonly p2pkhVersion: number
  readonly p2shVersion: number
  /** The human-readable part of BIP-173. */
  readonly prefix: string
}

const bitcoinMainnet: BitcoinNetwork = { p2pkhVersion: 0x00, p2shVersion: 0x05, prefix: 'bc' }
/** Signet has testnet's versions and prefix (BIP-325), so the same key has the same address on both. */
const bitcoinTestnet: BitcoinNetwork = { p2pkhVersion: 0x6f, p2shVersion: 0xc4, prefix: 'tb' }
const bitcoinRegtest: BitcoinNetwork = { p2pkhVersion: 0x6f, p2shVersion: 0xc4, prefix: 'bcrt' }

/** Every format of the interface's enum, in its order. `undefined`: named by the interface, not derived here yet. */
const table = {
  ADDRESS_FORMAT_UNCOMPRESSED: onCurves(['CURVE_SECP256K1', 'CURVE_P256'], uncompressedHex),
  ADDRESS_FORMAT_COMPRESSED: onCurves(['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256'], bytesToHex),
  ADDRESS_FORMAT_ETHEREUM: onCurves(['CURVE_SECP256K1'], ethereum),
  ADDRESS_FORMAT_SOLANA: onCurves(['CURVE_ED25519'], (publicKey) => base58.encode(publicKey)),
  ADDRESS_FORMAT_COSMOS: cosmos('cosmos'),
  ADDRESS_FORMAT_TRON: onCurves(['CURVE_SECP256K1'], (publicKey) => base58Check(0x41, ethereumBytes(publicKey))),
  ADDRESS_FORMAT_SUI: undefined,
  ADDRESS_FORMAT_APTOS: undefined,
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
  ADDRESS_FORMAT_XLM: undefined,
  ADDRESS_FORMAT_DOGE_MAINNET: p2pkh({ p2pkhVersion: 0x1e }),
  ADDRESS_FORMAT_DOGE_TESTNET: p2pkh({ p2pkhVersion: 0x71 }),
  ADDRESS_FORMAT_TON_V3R2: undefined,
  ADDRESS_FORMAT_TON_V4R2: undefined,
  ADDRESS_FORMAT_TON_V5R1: undefined,
  ADDRESS_FORMAT_XRP: undefined,
  ADDRESS_FORMAT_SPARK_MAINNET: undefined,
  ADDRESS_FORMAT_SPARK_REGTEST: undefined,
} as const satisfies Record<string, AddressFormatRow | undefined>

/** A name of the interface's enum, supported or not. */
export type AddressFormatName = keyof typeof table

/** A format that has a row. */
export type AddressFormat = {
  [Name in AddressFormatName]: (typeof table)[Name] extends undefined ? never : Name
}[AddressFormatName]

/** All names of the interface's enum, for schemas. */
export const addressFormatNames: readonly AddressFormatName[] = Object.keys(table).filter(isName)

/** The supported formats. */
export const addressFormats: ReadonlyMap<AddressFormat, AddressFormatRow> = new Map(
  addressFormatNames.filter(isAddressFormat).map((name) => [name, table[name]]),
)

/** Whether a format of the interface's enum can be derived here. */
export function isAddressFormat(name: AddressFormatName): name is AddressFormat {
  return table[name] !== undefined
}

/**
 * The address of a public key (compressed 33 bytes, or 32 for Ed25519). That the format is for this curve is the
 * caller's to check with `addressFormats.get(format).curves` first.
 */
export function addressOf({
  format,
  curve,
  publicKey,
}: {
  readonly format: AddressFormat
  readonly curve: Curve
  readonly publicKey: Uint8Array
}): string {
  const row: AddressFormatRow = table[format]
  assert(row.curves.includes(curve), `${format} is not for ${curve}`)
  assert(publicKey.length === (curve === 'CURVE_ED25519' ? 32 : 33), 'a compressed public key')
  return row.address(publicKey, curve)
}

/**
 * The one spelling under which an address is stored and looked up. `0x` and 40 hex digits are an address in any case
 * (EIP-55 is a checksum only), bech32 is one in capitals as well (BIP-173), as QR codes have it. Anything else, base58
 * above all, differs by case and is left as it is.
 */
export function lookupAddress(text: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return text.toLowerCase()
  if (!/^[A-Z]{1,83}1[02-9AC-HJ-NP-Z]{6,90}$/.test(text)) return text
  // The checksum tells it from a base58 text that happens to have no small letter.
  const isBech32 = bech32.decodeUnsafe(text) !== undefined || bech32m.decodeUnsafe(text) !== undefined
  return isBech32 ? text.toLowerCase() : text
}

/** The scalar that BIP-341 adds to a key without scripts (BIP-86): TapTweak over its 32-byte x coordinate. 32 bytes. */
export function taprootTweak(publicKeyX: Uint8Array): Uint8Array {
  return schnorr.utils.taggedHash('TapTweak', publicKeyX)
}

function isName(name: string): name is AddressFormatName {
  return Object.hasOwn(table, name)
}

function onCurves(curves: readonly Curve[], address: AddressFormatRow['address']): AddressFormatRow {
  return { curves, address, signatureScheme: 'default' }
}

function uncompressedHex(publicKey: Uint8Array, curve: Curve): string {
  assert(curve !== 'CURVE_ED25519')
  return bytesToHex(uncompressedOf(curve, publicKey))
}

/** EIP-55: a digit is a capital where the hash of the small ones has a nibble of eight or more. */
function ethereum(publicKey: Uint8Array): string {
  const digits = bytesToHex(ethereumBytes(publicKey))
  const hash = bytesToHex(keccak_256(new TextEncoder().encode(digits)))
  const checked = Array.from(digits, (digit, index) => ((hash[index] ?? '0') >= '8' ? digit.toUpperCase() : digit))
  return `0x${checked.join('')}`
}

/** Yellow Paper, appendix F: the last 20 bytes of Keccak-256 over x ‖ y. */
function ethereumBytes(publicKey: Uint8Array): Uint8Array {
  return keccak_256(uncompressedOf('CURVE_SECP256K1', publicKey).subarray(1)).subarray(-20)
}

function cosmos(prefix: string): AddressFormatRow {
  return onCurves(['CURVE_SECP256K1'], (publicKey) => bech32.encodeFromBytes(prefix, hash160(publicKey)))
}

function p2pkh({ p2pkhVersion }: Pick<BitcoinNetwork, 'p2pkhVersion'>): AddressFormatRow {
  return onCurves(['CURVE_SECP256K1'], (publicKey) => base58Check(p2pkhVersion, hash160(publicKey)))
}

/** P2WPKH nested in P2SH (BIP-49): the redeem script is OP_0 and a push of the key's hash. */
function p2sh({ p2shVersion }: BitcoinNetwork): AddressFormatRow {
  return onCurves(['CURVE_SECP256K1'], (publicKey) =>
    base58Check(p2shVersion, hash160(concatBytes(Uint8Array.of(0x00, 0x14), hash160(publicKey)))),
  )
}

/** BIP-84. */
function p2wpkh({ prefix }: BitcoinNetwork): AddressFormatRow {
  return onCurves(['CURVE_SECP256K1'], (publicKey) => segwit({ prefix, version: 0, program: hash160(publicKey) }))
}

/** The witness script is BIP-173's example: a push of the compressed key, OP_CHECKSIG. */
function p2wsh({ prefix }: BitcoinNetwork): AddressFormatRow {
  return onCurves(['CURVE_SECP256K1'], (publicKey) => {
    const witnessScript = concatBytes(Uint8Array.of(0x21), publicKey, Uint8Array.of(0xac))
    return segwit({ prefix, version: 0, program: sha256(witnessScript) })
  })
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
function taprootOutputKey(publicKey: Uint8Array): Uint8Array {
  const { Point } = secp256k1
  const publicKeyX = publicKey.subarray(1)
  const evenPoint = Point.fromBytes(concatBytes(Uint8Array.of(0x02), publicKeyX))
  const tweak = Point.Fn.fromBytes(taprootTweak(publicKeyX))
  return evenPoint.add(Point.BASE.multiply(tweak)).toBytes(true).subarray(1)
}

/** BIP-173 for version 0, BIP-350 for the others. */
function segwit({
  prefix,
  version,
  program,
}: {
  readonly prefix: string
  readonly version: number
  readonly program: Uint8Array
}): string {
  const encoding = version === 0 ? bech32 : bech32m
  return encoding.encode(prefix, [version, ...encoding.toWords(program)])
}

function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes))
}

function base58Check(version: number, bytes: Uint8Array): string {
  return createBase58check(sha256).encode(concatBytes(Uint8Array.of(version), bytes))
}
