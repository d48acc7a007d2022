import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Pick } from '../../../../test/support/policy_generator.ts'
import { check } from '../checking/check.ts'
import type { Struct, Value } from '../expression_values.ts'
import type { ExpressionKind } from '../names/keywords.ts'
import { parse } from '../reading/parse.ts'
import { evaluate } from '../running/evaluate.ts'
import type { Expression } from '../syntax.ts'
import { contradictionsIn, isNeverTrue } from './contradictions.ts'

function problemsOf(text: string, kind: ExpressionKind = 'condition'): readonly string[] {
  return check(parse(text), kind, text).neverEqual.map(({ offset, message }) => `${offset + 1}: ${message}`)
}

const [token, safe] = ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', '0x1f9090aae28b8a3dceadf281b0f12828e676c326']
const [one, two] = ['9a3c8c1e-6f0e-4a52-8f1b-2b7d1c0a9e44', '9a3c8c1e-6f0e-4a52-8f1b-2b7d1c0a9e45']
const [key, script] = ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy']
const [system, tokens] = ['11111111111111111111111111111111', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA']
const together = (first: string, second: string) => `${first} and ${second} are never true together`

test.each([
  ["wallet.label == 'Cold' && wallet.label == 'Hot'", 43, together("wallet.label == 'Cold'", "wallet.label == 'Hot'")],
  ['eth.tx.chain_id == 1 && eth.tx.chain_id == 5', 44, together('eth.tx.chain_id == 1', 'eth.tx.chain_id == 5')],
  ['eth.tx.value > 5 && eth.tx.value < 3', 36, together('eth.tx.value > 5', 'eth.tx.value < 3')],
  ['5 < eth.tx.value && !(eth.tx.value >= 3)', 39, together('5 < eth.tx.value', '!(eth.tx.value >= 3)')],
  ['!(eth.tx.value >= 0)', 19, '!(eth.tx.value >= 0) is never true'],
  [
    "eth.tx.type in ['LEGACY', 'TYPE_1'] && eth.tx.type != 'LEGACY' && eth.tx.type != 'TYPE_1'",
    82,
    "eth.tx.type != 'TYPE_1' is never true with what is beside it",
  ],
  [
    '(eth.tx.chain_id == 1 || eth.tx.chain_id == 2) && eth.tx.chain_id == 3',
    21,
    together('eth.tx.chain_id == 3', 'eth.tx.chain_id == 1'),
  ],
  ['eth.tx.value > 5 && 1 == 2', 21, '1 == 2 is never true'],
  [
    "activity.kind != 'SIGN_TRANSACTION' && eth.tx.value > 5",
    18,
    together('eth.tx.value > 5', "activity.kind != 'SIGN_TRANSACTION'"),
  ],
] as const)('%s is named with its column', (text, column, reason) => {
  expect(problemsOf(text)[0]).toBe(`${column}: ${reason}`)
})

describe('a comparison with itself that is never true is named', () => {
  test.each([
    'eth.tx.value > eth.tx.value',
    'eth.tx.value != eth.tx.value',
    'eth.tx.value + 1 < eth.tx.value',
    'eth.tx.value + 5 == eth.tx.value',
    'eth.tx.gas + eth.tx.value + 1 <= eth.tx.value + eth.tx.gas',
    '!(eth.tx.value == eth.tx.value)',
    '!(eth.tx.value + 2 > 1 + eth.tx.value)',
    "spent('eth.tx.value', '24h') > spent('eth.tx.value', '24h')",
    "spent('eth.tx.value', '24h') > spent('eth.tx.value', '1d')",
    'solana.tx.transfers.any(t, t.to != t.to)',
    "wallet.label != wallet.label || eth.tx.to != eth.tx.to && wallet.label == 'Hot'",
  ])('%s', (text) => {
    expect(problemsOf(text)[0]).toMatch(/ is never true$/)
    expect(isNeverTrue(parse(text), 'condition')).toBe(true)
  })

  test.each([
    'wallet.id == wallet.id',
    'eth.tx.value + 1 > eth.tx.value',
    'eth.tx.value + eth.tx.gas < eth.tx.value',
    'eth.tx.value + eth.tx.value < eth.tx.value',
    'solana.tx.transfers.any(t, t.to != t.from)',
    "spent('eth.tx.value', '24h') > spent('eth.tx.value', '7d')",
  ])('and %s is not', (text) => {
    expect(problemsOf(text)).toEqual([])
    expect(isNeverTrue(parse(text), 'condition')).toBe(false)
  })
})

describe('a credential without such fields together is named', () => {
  const [point, cose, key32] = [`02${'ab'.repeat(32)}`, `a5${'01'.repeat(60)}`, 'cd'.repeat(32)]
  const type = (name: string) => `c.type == 'CREDENTIAL_TYPE_${name}'`
  const [ofPasskey, ofKey] = [type('WEBAUTHN_AUTHENTICATOR'), type('API_KEY_P256')]
  const any = (test: string) => `credentials.any(c, ${test})`
  test.each([
    `${ofPasskey} && c.public_key == '${point}'`,
    `c.public_key == '${point}' && ${ofPasskey}`,
    `${ofKey} && c.public_key == '${cose}'`,
    `${ofKey} && c.credential_id == 'abc'`,
    `${type('LOGIN')} && c.credential_id != ''`,
    `${ofPasskey} && c.credential_id == ''`,
    `c.credential_id == 'abc' && c.public_key == '${point}'`,
    `c.credential_id == '' && c.public_key == '${cose}'`,
    `c.credential_id == 'abc' && (${ofKey} || ${type('LOGIN')})`,
    `!(${ofPasskey}) && c.credential_id == 'abc'`,
    `${type('API_KEY_ED25519')} && c.public_key == '${point}'`,
    `${type('API_KEY_ED25519')} && c.public_key in ['${point}', '${cose}']`,
    `${ofKey} && c.public_key == '${key32}'`,
    `c.public_key == '${key32}' && ${type('API_KEY_SECP256K1')}`,
    `c.public_key == '${key32}' && c.type in ['CREDENTIAL_TYPE_LOGIN', 'CREDENTIAL_TYPE_OAUTH_KEY_P256']`,
    `c.public_key == '${key32}' && c.type != 'CREDENTIAL_TYPE_API_KEY_ED25519'`,
  ])('%s', (test) => {
    expect(problemsOf(any(test), 'consensus')).not.toEqual([])
    expect(isNeverTrue(parse(any(test)), 'consensus')).toBe(true)
    expect(problemsOf(`credentials.filter(c, ${test}).count() >= 1`, 'consensus')).not.toEqual([])
  })

  test.each([
    any(`${ofPasskey} && c.public_key == '${cose}' && c.credential_id == 'abc'`),
    any(`${ofKey} && c.public_key == '${point}' && c.credential_id == ''`),
    any(`c.public_key in ['${point}', '${cose}'] && ${ofPasskey}`),
    any(`c.credential_id == 'abc' && (${ofKey} || ${ofPasskey})`),
    `${any(ofKey)} && ${any("c.credential_id == 'abc'")}`,
    any(`${ofPasskey} && c.credential_id != 'abc'`),
    any(`${type('API_KEY_ED25519')} && c.public_key == '${key32}'`),
    any(`${type('API_KEY_ED25519')} && c.public_key in ['${key32}', '${point}']`),
    any(`c.type in ['CREDENTIAL_TYPE_API_KEY_ED25519', 'CREDENTIAL_TYPE_LOGIN'] && c.public_key == '${key32}'`),
    any(`${type('API_KEY_SECP256K1')} && c.public_key == '${point}'`),
    any(`${ofKey} && c.public_key != '${key32}'`),
  ])('and not %s', (text) => {
    expect(problemsOf(text, 'consensus')).toEqual([])
  })
})

describe('fields that a format excludes together are named', () => {
  const [hash20, hash32] = ['ab'.repeat(20), 'ab'.repeat(32)]
  const [nested, segwit] = [script, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4']
  const taproot = 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'
  const outputs = (test: string) => `bitcoin.tx.outputs.any(o, ${test})`
  test.each([
    // EIP-4844 and EIP-7702 have a recipient.
    "eth.tx.to == '' && eth.tx.type == 'TYPE_4'",
    "eth.tx.type in ['TYPE_3', 'TYPE_4'] && eth.tx.to == ''",
    "eth.tx.to == '' && eth.tx.type != 'LEGACY' && !(eth.tx.type in ['TYPE_1', 'TYPE_2'])",
    "eth.tx.to == '' && (eth.tx.type == 'TYPE_3' || eth.tx.type == 'TYPE_4')",
    "!(eth.tx.to != '' || eth.tx.type != 'TYPE_3')",
    // BIP-65: below, it is the height of a block.
    "bitcoin.tx.locktime.type == 'Seconds' && bitcoin.tx.locktime.amount < 500000000",
    "bitcoin.tx.locktime.amount == 0 && bitcoin.tx.locktime.type == 'Seconds'",
    "bitcoin.tx.locktime.type != 'Seconds' && bitcoin.tx.locktime.amount >= 500000000",
    // The kind, the address and the script of an output.
    outputs(`o.address == '${key}' && o.address_type == 'P2TR'`),
    outputs(`o.address == '' && o.address_type == 'P2PKH'`),
    outputs(`o.address_type == '' && o.address in ['${key}', '${nested}']`),
    outputs(`o.address == '${segwit}' && o.address_type in ['P2WSH', 'P2TR', 'P2SH']`),
    outputs(`o.address == '${taproot}' && o.address_type == 'P2WPKH'`),
    outputs(`o.script_pubkey == '5120${hash32}' && o.address_type == 'P2WSH'`),
    outputs(`o.script_pubkey == '0014${hash20}' && o.address == ''`),
    outputs(`o.script_pubkey == '6a00' && o.address != ''`),
    outputs(`o.script_pubkey == '76a914${hash20}88ac' && o.address == '${nested}'`),
    `bitcoin.tx.outputs[0].address == '${key}' && bitcoin.tx.outputs[0].address_type == 'P2SH'`,
    // The fee is the price times the limit.
    'solana.tx.compute_unit_price == 0 && solana.tx.priority_fee > 0',
    'solana.tx.compute_unit_price > 5 && solana.tx.priority_fee == 0 && solana.tx.compute_unit_limit > 1000',
    'solana.tx.compute_unit_limit == 0 && solana.tx.priority_fee >= 1000',
  ])('%s', (text) => {
    expect(problemsOf(text)).not.toEqual([])
    expect(isNeverTrue(parse(text), 'condition')).toBe(true)
  })

  test.each([
    "eth.tx.to == '' && eth.tx.type == 'TYPE_2'",
    "eth.tx.to == '' && eth.tx.type != 'TYPE_4'",
    "eth.tx.to == '' || eth.tx.type == 'TYPE_4'",
    "bitcoin.tx.locktime.type == 'Seconds' && bitcoin.tx.locktime.amount < 500000001",
    "bitcoin.tx.locktime.type == 'Blocks' && bitcoin.tx.locktime.amount == 499999999",
    outputs(`o.address == '${key}' && o.address_type == 'P2PKH'`),
    outputs(`o.address == '${nested}' && o.address_type == 'P2SH'`),
    outputs(`o.address == '${segwit}' && o.address_type == 'P2WPKH' && o.script_pubkey == '0014${hash20}'`),
    outputs(`o.address == '${taproot}' && o.address_type == 'P2TR' && o.script_pubkey == '5120${hash32}'`),
    outputs(`o.address == '' && o.address_type == '' && o.script_pubkey == '6a00'`),
    outputs(`o.address_type != '' && o.address != '${key}'`),
    `bitcoin.tx.outputs.any(o, o.address == '') && bitcoin.tx.outputs.any(o, o.address_type == 'P2TR')`,
    // In a rule that guards, both are so of an output that does not exist.
    "bitcoin.tx.outputs[9].address != '' && !(bitcoin.tx.outputs[9].address_type in ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'])",
    'solana.tx.compute_unit_price == 0 && solana.tx.priority_fee == 0',
    'solana.tx.priority_fee == 0 && solana.tx.compute_unit_price > 5',
    'solana.tx.priority_fee > 5 && solana.tx.compute_unit_limit > 5',
  ])('and not %s', (text) => {
    expect(problemsOf(text)).toEqual([])
  })
})

describe('an && that is never true is named', () => {
  test.each([
    `eth.tx.to == '${token}' && eth.tx.to == '${safe}'`,
    `eth.tx.to == '${token}' && eth.tx.to in ['${safe}']`,
    `eth.tx.to == '${token}' && ['${safe}'].contains(eth.tx.to)`,
    `wallet.id == '${one}' && wallet.id == '${two}'`,
    'eth.tx.chain_id == 1 && eth.tx.chain_id != 1',
    "spent('eth.tx.value', '24h') > 5 && spent('eth.tx.value', '1d') < 3",
    "spent('eth.tx.value', '1d12h') > 5 && spent('eth.tx.value', '2160m') < 3",
    'eth.tx.value > 5 && eth.tx.value < 6',
    'eth.tx.value != 0 && eth.tx.value < 1',
    "!(activity.resource == 'WALLET' || activity.resource != 'WALLET')",
    `bitcoin.tx.outputs.any(o, o.address == '${key}' && o.address == '${script}')`,
    `bitcoin.tx.outputs.any(o, o.address == '${key}' && (o.address == '${script}' || o.value > 5 && o.value < 3))`,
    `bitcoin.tx.outputs.filter(o, o.address == '${key}').any(p, p.address == '${script}')`,
    'bitcoin.tx.outputs.filter(o, o.value > 5 && o.value < 3).count() > 0',
    'bitcoin.tx.outputs[0].value > 5 && bitcoin.tx.outputs[0].value < 3',
    'bitcoin.tx.outputs.count() > 5 && bitcoin.tx.outputs.count() < 3',
    'bitcoin.tx.outputs.any(o, 1 == 2)',
    'wallet.imported && !wallet.imported',
    'wallet.imported == true && wallet.imported == false',
    'controls.daily && !controls.daily',
    "eth.tx.data[0..10] == '0xa9059cbb' && eth.tx.data[0..10] == '0x095ea7b3'",
    `solana.tx.account_keys.any(k, k == '${system}' && k == '${tokens}')`,
    `solana.tx.account_keys[0] == '${system}' && solana.tx.account_keys[0] != '${system}'`,
    '(eth.tx.chain_id == 1 || eth.tx.chain_id == 2) && (eth.tx.chain_id == 3 || eth.tx.chain_id == 4)',
    `eth.tx.to == '${token}' || wallet.label == 'Cold' && wallet.label == 'Hot'`,
    "spent('eth.tx.value', '24h') > 5 && spent('eth.tx.value', '24h') < 3",
    '(eth.tx.value > 5) == false && eth.tx.value > 6',
    ...['1 == 2', '1 > 2', "'a' == 'b'", '1 in []', '[].any(x, x == 1)', '1 == 2 && eth.tx.value > 5'],
    "activity.params.encoding != 'PAYLOAD_ENCODING_EIP712' && eth.eip_712.primary_type == 'Permit'",
    "!(activity.action == 'SIGN') && activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'",
    "!(activity.action in ['SIGN', 'EXPORT']) && activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'",
    "!(activity.action == 'SIGN' || activity.action == 'EXPORT') && eth.tx.value > 5",
    `activity.resource != 'PRIVATE_KEY' && activity.action == 'SIGN' && wallet.id == '${one}'`,
    "(activity.action == 'SIGN') == false && eth.tx.value > 1",
    "eth.tx.value > 1 && (activity.action != 'SIGN' || activity.kind != 'SIGN_TRANSACTION')",
    "eth.tx.max_fee_per_gas > 5 && !(eth.tx.type in ['TYPE_2', 'TYPE_3', 'TYPE_4'])",
  ])('%s', (text) => {
    expect(problemsOf(text)).not.toEqual([])
  })

  test.each([
    ['consensus', `approvers.any(u, u.id == '${one}' && u.id == '${two}')`],
    ['consensus', 'approvers.count() > 5 && approvers.count() < 3'],
    ['consensus', '1 == 2'],
    ['time', "time.now > Timestamp('2026-12-01T00:00:00Z') && time.now < Timestamp('2026-11-01T00:00:00Z')"],
    ['time', "CronSpan('0 9 * * 1-5', '8h', 'UTC') && 1 == 2"],
  ] as const)('in %s: %s', (kind, text) => {
    expect(problemsOf(text, kind)).toHaveLength(1)
  })
})

describe('a count that no list has is named', () => {
  const by = (...ids: readonly string[]) => `approvers.filter(u, u.id in ['${ids.join("', '")}']).count()`
  const onlyOne = `approvers.filter(u, u.id == '${one}').count()`
  test.each([
    `${onlyOne} >= 2`,
    `${onlyOne} == 2`,
    `1 < ${onlyOne}`,
    `!(${onlyOne} < 2)`,
    `${onlyOne} in [2, 3]`,
    `${by(one, two)} > 2`,
    `${by(one, one)} > 1`,
    `approvers.filter(u, u.id == '${one}' || u.id == '${two}').count() > 2`,
    `approvers.filter(u, u.alias == 'Ada').filter(v, v.id == '${one}').count() > 1`,
    `credentials.filter(c, c.id == '${one}').count() > 1`,
    `approvers.any(u, u.id == '${one}') && approvers.count() == 0`,
    `approvers.count() < 1 && approvers.filter(u, u.alias == 'Ada').any(u, true)`,
    `!approvers.all(u, u.id == '${one}') && approvers.count() == 0`,
    `approvers.filter(u, u.alias == 'Ada').count() >= 2 && approvers.count() == 1`,
    `approvers.filter(u, u.alias == 'Ada').count() >= 2 && approvers.filter(u, u.alias == 'Ada').count() < 2`,
    `approvers.any(u, u.id == '${one}' && credentials.any(c, c.user_id == u.id)) && credentials.count() == 0`,
  ])('%s', (text) => {
    expect(problemsOf(text, 'consensus')).toHaveLength(1)
    expect(isNeverTrue(parse(text), 'consensus')).toBe(true)
  })

  test('with how many there are at most', () => {
    expect(problemsOf(`${onlyOne} >= 2`, 'consensus')).toEqual([
      `1: ${onlyOne} >= 2 is never true: 1 is the most, because no two have the same id`,
    ])
  })

  test.each([
    `${onlyOne} >= 1`,
    `${by(one, two)} == 2`,
    `approvers.filter(u, u.id != '${one}').count() >= 2`,
    `approvers.filter(u, u.alias == 'Ada').count() >= 2`,
    // The keys of attested stamps have no id.
    "credentials.filter(c, c.id == '').count() >= 2",
    `approvers.any(u, u.id == '${one}') && approvers.count() == 1`,
    "approvers.all(u, u.email == '') && approvers.count() == 0",
    'approvers.any(u, credentials.filter(c, c.user_id == u.id).count() == 1) && approvers.any(u, credentials.filter(c, c.user_id == u.id).count() == 2)',
  ])('and not %s', (text) => {
    expect(problemsOf(text, 'consensus')).toEqual([])
  })
})

describe('what may be true is accepted', () => {
  test.each([
    `eth.tx.to == '${token}' && eth.tx.to == '${token.replace('a0b8', 'A0B8').slice(2).toUpperCase()}'`,
    `eth.tx.to == '${token}' && eth.tx.from == '${safe}'`,
    'eth.tx.value > 5 && eth.tx.value < 7',
    'eth.tx.value >= 0 && eth.tx.value <= 0',
    `bitcoin.tx.outputs.any(o, o.address == '${key}') && bitcoin.tx.outputs.any(o, o.address == '${script}')`,
    `bitcoin.tx.outputs[0].address == '${key}' && bitcoin.tx.outputs[1].address == '${script}'`,
    // It is true of no outputs.
    'bitcoin.tx.outputs.all(o, o.value > 5 && o.value < 3)',
    'bitcoin.tx.outputs.filter(o, o.value > 5 && o.value < 3).count() == 0',
    // In a rule that guards, the test of an item that lacks the field is false.
    '!solana.tx.transfers.all(t, t.amount >= 0)',
    '!solana.tx.transfers.all(t, t.amount > 5 || t.amount < 9)',
    // A third item need not exist.
    'bitcoin.tx.outputs[2].value != 5 && !(bitcoin.tx.outputs[2].value < 5) && !(bitcoin.tx.outputs[2].value > 5)',
    'eth.tx.chain_id == 1 && (eth.tx.chain_id == 1 || eth.tx.chain_id == 5)',
    // An argument may be a text that is a number.
    "eth.tx.contract_call_args['a'] == 1 && eth.tx.contract_call_args['a'] == '1'",
    "eth.eip_712.message['list'].any(x, x == 1 && x == '0x01')",
    // A key of Solana and its bytes.
    `eth.eip_712.domain.name == '${system}' && eth.eip_712.domain.name == '${'0'.repeat(64)}'`,
    "eth.eip_712.domain.name == '0xAB' && eth.eip_712.domain.name == '0xab'",
    ...['true', '1 == 1', '[].all(x, x == 1)', '!false', 'wallet.imported || true', 'wallet.imported || false'],
    // It says what it does.
    'false',
    'wallet.imported && false',
    "activity.kind != 'SIGN_TRANSACTION' && activity.action == 'SIGN'",
    "activity.kind != ''",
    "activity.action != 'SIGN' && activity.action != 'EXPORT'",
    "activity.params.encoding != 'PAYLOAD_ENCODING_EIP712' && wallet.label == 'Cold'",
    "activity.kind != 'SIGN_TRANSACTION' && activity.params.otp_length == 6",
    "activity.kind in ['SIGN_TRANSACTION', 'SPARK_SIGN_FROST'] && activity.kind != 'SIGN_TRANSACTION'",
    "activity.kind == 'SPARK_PREPARE_LIGHTNING_RECEIVE' && activity.resource != 'PRIVATE_KEY'",
    "eth.tx.value > 1 && (activity.action != 'SIGN' || wallet.label == 'Cold')",
  ])('%s', (text) => {
    expect(problemsOf(text)).toEqual([])
  })
})

/** `CLAVIGER_CASES` is for long runs (CONTRIBUTING.md). */
const numRuns = Number(process.env.CLAVIGER_CASES ?? 1000)
const [labels, addresses, numbers] = [
  ['Cold', 'Hot', '0xAB', '0xab'],
  [token, safe, ''],
  [0n, 1n, 2n, 3n],
] as const

function oneOf<T>(pick: Pick, items: readonly T[]): T {
  const [first] = items
  const found = items[pick(anyNumber) % items.length] ?? first
  if (found === undefined) throw new Error('there is nothing to pick from')
  return found
}

const anyNumber = () => fc.noBias(fc.nat())

/** Most are about one of a few fields, so that they often exclude each other. */
function leafOf(pick: Pick, variable: string | undefined): string {
  const texts = variable === undefined ? ['wallet.label', 'eth.tx.to', 'names[0]', 'names[1]'] : [`${variable}.from`]
  const ints =
    variable === undefined ? ['eth.tx.value', 'eth.tx.chain_id', 'bitcoin.tx.outputs[1].value'] : [`${variable}.amount`]
  const field = oneOf(pick, pick(fc.boolean) ? texts : ints).replace('names', 'solana.tx.account_keys')
  if (ints.includes(field)) {
    const [number, other] = [oneOf(pick, numbers), oneOf(pick, numbers)]
    return oneOf(pick, [
      `${field} ${oneOf(pick, ['==', '!=', '<', '<=', '>', '>='])} ${number}`,
      `${number} ${oneOf(pick, ['==', '!=', '<', '<=', '>', '>='])} ${field}`,
      `${field} in [${number}, ${other}]`,
      `[${number}].contains(${field})`,
    ])
  }
  const written = () =>
    `'${oneOf(pick, field.endsWith('label') ? labels : field.endsWith('to') ? addresses : [system, tokens])}'`
  return oneOf(pick, [
    `${field} ${oneOf(pick, ['==', '!='])} ${written()}`,
    `${field} in [${written()}, ${written()}]`,
    `[${written()}].contains(${field})`,
    ...(variable === undefined ? ['wallet.imported', 'wallet.imported == false', '1 == 1', 'false'] : []),
  ])
}

function textOf(pick: Pick, depth: number, variable?: string): string {
  const below = () => textOf(pick, depth - 1, variable)
  if (depth === 0) return leafOf(pick, variable)
  const list = 'solana.tx.transfers'
  const inner = () => textOf(pick, depth - 1, 't')
  const forms = [
    () => `(${below()} && ${below()})`,
    () => `(${below()} && ${below()} && ${below()})`,
    () => `(${below()} || ${below()})`,
    () => `!(${below()})`,
    () => `((${below()}) == ${oneOf(pick, ['true', 'false'])})`,
    () => leafOf(pick, variable),
    ...(variable === undefined
      ? [
          () => `${list}.${oneOf(pick, ['any', 'all'])}(t, ${inner()})`,
          () => `${list}.filter(t, ${inner()}).any(t, ${inner()})`,
          () => `${list}.filter(t, ${inner()}).count() ${oneOf(pick, ['>', '==', '!='])} ${oneOf(pick, numbers)}`,
          () => `${list}.count() ${oneOf(pick, ['>', '<', '=='])} ${oneOf(pick, numbers)}`,
        ]
      : []),
  ]
  return oneOf(pick, forms)()
}

function requestOf(pick: Pick): Struct {
  const may = <T extends Value>(value: T) => (pick(fc.nat, { max: 9 }) === 0 ? undefined : value)
  const [keys, unknown] = [[system, tokens], 'ADDRESS_TABLE_LOOKUP']
  const items = <T>(max: number, make: () => T) => Array.from({ length: pick(fc.nat, { max }) }, make)
  const tx = {
    to: may(oneOf(pick, addresses)),
    value: may(oneOf(pick, numbers)),
    chain_id: may(oneOf(pick, numbers)),
    nonce: 1n,
  }
  return {
    wallet: may({ label: oneOf(pick, labels), imported: pick(fc.boolean) }),
    eth: { tx },
    bitcoin: { tx: { outputs: items(3, () => ({ value: oneOf(pick, numbers) })) } },
    solana: {
      tx: {
        account_keys: items(3, () => oneOf(pick, [...keys, unknown])),
        transfers: items(3, () => ({ from: may(oneOf(pick, [...keys, unknown])), amount: may(oneOf(pick, numbers)) })),
      },
    },
  }
}

const cases = fc.gen().map((pick: Pick) => ({
  text: textOf(pick, pick(fc.integer, { min: 1, max: 4 })),
  requests: Array.from({ length: 30 }, () => requestOf(pick)),
}))

const transfers = parse('solana.tx.transfers')

/** A part of a test, as a test over all transfers. */
function ofItem(body: Expression): Expression {
  const { start, end } = body
  return { kind: 'predicate', of: transfers, method: 'any', variable: 't', body, start, end }
}

/** The parts that contain a place, with the value that makes the expression true. */
function partsAround(
  expression: Expression,
  offset: number,
  wanted: boolean,
): readonly (readonly [Expression, boolean])[] {
  if (offset < expression.start || offset >= expression.end) return []
  const own = [expression, wanted] as const
  switch (expression.kind) {
    case 'and':
    case 'or':
      return [own, ...expression.operands.flatMap((operand) => partsAround(operand, offset, wanted))]
    case 'not':
      return [own, ...partsAround(expression.operand, offset, !wanted)]
    case 'comparison': {
      const { left, right } = expression
      return [own, ...(right.kind === 'boolean' ? partsAround(left, offset, wanted === right.value) : [])]
    }
    case 'predicate': {
      const inner = partsAround(expression.body, offset, true)
      return [
        ...(expression.method === 'filter' ? [] : [own]),
        ...inner.map(([part, value]) => [ofItem(value ? part : not(part)), true] as const),
        ...partsAround(expression.of, offset, true),
      ]
    }
    case 'field':
    case 'name':
      return []
    default:
      return [own]
  }
}

function not(operand: Expression): Expression {
  const { start, end } = operand
  return { kind: 'not', operand, start, end }
}

test('whatever is named is never true, and a rule that is never true as a whole is not either', {
  timeout: 60_000 + numRuns * 10,
}, () => {
  const seen = { named: 0, never: 0 }
  fc.assert(
    fc.property(cases, ({ text, requests }) => {
      const { expression } = check(parse(text), 'condition', text)
      const is = (part: Expression, value: boolean) =>
        requests.some((keywords) =>
          [true, false].some((guards) => {
            const evaluation = evaluate(part, { keywords, guards })
            return evaluation.kind === 'value' && evaluation.value === value
          }),
        )
      if (isNeverTrue(expression, 'condition')) {
        seen.never += 1
        expect(is(expression, true), text).toBe(false)
        if (!text.includes('false') && !text.includes('true')) {
          expect(contradictionsIn(expression, 'condition'), text).not.toEqual([])
        }
      }
      for (const { offset, message } of contradictionsIn(expression, 'condition')) {
        seen.named += 1
        const around = partsAround(expression, offset, true)
        expect(
          around.some(([part, wanted]) => !is(part, wanted)),
          `${text}: ${offset + 1}: ${message}`,
        ).toBe(true)
      }
    }),
    { numRuns },
  )
  expect(seen.named).toBeGreaterThan(numRuns / 20)
  expect(seen.never).toBeGreaterThan(numRuns / 50)
})
