import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base32, base64urlnopad, bech32, bech32m } from '@scure/base'
import { expect, test } from 'vitest'
import { checkNewExpressions, compileCondition, guardHolds } from '../policy/decision/policy_expressions.ts'
import { type addressFormats, addressOf } from '../protocol/chains/address_formats.ts'
import { finished } from '../protocol/tools/steps.ts'
import { accountFacts } from './record_facts.ts'
import type { WalletAccount } from './records/records.ts'

type Format = keyof typeof addressFormats

const secret = Uint8Array.from({ length: 32 }, (_, index) => index + 1)
const key = bytesToHex(secret)

function addressIn(format: Format): string {
  return format.includes('BITCOIN')
    ? addressOf({ format, curve: 'CURVE_SECP256K1', publicKey: secp256k1.getPublicKey(secret) })
    : addressOf({ format, curve: 'CURVE_ED25519', publicKey: secret })
}

function denies(condition: string, format: Format): boolean {
  finished(checkNewExpressions({ condition }, undefined, { isDenial: true }))
  const account = { address: addressIn(format), publicKey: key, path: "m/44'/0'" } as WalletAccount
  return guardHolds(compileCondition(condition), { keywords: { wallet_account: accountFacts(account) } }) === true
}

const hexOf = (bytes: Uint8Array, from = 0) => bytesToHex(bytes.subarray(from, from + 32))
const ton = (address: string) => hexOf(base64urlnopad.decode(address), 2)
const witness = ({ fromWords, decode }: typeof bech32) => {
  return (address: string) => hexOf(fromWords(decode(address as `${string}1${string}`).words.slice(1)))
}

test.each<[Format, (address: string) => string]>([
  ['ADDRESS_FORMAT_SUI', (address) => address.slice(2)],
  ['ADDRESS_FORMAT_APTOS', (address) => address.slice(2)],
  ['ADDRESS_FORMAT_SOLANA', () => key],
  ['ADDRESS_FORMAT_COMPRESSED', () => key],
  ['ADDRESS_FORMAT_XLM', (address) => hexOf(base32.decode(address), 1)],
  ['ADDRESS_FORMAT_TON_V3R2', ton],
  ['ADDRESS_FORMAT_TON_V4R2', ton],
  ['ADDRESS_FORMAT_TON_V5R1', ton],
  ['ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH', witness(bech32)],
  ['ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR', witness(bech32m)],
  ['ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR', witness(bech32m)],
])('the 32 bytes of an account are the same with 0x and without: %s', (format, bytesIn) => {
  const address = addressIn(format)
  const digits = bytesIn(address)
  for (const text of [digits, `0x${digits}`, `0X${digits.toUpperCase()}`, digits.toUpperCase()]) {
    expect(denies(`wallet_account.address == '${text}'`, format), text).toBe(true)
    expect(denies(`wallet_account.address in ['${text}']`, format), text).toBe(true)
    expect(denies(`wallet_account.address != '${text}'`, format), text).toBe(false)
    const other = `${text.slice(0, -2)}${text.endsWith('00') ? '01' : '00'}`
    expect(denies(`wallet_account.address == '${other}'`, format), other).toBe(false)
    // One address in two spellings does not exclude itself.
    for (const again of [address, digits, `0x${digits}`])
      expect(denies(`wallet_account.address == '${text}' && wallet_account.address == '${again}'`, format), again).toBe(
        true,
      )
  }
})
