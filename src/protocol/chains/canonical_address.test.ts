import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58, bech32, bech32m } from '@scure/base'
import { PublicKey } from '@solana/web3.js'
import { address as bitcoinAddresses, networks, payments } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { TronWeb } from 'tronweb'
import { describe, expect, test } from 'vitest'
import { prepareBitcoinjs } from '../../../test/support/bitcoinjs.ts'
import { addressFormatNames, addressFormats, addressOf } from './address_formats.ts'
import {
  canonicalAddress,
  canonicalBitcoinAddress,
  canonicalPoint,
  canonicalSolanaKey,
  canonicalSparkAddress,
  canonicalTronAddress,
  hexDigits,
} from './canonical_address.ts'

prepareBitcoinjs()
const numRuns = Number(process.env.CLAVIGER_GENERATED_RUNS ?? 30)
const functions = [
  canonicalAddress,
  canonicalBitcoinAddress,
  canonicalPoint,
  canonicalSolanaKey,
  canonicalSparkAddress,
  canonicalTronAddress,
  hexDigits,
]
const secrets = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => secp256k1.utils.isValidSecretKey(bytes))
const keys = secrets.map((secret) => secp256k1.getPublicKey(secret))

/** The text with another character at an index: a mistake that a checksum has to find. */
function mistyped(text: string, index: number): string {
  const at = index % text.length
  const other = text[at] === 'q' ? 'p' : 'q'
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`
}

describe('a Bitcoin address', () => {
  const { bitcoin, testnet, regtest } = networks

  /** The addresses that bitcoinjs-lib makes of a key, in the order of the kinds of scripts. */
  function addressesOn(network: typeof bitcoin, pubkey: Uint8Array): readonly string[] {
    const wpkh = payments.p2wpkh({ pubkey, network })
    const made = [
      payments.p2pkh({ pubkey, network }),
      payments.p2sh({ redeem: wpkh, network }),
      wpkh,
      payments.p2wsh({ redeem: payments.p2pk({ pubkey, network }), network }),
      payments.p2tr({ internalPubkey: pubkey.subarray(1), network }),
    ]
    return made.map(({ address = '' }) => address)
  }

  test('of any network becomes the one of the main network with the same script, as bitcoinjs-lib reads it', () => {
    fc.assert(
      fc.property(keys, fc.nat(), (key, index) => {
        const onMain = addressesOn(bitcoin, key)
        for (const network of [bitcoin, testnet, regtest]) {
          for (const [kind, address] of addressesOn(network, key).entries()) {
            expect(canonicalBitcoinAddress(address)).toBe(onMain[kind])
            const canonical = canonicalBitcoinAddress(address) ?? ''
            expect(bitcoinAddresses.toOutputScript(canonical, bitcoin)).toEqual(
              bitcoinAddresses.toOutputScript(address, network),
            )
            if (kind >= 2) expect(canonicalBitcoinAddress(address.toUpperCase())).toBe(onMain[kind])
            expect(canonicalBitcoinAddress(mistyped(address, index))).toBeUndefined()
          }
        }
      }),
      { numRuns },
    )
  })

  test.each([
    ['of mixed case', 'bc1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'],
    ['of another chain', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
    ['with a blank', ' bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    [
      'of a witness version that has no address here',
      bech32m.encode('bc', [2, ...bech32m.toWords(new Uint8Array(32))]),
    ],
    ['of version 1 with the checksum of version 0', bech32.encode('bc', [1, ...bech32.toWords(new Uint8Array(32))])],
    ['of version 0 with the checksum of version 1', bech32m.encode('bc', [0, ...bech32m.toWords(new Uint8Array(20))])],
    ['of Tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['that is empty', ''],
  ])('%s is none', (_, text) => {
    expect(canonicalBitcoinAddress(text)).toBeUndefined()
  })
})

test('a Tron address is the same in base58 and in hex, as tronweb converts it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.nat(), (hash, index) => {
      const hex = `41${bytesToHex(hash)}`
      const address = TronWeb.address.fromHex(hex)
      for (const text of [address, hex, hex.toUpperCase(), `0x${hex}`]) expect(canonicalTronAddress(text)).toBe(address)
      expect(canonicalTronAddress(mistyped(address, index))).toBeUndefined()
      expect(canonicalTronAddress(address.toLowerCase())).toBeUndefined()
      expect(canonicalTronAddress(`0x${bytesToHex(hash)}`)).toBeUndefined()
    }),
    { numRuns },
  )
})

test('a Solana key is the same in base58 and in hex, as @solana/web3.js reads it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const key = new PublicKey(bytes).toBase58()
      for (const text of [key, bytesToHex(bytes), bytesToHex(bytes).toUpperCase(), `0x${bytesToHex(bytes)}`]) {
        expect(canonicalSolanaKey(text)).toBe(key)
      }
      expect(canonicalSolanaKey(`${key.slice(0, -1)}0`)).toBeUndefined()
      expect(canonicalSolanaKey(base58.encode(bytes.subarray(1)))).toBeUndefined()
    }),
    { numRuns },
  )
})

test('a public key is the same compressed and uncompressed, as noble converts it', () => {
  fc.assert(
    fc.property(secrets, (secret) => {
      const compressed = bytesToHex(secp256k1.getPublicKey(secret, true))
      const uncompressed = bytesToHex(secp256k1.getPublicKey(secret, false))
      for (const text of [compressed, uncompressed, uncompressed.toUpperCase()]) {
        expect(canonicalPoint(text)).toBe(compressed)
      }
      expect(canonicalPoint(compressed.slice(2))).toBeUndefined()
    }),
    { numRuns },
  )
})

describe('an address of any format', () => {
  /** The format on the main network for each format on another. */
  const onMain = (format: string) => format.replace(/_(TESTNET|SIGNET|REGTEST)/, '_MAINNET')
  const key = secp256k1.getPublicKey(new Uint8Array(32).fill(7))
  const ed25519Key = new Uint8Array(32).fill(9)

  test.each(addressFormatNames)('%s is known, and is that of the main network', (format) => {
    const [curve] = addressFormats[format].curves
    if (curve === undefined) throw new Error('a format has a curve')
    const publicKey = curve === 'CURVE_ED25519' ? ed25519Key : key
    const main = addressFormatNames.find((name) => name === onMain(format)) ?? format
    const address = addressOf({ format, curve, publicKey })
    const expected = addressOf({ format: main, curve, publicKey })
    expect(canonicalAddress(address)).toBe(expected.startsWith('0x') ? expected.toLowerCase() : expected)
    expect(canonicalAddress(canonicalAddress(address) ?? '')).toBe(canonicalAddress(address))
    expect(canonicalAddress(` ${address}`)).toBeUndefined()
    if (!/^(0x)?[0-9a-f]+$/i.test(address)) expect(canonicalAddress(`${address.slice(0, -1)}_`)).toBeUndefined()
  })

  test('of TON is the same whether it bounces or not, in either alphabet, and in hex', () => {
    // TEP-2, "Examples": the same account in its forms.
    const forms = [
      'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF',
      'UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA',
      'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPrHF',
      '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e',
    ]
    for (const form of forms) expect(canonicalAddress(form)).toBe(forms[1])
    expect(canonicalAddress('EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHG')).toBeUndefined()
  })
})

test('no text makes a function throw, and a spelling is its own spelling', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.stringMatching(/^(0x|bc1|tb1|spark1|T|1|3|41)?[0-9a-zA-Z]{0,140}$/),
  )
  fc.assert(
    fc.property(texts, fc.constantFrom(...functions), (text, canonical) => {
      const spelling = canonical(text)
      if (spelling !== undefined) expect(canonical(spelling)).toBe(spelling)
    }),
    { numRuns: numRuns * 30 },
  )
})
