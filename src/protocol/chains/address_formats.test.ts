import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Curve, curves, publicKeyOf } from '../crypto/curves.ts'
import {
  type AddressFormat,
  addressFormatNames,
  addressFormats,
  addressOf,
  lookupAddress,
  taprootTweak,
} from './address_formats.ts'

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
/** The public key of the private key 1: the generator of the curve. */
const generator = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

describe('published addresses', () => {
  test.each<[string, AddressFormat, string, string]>([
    // https://eips.ethereum.org/EIPS/eip-55, checksum of the address of the private key 1
    ['EIP-55', 'ADDRESS_FORMAT_ETHEREUM', generator, '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'],
    // BIP-173 "Examples"; their P2WSH script is <key> OP_CHECKSIG with the generator as key
    ['BIP-173', 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH', generator, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['BIP-173', 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH', generator, 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
    [
      'BIP-173',
      'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH',
      generator,
      'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
    ],
    [
      'BIP-173',
      'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH',
      generator,
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
    ],
    // BIP-49 "Test vectors"
    [
      'BIP-49',
      'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH',
      '03a1af804ac108a8a51782198c2d034b28bf90c8803f5a53f76276fa69a4eae77f',
      '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2',
    ],
    // BIP-84 "Test vectors"
    [
      'BIP-84',
      'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH',
      '0330d54fd0dd420a6e5f8d3624f5f3482cae350f79d5f0753bf5beef9c2d91af3c',
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    ],
    // BIP-86 "Test vectors" (internal keys; the sign of the point is not part of them)
    [
      'BIP-86',
      'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR',
      '02cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115',
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    ],
    [
      'BIP-86',
      'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR',
      '0283dfe85a3151d2517290da461fe2815591ef69f2b18a2ce63f01697a8b313145',
      'bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh',
    ],
    // BIP-341 "Test vectors", scriptPubKey without a script tree
    [
      'BIP-341',
      'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR',
      '02d6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d',
      'bc1p2wsldez5mud2yam29q22wgfh9439spgduvct83k3pm50fcxa5dps59h4z5',
    ],
    // xrpl.org, "Addresses": the genesis account, whose seed is 'masterpassphrase'
    [
      'XRPL',
      'ADDRESS_FORMAT_XRP',
      '0330e7fc9d56bb25d6893ba3f317ae5bcf33b3291bd63db32654a313222f7fd020',
      'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
    ],
  ])('%s: %s of %s', (_, format, publicKey, address) => {
    expect(addressOf({ format, curve: 'CURVE_SECP256K1', publicKey: bytesOf(publicKey) })).toBe(address)
  })

  test('BIP-341: the tweak of a key without scripts', () => {
    const tweak = taprootTweak(bytesOf('d6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d'))
    expect(tweak).toEqual(bytesOf('b86e7be8f39bab32a6f2c0443abbc210f0edac0e2c53d501b36b64437d9c6c70'))
  })

  test('a Taproot address does not depend on the sign of the point', () => {
    const publicKey = bytesOf(generator)
    const format = 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'
    const even = addressOf({ format, curve: 'CURVE_SECP256K1', publicKey })
    expect(addressOf({ format, curve: 'CURVE_SECP256K1', publicKey: Uint8Array.of(3, ...publicKey.slice(1)) })).toBe(
      even,
    )
  })

  test('Solana: the key of 32 zero bytes is the system program', () => {
    const address = addressOf({
      format: 'ADDRESS_FORMAT_SOLANA',
      curve: 'CURVE_ED25519',
      publicKey: new Uint8Array(32),
    })
    expect(address).toBe('11111111111111111111111111111111')
  })

  test('SEP-23, "Valid test cases", 1', () => {
    const publicKey = bytesOf('3f0c34bf93ad0d9971d04ccc90f705511c838aad9734a4a2fb0d7a03fc7fe89a')
    expect(addressOf({ format: 'ADDRESS_FORMAT_XLM', curve: 'CURVE_ED25519', publicKey })).toBe(
      'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    )
  })
})

describe('the table', () => {
  test('names the 38 formats of the interface', () => {
    expect(addressFormatNames).toHaveLength(38)
    expect(new Set(addressFormatNames).size).toBe(38)
  })

  test.each([
    ['taproot', addressFormatNames.filter((name) => name.endsWith('_P2TR'))],
    ['bip340', ['ADDRESS_FORMAT_SPARK_MAINNET', 'ADDRESS_FORMAT_SPARK_REGTEST']],
  ])('signs by %s for these only', (scheme, formats) => {
    expect(addressFormatNames.filter((name) => addressFormats[name].signatureScheme === scheme)).toEqual(formats)
  })

  const keys = new Map<Curve, Uint8Array>(
    curves.map((curve) => [curve, publicKeyOf(curve, new Uint8Array(32).fill(1))]),
  )

  test.each(addressFormatNames)('%s has an address on its curves and no other', (format) => {
    for (const [curve, publicKey] of keys) {
      const address = () => addressOf({ format, curve, publicKey })
      if (addressFormats[format].curves.includes(curve)) expect(address()).toMatch(/^[0-9A-Za-z_-]+$/)
      else expect(address).toThrow(`${format} is not for ${curve}`)
    }
  })

  test('takes compressed keys only', () => {
    const uncompressed = new Uint8Array(65).fill(4)
    expect(() =>
      addressOf({ format: 'ADDRESS_FORMAT_COMPRESSED', curve: 'CURVE_P256', publicKey: uncompressed }),
    ).toThrow('a compressed public key')
  })
})

describe('looking up', () => {
  test.each([
    ['0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf', '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'],
    ['0x7E5F4552091A69125D5DFCB7B8C2659029395BDF', '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'],
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    [
      'BC1P5CYXNUXMEUWUVKWFEM96LQZSZD02N6XDCJRS20CAC6YQJJWUDPXQKEDRCR',
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    ],
    [
      '0xAF63BB4CBB8B1EBF0DB2C1BA5C5E2C0E7D1D6AB1F2D9F6E7E0D3B5A4C3D2E1F0',
      '0xaf63bb4cbb8b1ebf0db2c1ba5c5e2c0e7d1d6ab1f2d9f6e7e0d3b5a4c3d2e1f0',
    ],
    [
      'SPARK1PGSSY7D7VEL0NH9M4326QC54E6RSKPCZN07DKTWW9RV4NU5PTVT0S9UC489GG2',
      'spark1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9uc489gg2',
    ],
    ['COSMOS19RL4CM2HMR8AFY4KLDPXZ3FKA4JGUQ0AUQDAL4', 'cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4'],
  ])('%s is found under its small letters', (text, expected) => {
    expect(lookupAddress(text)).toBe(expected)
  })

  test.each([
    ['a 0X prefix', '0X7E5F4552091A69125D5DFCB7B8C2659029395BDF'],
    ['39 digits', '0x7E5F4552091A69125d5DfCb7b8C2659029395Bd'],
    ['41 digits', '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf0'],
    ['63 digits', `0x${'A'.repeat(63)}`],
    ['65 digits', `0x${'A'.repeat(65)}`],
    ['no prefix', '7E5F4552091A69125d5DfCb7b8C2659029395Bdf'],
    ['bech32 in mixed case, which is none', 'BC1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['bech32 with a wrong checksum', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T5'],
    ['base58 (Bitcoin)', '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA'],
    ['base58 (Solana)', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
    ['base58 (TRON)', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH'],
    ['base58 (XRP)', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'],
    ['base32 (Stellar)', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'],
    ['base64url (TON)', 'UQDSC4qjjpx3kCwTDIdgvb5AfagQAm260bD3QORwpV83X1V0'],
    ['a name', 'My Wallet'],
    ['nothing', ''],
  ])('%s stays as it is', (_, text) => {
    expect(lookupAddress(text)).toBe(text)
  })

  test('the stored spelling of an address or any text is its own, and differs in case only', () => {
    const address = fc
      .tuple(fc.constantFrom(...addressFormatNames), fc.uint8Array({ minLength: 32, maxLength: 32 }))
      .map(([format, bytes]) => {
        const curve = addressFormats[format].curves[0] ?? 'CURVE_SECP256K1'
        bytes[0] = 1 // a private key on every curve
        return addressOf({ format, curve, publicKey: publicKeyOf(curve, bytes) })
      })
    fc.assert(
      fc.property(fc.oneof(address, fc.string()), (text) => {
        const found = lookupAddress(text)
        expect(lookupAddress(found)).toBe(found)
        expect(found.toLowerCase()).toBe(text.toLowerCase())
      }),
    )
  })
})
