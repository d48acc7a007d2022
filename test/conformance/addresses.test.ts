import { randomBytes } from 'node:crypto'
import { type Pubkey, pubkeyToAddress } from '@cosmjs/amino'
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
import { Keypair } from '@solana/web3.js'
import { initEccLib, type Network, networks, payments } from 'bitcoinjs-lib'
import { TronWeb } from 'tronweb'
import { privateKeyToAddress } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AddressFormat, addressFormats, addressOf } from '../../src/protocol/address_formats.ts'
import { type Curve, publicKeyOf } from '../../src/protocol/curves.ts'
import { isHardenedOnly, parsePath } from '../../src/protocol/derivation_path.ts'
import { SecretBytes } from '../../src/protocol/secret_bytes.ts'
import { deriveKey, entropyBytesOfMnemonicLength, seedFromEntropy } from '../../src/vault/keys/derive.ts'

/**
 * Entropy to address, twice: through this project, and through @scure/bip39, @scure/bip32 (or SLIP-10 below, on noble)
 * and the chain's own library. A failure names the entropy that reproduces it.
 */
const walletsCount = 100

/** The other side of one format: from a private key derived there, by the library that the chain's own clients use. */
type Case = { readonly path: string; readonly address: (privateKey: Uint8Array, curve: Curve) => string }

const cases: Readonly<Record<AddressFormat, Case>> = {
  ADDRESS_FORMAT_UNCOMPRESSED: {
    path: "m/44'/0'/0'/0/7",
    address: (privateKey, curve) =>
      bytesToHex((curve === 'CURVE_P256' ? p256 : secp256k1).getPublicKey(privateKey, false)),
  },
  ADDRESS_FORMAT_COMPRESSED: {
    path: "m/44'/0'/0'/0/7",
    address: (privateKey, curve) =>
      bytesToHex(
        { CURVE_ED25519: ed25519, CURVE_P256: p256, CURVE_SECP256K1: secp256k1 }[curve].getPublicKey(privateKey),
      ),
  },
  ADDRESS_FORMAT_ETHEREUM: {
    path: "m/44'/60'/0'/0/0",
    address: (privateKey) => privateKeyToAddress(`0x${bytesToHex(privateKey)}`),
  },
  ADDRESS_FORMAT_SOLANA: {
    path: "m/44'/501'/0'/0'",
    address: (privateKey) => Keypair.fromSeed(privateKey).publicKey.toBase58(),
  },
  ADDRESS_FORMAT_COSMOS: { path: "m/44'/118'/0'/0/0", address: cosmos('cosmos') },
  ADDRESS_FORMAT_TRON: {
    path: "m/44'/195'/0'",
    address: (privateKey) => String(TronWeb.address.fromPrivateKey(bytesToHex(privateKey))),
  },
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH: { path: "m/44'/0'/0'/0/0", address: p2pkh(networks.bitcoin) },
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH: { path: "m/49'/0'/0'/0/0", address: p2sh(networks.bitcoin) },
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH: { path: "m/84'/0'/0'/0/0", address: p2wpkh(networks.bitcoin) },
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH: { path: "m/48'/0'/0'/2'/0/0", address: p2wsh(networks.bitcoin) },
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR: { path: "m/86'/0'/0'/0/0", address: p2tr(networks.bitcoin) },
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH: { path: "m/44'/1'/0'/0/0", address: p2pkh(networks.testnet) },
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH: { path: "m/49'/1'/0'/0/0", address: p2sh(networks.testnet) },
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH: { path: "m/84'/1'/0'/0/0", address: p2wpkh(networks.testnet) },
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH: { path: "m/48'/1'/0'/2'/0/0", address: p2wsh(networks.testnet) },
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR: { path: "m/86'/1'/0'/0/0", address: p2tr(networks.testnet) },
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH: { path: "m/44'/1'/0'/0/0", address: p2pkh(networks.testnet) },
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH: { path: "m/49'/1'/0'/0/0", address: p2sh(networks.testnet) },
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH: { path: "m/84'/1'/0'/0/0", address: p2wpkh(networks.testnet) },
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH: { path: "m/48'/1'/0'/2'/0/0", address: p2wsh(networks.testnet) },
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR: { path: "m/86'/1'/0'/0/0", address: p2tr(networks.testnet) },
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH: { path: "m/44'/1'/0'/0/0", address: p2pkh(networks.regtest) },
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH: { path: "m/49'/1'/0'/0/0", address: p2sh(networks.regtest) },
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH: { path: "m/84'/1'/0'/0/0", address: p2wpkh(networks.regtest) },
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH: { path: "m/48'/1'/0'/2'/0/0", address: p2wsh(networks.regtest) },
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR: { path: "m/86'/1'/0'/0/0", address: p2tr(networks.regtest) },
  ADDRESS_FORMAT_SEI: { path: "m/44'/118'/0'/0'/0'", address: cosmos('sei') },
  // Dogecoin Core, src/chainparams.cpp
  ADDRESS_FORMAT_DOGE_MAINNET: {
    path: "m/44'/3'/0'/0/0",
    address: p2pkh({ ...networks.bitcoin, pubKeyHash: 0x1e }),
  },
  ADDRESS_FORMAT_DOGE_TESTNET: {
    path: "m/44'/3'/0'/0/0",
    address: p2pkh({ ...networks.bitcoin, pubKeyHash: 0x71 }),
  },
}

type Wallet = { readonly entropy: string; readonly seed: SecretBytes; readonly theirSeed: Uint8Array }
const wallets: Wallet[] = []
const theirKeys = new Map<string, Uint8Array>()

beforeAll(async () => {
  initEccLib({
    isXOnlyPoint: (point) => schnorrPoint(point) !== undefined,
    xOnlyPointAddTweak(point, tweak) {
      const sum = schnorrPoint(point)?.add(secp256k1.Point.BASE.multiply(bytesToNumberBE(tweak)))
      if (sum === undefined || sum.is0()) return null
      const bytes = sum.toBytes(true)
      return { parity: bytes[0] === 3 ? 1 : 0, xOnlyPubkey: bytes.slice(1) }
    },
  })
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

describe.each([...addressFormats])('%s', (format, row) => {
  test.each([...row.curves])(`${walletsCount} wallets have their addresses on %s`, (curve) => {
    const { path: pathText, address } = cases[format]
    const hardenedText = pathText.replace(/(\d)(?=\/|$)/g, "$1'")
    const text = curve === 'CURVE_ED25519' ? hardenedText : pathText
    const path = parsePath(text) ?? []
    expect(path).toHaveLength(text.split('/').length - 1)
    expect(curve !== 'CURVE_ED25519' || isHardenedOnly(path)).toBe(true)

    expect(wallets).toHaveLength(walletsCount)
    for (const wallet of wallets) {
      using privateKey = deriveKey({ curve, seed: wallet.seed, path })
      const publicKey = publicKeyOf(curve, privateKey.reveal())
      const ours = addressOf({ format, curve, publicKey })
      expect(ours, wallet.entropy).toBe(address(theirKey({ wallet, curve, path: text }), curve))
    }
  })
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

function schnorrPoint(x: Uint8Array): InstanceType<typeof secp256k1.Point> | undefined {
  try {
    return schnorr.utils.lift_x(bytesToNumberBE(x))
  } catch {
    return undefined
  }
}

function cosmos(prefix: string): Case['address'] {
  return (privateKey) => {
    const value = Buffer.from(secp256k1.getPublicKey(privateKey)).toString('base64')
    const publicKey: Pubkey = { type: 'tendermint/PubKeySecp256k1', value }
    return pubkeyToAddress(publicKey, prefix)
  }
}

function p2pkh(network: Network): Case['address'] {
  return (privateKey) => found(payments.p2pkh({ pubkey: secp256k1.getPublicKey(privateKey), network }))
}

function p2sh(network: Network): Case['address'] {
  return (privateKey) => {
    const redeem = payments.p2wpkh({ pubkey: secp256k1.getPublicKey(privateKey), network })
    return found(payments.p2sh({ redeem, network }))
  }
}

function p2wpkh(network: Network): Case['address'] {
  return (privateKey) => found(payments.p2wpkh({ pubkey: secp256k1.getPublicKey(privateKey), network }))
}

function p2wsh(network: Network): Case['address'] {
  return (privateKey) => {
    const redeem = payments.p2pk({ pubkey: secp256k1.getPublicKey(privateKey), network })
    return found(payments.p2wsh({ redeem, network }))
  }
}

function p2tr(network: Network): Case['address'] {
  return (privateKey) => found(payments.p2tr({ internalPubkey: schnorr.getPublicKey(privateKey), network }))
}

function found({ address }: { readonly address?: string | undefined }): string {
  if (address === undefined) throw new Error('bitcoinjs-lib gave no address')
  return address
}
