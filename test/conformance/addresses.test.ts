import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { HDKey } from '@scure/bip32'
import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type AddressFormat,
  addressFormatNames,
  addressFormats,
  addressOf,
} from '../../src/protocol/chains/address_formats.ts'
import { isHardenedOnly, parsePath } from '../../src/protocol/chains/derivation_path.ts'
import { type Curve, publicKeyOf } from '../../src/protocol/crypto/curves.ts'
import { SecretBytes } from '../../src/protocol/crypto/secret_bytes.ts'
import { deriveKey, entropyBytesOfMnemonicLength, seedFromEntropy } from '../../src/vault/keys/derive.ts'

/**
 * Entropy to address, twice: through this project, and through @scure/bip39, @scure/bip32 (or SLIP-10 below, on noble)
 * and the chain's own library. A failure names the entropy that reproduces it.
 */
const walletsCount = 100

/** The other side of one format: from a private key derived there, by the library that the chain's own clients use. */
type Case = {
  /** As docs/address_formats.md names it; undefined where none is usual. */
  readonly path: string | undefined
  /** Imports its library, which may be a large one, when it is first called. */
  readonly address: (privateKey: Uint8Array, curve: Curve) => string | Promise<string>
}

const anyPath = "m/44'/0'/0'/0/7"

const cases: Readonly<Record<AddressFormat, Case>> = {
  ADDRESS_FORMAT_UNCOMPRESSED: {
    path: undefined,
    address: (privateKey, curve) =>
      bytesToHex((curve === 'CURVE_P256' ? p256 : secp256k1).getPublicKey(privateKey, false)),
  },
  ADDRESS_FORMAT_COMPRESSED: {
    path: undefined,
    address: (privateKey, curve) =>
      bytesToHex(
        { CURVE_ED25519: ed25519, CURVE_P256: p256, CURVE_SECP256K1: secp256k1 }[curve].getPublicKey(privateKey),
      ),
  },
  ADDRESS_FORMAT_ETHEREUM: { path: "m/44'/60'/0'/0/0", address: ethereum },
  ADDRESS_FORMAT_SOLANA: { path: "m/44'/501'/0'/0'", address: solana },
  ADDRESS_FORMAT_COSMOS: { path: "m/44'/118'/0'/0/0", address: cosmos('cosmos') },
  ADDRESS_FORMAT_TRON: { path: "m/44'/195'/0'", address: tron },
  ADDRESS_FORMAT_SUI: { path: "m/44'/784'/0'/0'/0'", address: sui },
  ADDRESS_FORMAT_APTOS: { path: "m/44'/637'/0'/0'/0'", address: aptos },
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH: { path: "m/44'/0'/0'/0/0", address: p2pkh('bitcoin') },
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH: { path: "m/49'/0'/0'/0/0", address: p2sh('bitcoin') },
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH: { path: "m/84'/0'/0'/0/0", address: p2wpkh('bitcoin') },
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH: { path: "m/48'/0'/0'/2'/0/0", address: p2wsh('bitcoin') },
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR: { path: "m/86'/0'/0'/0/0", address: p2tr('bitcoin') },
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH: { path: "m/44'/1'/0'/0/0", address: p2pkh('testnet') },
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH: { path: "m/49'/1'/0'/0/0", address: p2sh('testnet') },
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH: { path: "m/84'/1'/0'/0/0", address: p2wpkh('testnet') },
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH: { path: "m/48'/1'/0'/2'/0/0", address: p2wsh('testnet') },
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR: { path: "m/86'/1'/0'/0/0", address: p2tr('testnet') },
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH: { path: "m/44'/1'/0'/0/0", address: p2pkh('testnet') },
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH: { path: "m/49'/1'/0'/0/0", address: p2sh('testnet') },
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH: { path: "m/84'/1'/0'/0/0", address: p2wpkh('testnet') },
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH: { path: "m/48'/1'/0'/2'/0/0", address: p2wsh('testnet') },
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR: { path: "m/86'/1'/0'/0/0", address: p2tr('testnet') },
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH: { path: "m/44'/1'/0'/0/0", address: p2pkh('regtest') },
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH: { path: "m/49'/1'/0'/0/0", address: p2sh('regtest') },
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH: { path: "m/84'/1'/0'/0/0", address: p2wpkh('regtest') },
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH: { path: "m/48'/1'/0'/2'/0/0", address: p2wsh('regtest') },
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR: { path: "m/86'/1'/0'/0/0", address: p2tr('regtest') },
  ADDRESS_FORMAT_SEI: { path: "m/44'/118'/0'/0'/0'", address: cosmos('sei') },
  ADDRESS_FORMAT_XLM: { path: "m/44'/148'/0'", address: stellar },
  // Dogecoin Core, src/chainparams.cpp
  ADDRESS_FORMAT_DOGE_MAINNET: { path: "m/44'/3'/0'/0/0", address: p2pkh('bitcoin', { pubKeyHash: 0x1e }) },
  ADDRESS_FORMAT_DOGE_TESTNET: { path: "m/44'/3'/0'/0/0", address: p2pkh('bitcoin', { pubKeyHash: 0x71 }) },
  ADDRESS_FORMAT_TON_V3R2: { path: "m/44'/607'/0'/0'/0'", address: ton('WalletContractV3R2') },
  ADDRESS_FORMAT_TON_V4R2: { path: "m/44'/607'/0'/0'/0'", address: ton('WalletContractV4') },
  ADDRESS_FORMAT_TON_V5R1: { path: "m/44'/607'/0'/0'/0'", address: ton('WalletContractV5R1') },
  ADDRESS_FORMAT_XRP: { path: "m/44'/144'/0'/0'/0'", address: xrp },
  ADDRESS_FORMAT_SPARK_MAINNET: { path: "m/8797555'/0'/0'", address: spark('MAINNET') },
  ADDRESS_FORMAT_SPARK_REGTEST: { path: "m/8797555'/0'/0'", address: spark('REGTEST') },
}

type Wallet = { readonly entropy: string; readonly seed: SecretBytes; readonly theirSeed: Uint8Array }
const wallets: Wallet[] = []
const theirKeys = new Map<string, Uint8Array>()

beforeAll(async () => {
  const lengths = [...entropyBytesOfMnemonicLength.values()]
  for (let index = 0; index < walletsCount; index++) {
    const entropy = new Uint8Array(randomBytes(lengths[index % lengths.length] ?? 16))
    const passphrase = index % 2 === 0 ? '' : `pass ${index}`
    wallets.push({
      entropy: `${bytesToHex(entropy)} with the passphrase '${passphrase}'`,
      seed: await seedFromEntropy({
        entropy: new SecretBytes(entropy),
        passphrase: new SecretBytes(new TextEncoder().encode(passphrase)),
      }),
      theirSeed: mnemonicToSeedSync(entropyToMnemonic(entropy, wordlist), passphrase),
    })
  }
})

describe.each(addressFormatNames)('%s', (format) => {
  test.each(addressFormats[format].curves)(`${walletsCount} wallets have their addresses on %s`, async (curve) => {
    const { path: usualPath = anyPath, address } = cases[format]
    const hardenedText = usualPath.replace(/(\d)(?=\/|$)/g, "$1'")
    const text = curve === 'CURVE_ED25519' ? hardenedText : usualPath
    const path = parsePath(text) ?? []
    expect(path).toHaveLength(text.split('/').length - 1)
    expect(curve !== 'CURVE_ED25519' || isHardenedOnly(path)).toBe(true)

    expect(wallets).toHaveLength(walletsCount)
    for (const wallet of wallets) {
      using privateKey = deriveKey({ curve, seed: wallet.seed, path })
      const publicKey = publicKeyOf(curve, privateKey.reveal())
      const ours = addressOf({ format, curve, publicKey })
      expect(ours, wallet.entropy).toBe(await address(theirKey({ wallet, curve, path: text }), curve))
    }
  })
})

test('docs/address_formats.md names every format with its curves and the path that is tested here', () => {
  const text = readFileSync(new URL('../../docs/address_formats.md', import.meta.url), 'utf8')
  const rows = text.matchAll(/^\| `(ADDRESS_FORMAT_[A-Z0-9_]+)` \| ([A-Z0-9_, ]+) \| (?:`(m[^`]*)`)? *\| /gm)
  expect(Array.from(rows, ([, format, curves, path]) => [format, curves, path])).toEqual(
    addressFormatNames.map((format) => [format, addressFormats[format].curves.join(', '), cases[format].path]),
  )
})

function theirKey({ wallet, curve, path }: { wallet: Wallet; curve: Curve; path: string }): Uint8Array {
  const name = `${curve} ${path} ${wallet.entropy}`
  const known = theirKeys.get(name)
  if (known !== undefined) return known
  const key =
    curve === 'CURVE_SECP256K1'
      ? HDKey.fromMasterSeed(wallet.theirSeed).derive(path).privateKey
      : slip10({ curve, seed: wallet.theirSeed, path })
  if (key === null) throw new Error('no private key')
  theirKeys.set(name, key)
  return key
}

/** SLIP-10 for P-256 and Ed25519 as its text has it, on BigInt; without the retries, which 2^-32 does not need here. */
function slip10({ curve, seed, path }: { curve: Curve; seed: Uint8Array; path: string }): Uint8Array {
  const label = curve === 'CURVE_P256' ? 'Nist256p1 seed' : 'ed25519 seed'
  const master = hmac(sha512, new TextEncoder().encode(label), seed)
  const steps = path.split('/').slice(1)
  return steps
    .reduce((parent, step) => {
      const key = parent.slice(0, 32)
      const hardened = step.endsWith("'")
      const index = numberToBytesBE(BigInt(Number.parseInt(step, 10) + (hardened ? 2 ** 31 : 0)), 4)
      const head = hardened ? concatBytes(Uint8Array.of(0), key) : p256.getPublicKey(key)
      const child = hmac(sha512, parent.slice(32), concatBytes(head, index))
      if (curve === 'CURVE_ED25519') return child
      const sum = (bytesToNumberBE(child.slice(0, 32)) + bytesToNumberBE(key)) % p256.Point.Fn.ORDER
      return concatBytes(numberToBytesBE(sum, 32), child.slice(32))
    }, master)
    .slice(0, 32)
}

async function ethereum(privateKey: Uint8Array) {
  const { privateKeyToAddress } = await import('viem/accounts')
  return privateKeyToAddress(`0x${bytesToHex(privateKey)}`)
}

async function solana(privateKey: Uint8Array) {
  const { Keypair } = await import('@solana/web3.js')
  return Keypair.fromSeed(privateKey).publicKey.toBase58()
}

function cosmos(prefix: string): Case['address'] {
  return async (privateKey) => {
    const { pubkeyToAddress } = await import('@cosmjs/amino')
    const value = Buffer.from(secp256k1.getPublicKey(privateKey)).toString('base64')
    return pubkeyToAddress({ type: 'tendermint/PubKeySecp256k1', value }, prefix)
  }
}

async function tron(privateKey: Uint8Array) {
  const { TronWeb } = await import('tronweb')
  return String(TronWeb.address.fromPrivateKey(bytesToHex(privateKey)))
}

async function sui(privateKey: Uint8Array) {
  const { Ed25519Keypair } = await import('@mysten/sui/keypairs/ed25519')
  return Ed25519Keypair.fromSecretKey(privateKey).toSuiAddress()
}

async function aptos(privateKey: Uint8Array) {
  const { Account, Ed25519PrivateKey } = await import('@aptos-labs/ts-sdk')
  return Account.fromPrivateKey({ privateKey: new Ed25519PrivateKey(privateKey, false) }).accountAddress.toString()
}

async function stellar(privateKey: Uint8Array) {
  const { Keypair } = await import('@stellar/stellar-base')
  return Keypair.fromRawEd25519Seed(Buffer.from(privateKey)).publicKey()
}

function ton(contract: 'WalletContractV3R2' | 'WalletContractV4' | 'WalletContractV5R1'): Case['address'] {
  return async (privateKey) => {
    const [{ keyPairFromSeed }, { [contract]: Contract }] = await Promise.all([
      import('@ton/crypto'),
      import('@ton/ton'),
    ])
    const { publicKey } = keyPairFromSeed(Buffer.from(privateKey))
    return Contract.create({ workchain: 0, publicKey }).address.toString({ bounceable: false })
  }
}

async function xrp(privateKey: Uint8Array) {
  const { Wallet } = await import('xrpl')
  return new Wallet(bytesToHex(secp256k1.getPublicKey(privateKey)), `00${bytesToHex(privateKey)}`).classicAddress
}

function spark(network: 'MAINNET' | 'REGTEST'): Case['address'] {
  return async (privateKey) => {
    const { encodeSparkAddress } = await import('@buildonspark/spark-sdk')
    return encodeSparkAddress({ identityPublicKey: bytesToHex(secp256k1.getPublicKey(privateKey)), network })
  }
}

type BitcoinNetwork = 'bitcoin' | 'testnet' | 'regtest'

function p2pkh(name: BitcoinNetwork, change: { readonly pubKeyHash?: number } = {}): Case['address'] {
  return async (privateKey) => {
    const { payments, networks } = await bitcoin()
    const network = { ...networks[name], ...change }
    return found(payments.p2pkh({ pubkey: secp256k1.getPublicKey(privateKey), network }))
  }
}

function p2sh(name: BitcoinNetwork): Case['address'] {
  return async (privateKey) => {
    const { payments, networks } = await bitcoin()
    const network = networks[name]
    const redeem = payments.p2wpkh({ pubkey: secp256k1.getPublicKey(privateKey), network })
    return found(payments.p2sh({ redeem, network }))
  }
}

function p2wpkh(name: BitcoinNetwork): Case['address'] {
  return async (privateKey) => {
    const { payments, networks } = await bitcoin()
    return found(payments.p2wpkh({ pubkey: secp256k1.getPublicKey(privateKey), network: networks[name] }))
  }
}

function p2wsh(name: BitcoinNetwork): Case['address'] {
  return async (privateKey) => {
    const { payments, networks } = await bitcoin()
    const network = networks[name]
    const redeem = payments.p2pk({ pubkey: secp256k1.getPublicKey(privateKey), network })
    return found(payments.p2wsh({ redeem, network }))
  }
}

function p2tr(name: BitcoinNetwork): Case['address'] {
  return async (privateKey) => {
    const { payments, networks, initEccLib } = await bitcoin()
    initEccLib(curveForBitcoin)
    return found(payments.p2tr({ internalPubkey: schnorr.getPublicKey(privateKey), network: networks[name] }))
  }
}

function bitcoin() {
  return import('bitcoinjs-lib')
}

/** bitcoinjs-lib brings no curve of its own. One object: each other one it would try out anew. */
const curveForBitcoin = {
  isXOnlyPoint: (point: Uint8Array) => schnorrPoint(point) !== undefined,
  xOnlyPointAddTweak(point: Uint8Array, tweak: Uint8Array) {
    const sum = schnorrPoint(point)?.add(secp256k1.Point.BASE.multiply(bytesToNumberBE(tweak)))
    if (sum === undefined || sum.is0()) return null
    const bytes = sum.toBytes(true)
    return { parity: bytes[0] === 3 ? (1 as const) : (0 as const), xOnlyPubkey: bytes.slice(1) }
  },
}

function schnorrPoint(x: Uint8Array): InstanceType<typeof secp256k1.Point> | undefined {
  try {
    return schnorr.utils.lift_x(bytesToNumberBE(x))
  } catch {
    return undefined
  }
}

function found({ address }: { readonly address?: string | undefined }): string {
  if (address === undefined) throw new Error('bitcoinjs-lib gave no address')
  return address
}
