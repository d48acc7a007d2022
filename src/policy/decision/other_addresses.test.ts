import { strict as assert } from 'node:assert'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, test } from 'vitest'
import { addressFormatNames, addressFormats, addressOf } from '../../protocol/chains/address_formats.ts'
import { canonicalAddress } from '../../protocol/chains/canonical_address.ts'
import type { Curve } from '../../protocol/crypto/curves.ts'
import type { Struct } from '../language/expression_values.ts'
import { compileCondition, guardHolds, truthOf } from './policy_expressions.ts'

/** A rule that guards holds for a key by whichever of its addresses an account is named; one that allows stays strict. */

const secret = Uint8Array.from({ length: 32 }, (_, index) => index + 1)
const publicKeys: Readonly<Record<Curve, Uint8Array>> = {
  CURVE_SECP256K1: secp256k1.getPublicKey(secret),
  CURVE_P256: p256.getPublicKey(secret),
  CURVE_ED25519: ed25519.getPublicKey(secret),
}

function accountsOf(curve: Curve): readonly Struct[] {
  const publicKey = publicKeys[curve]
  const formats = addressFormatNames.filter((format) => addressFormats[format].curves.includes(curve))
  const addresses = formats.map((format) => addressOf({ format, curve, publicKey }))
  return [...new Set(addresses.map((address) => canonicalAddress(address) ?? address))].map((address) => ({
    address,
    public_key: bytesToHex(publicKey),
    curve,
  }))
}

const accounts = accountsOf('CURVE_SECP256K1')
const addresses = accounts.map(({ address }) => String(address))
const named = (start: string) => accounts.find(({ address }) => String(address).startsWith(start)) ?? {}
const [bitcoin, ethereum] = [named('bc1q'), named('0x')]
const stranger = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

const denies = (condition: string, account: Struct, others: Struct = {}) =>
  guardHolds(compileCondition(condition), { keywords: { wallet_account: account, ...others } })
const allows = (condition: string, account: Struct, others: Struct = {}) =>
  truthOf(compileCondition(condition), { keywords: { wallet_account: account, ...others } })

test.each(Object.keys(publicKeys) as Curve[])('a denial of one address is one of the key: %s', (curve) => {
  const all = accountsOf(curve)
  expect(all.length).toBeGreaterThan(1)
  for (const { address } of all) {
    for (const condition of [
      `wallet_account.address == '${address}'`,
      `'${address}' == wallet_account.address`,
      `wallet_account.address in ['${stranger}', '${address}']`,
      `['${address}'].contains(wallet_account.address)`,
      `['${address}'].any(one, one == wallet_account.address)`,
      `['${address}'].filter(one, one == wallet_account.address).count() > 0`,
      `(wallet_account.address == '${address}') == true`,
      `!(wallet_account.address != '${address}')`,
      `wallet_account.address[0..20] == '${String(address).slice(0, 20)}'`,
    ])
      for (const account of all)
        expect([condition, account, denies(condition, account)]).toEqual([condition, account, true])
  }
})

describe('a denial of all addresses but some', () => {
  test.each(addresses)('holds for the others and lets the written one pass: %s', (address) => {
    const [own, ...others] = accounts.toSorted((one) => (one.address === address ? -1 : 1))
    for (const condition of [
      `wallet_account.address != '${address}'`,
      `!(wallet_account.address in ['${address}'])`,
      `['${address}'].filter(one, one == wallet_account.address).count() == 0`,
      `(wallet_account.address == '${address}') == false`,
      `wallet_account.address[0..20] != '${address.slice(0, 20)}'`,
    ]) {
      expect([condition, denies(condition, own ?? {})]).toEqual([condition, false])
      for (const other of others) expect([condition, denies(condition, other)]).toEqual([condition, true])
    }
  })
})

test('a denial by the address and by what is signed needs both', () => {
  const condition = `wallet_account.address == '${bitcoin.address}' && eth.tx.value > 5`
  const eth = (value: bigint) => ({ eth: { tx: { value } } })
  expect(denies(condition, ethereum, eth(6n))).toBe(true)
  expect(denies(condition, ethereum, eth(5n))).toBe(false)
  expect(denies(condition, ethereum)).toBeUndefined()
})

test('a denial that compares the account with what is signed is about the key', () => {
  const condition = 'bitcoin.tx.outputs.any(o, o.address == wallet_account.address)'
  const paying = (address: string) => ({ bitcoin: { tx: { outputs: [{ address: stranger }, { address }] } } })
  expect(denies(condition, ethereum, paying(String(bitcoin.address)))).toBe(true)
  expect(denies(condition, ethereum, paying(stranger))).toBe(false)
})

test('another key is not meant', () => {
  for (const account of accounts) {
    expect(denies(`wallet_account.address == '${stranger}'`, account)).toBe(false)
    expect(allows(`wallet_account.address != '${stranger}'`, account)).toBe(true)
  }
})

describe('a rule that allows', () => {
  test.each(addresses)('by an address is about that address alone: %s', (address) => {
    for (const account of accounts)
      expect(allows(`wallet_account.address in ['${address}']`, account)).toBe(account.address === address)
  })

  test.each(addresses)('all but an address leaves out the key: %s', (address) => {
    for (const condition of [
      `wallet_account.address != '${address}'`,
      `!(wallet_account.address in ['${address}'])`,
      `['${address}'].all(one, one != wallet_account.address)`,
    ])
      for (const account of accounts) expect([condition, allows(condition, account)]).toEqual([condition, false])
  })
})

test('an exported wallet has any account, and an account without a key of its curve its own address alone', () => {
  expect(denies(`wallet_account.address == '${stranger}'`, { is_any: true })).toBe(true)
  const { curve: _, ...account } = ethereum
  expect(denies(`wallet_account.address == '${bitcoin.address}'`, account)).toBe(false)
  const noPoint = { ...ethereum, public_key: `02${'ff'.repeat(32)}` }
  expect(denies(`wallet_account.address == '${bitcoin.address}'`, noPoint)).toBe(false)
})

test('the steps that a request leaves hide no other address', () => {
  const compressed = String(ethereum.public_key)
  const [equal, unequal] = ['==', '!='].map((operator) =>
    compileCondition(`wallet_account.address ${operator} '${compressed}' && 1 in [1, 2, 3]`),
  )
  assert(equal !== undefined && unequal !== undefined)
  for (let steps = 1; steps < 40; steps++) {
    // A longer address than the account's own takes a step more.
    const environment = { keywords: { wallet_account: ethereum }, stepsMax: steps }
    expect([steps, guardHolds(equal, environment), truthOf(unequal, environment)]).toEqual([
      steps,
      true,
      truthOf(unequal, environment) === undefined ? undefined : false,
    ])
  }
})
