import { describe, expect, test } from 'vitest'
import { realRequests } from '../../../../test/support/signing_facts.ts'
import { isList, isMap, isStruct, type Value } from '../expression_values.ts'
import { type ExpressionKind, keywords } from '../names/keywords.ts'
import type { Type } from '../names/types.ts'
import { parse } from '../reading/parse.ts'
import { check } from './check.ts'

function problemsOf(text: string, kind: ExpressionKind = 'condition'): readonly string[] {
  return check(parse(text), kind, text).neverEqual.map(({ offset, message }) => `${offset + 1}: ${message}`)
}

const u64 = 'from 0 to 18446744073709551615'
const u63 = 'from 0 to 9223372036854775807'
const chainId = 'from 0 to 9223372036854775771'
const u256 = `from 0 to ${2n ** 256n - 1n}`

describe('a written number that a field never has is named', () => {
  test.each([
    [
      'wallet_account.path_indexes.contains(2147483692)',
      '38: wallet_account.path_indexes is never 2147483692; it is from 0 to 2147483647',
    ],
    [
      '2147483692 in wallet_account.path_indexes',
      '1: wallet_account.path_indexes is never 2147483692; it is from 0 to 2147483647',
    ],
    [
      'wallet_account.path_indexes[0] in [44, 2147483692]',
      '40: wallet_account.path_indexes[0] is never 2147483692; it is from 0 to 2147483647',
    ],
    ['[-5, 1].contains(eth.tx.chain_id)', `2: eth.tx.chain_id is never -5; it is ${chainId}`],
    ['eth.tx.chain_id == -1', `20: eth.tx.chain_id is never -1; it is ${chainId}`],
    ['eth.tx.chain_id != 0 + -1', `20: eth.tx.chain_id is never -1; it is ${chainId}`],
    ['eth.tx.value < 0', `16: eth.tx.value is never < 0; it is ${u256}`],
    ['0 > eth.tx.value', `1: eth.tx.value is never < 0; it is ${u256}`],
    ['eth.tx.value > -1', `16: eth.tx.value is always > -1; it is ${u256}`],
    ['eth.tx.value >= -1', `17: eth.tx.value is always >= -1; it is ${u256}`],
    [
      'solana.tx.spl_transfers.any(t, t.amount > 18446744073709551615)',
      `43: t.amount is never > 18446744073709551615; it is ${u64}`,
    ],
    [
      'solana.tx.spl_transfers.any(t, t.amount >= 18446744073709551616)',
      `44: t.amount is never >= 18446744073709551616; it is ${u64}`,
    ],
    [
      'solana.tx.priority_fee <= 18446744073709551616',
      `27: solana.tx.priority_fee is always <= 18446744073709551616; it is ${u64}`,
    ],
    [
      'solana.tx.compute_unit_limit > 1400000',
      '32: solana.tx.compute_unit_limit is never > 1400000; it is from 0 to 1400000',
    ],
    ["spent('eth.tx.value', '24h') < 0", "32: spent('eth.tx.value', '24h') is never < 0; it is 0 or more"],
    [
      'bitcoin.tx.fee < 2100000000000001',
      '18: bitcoin.tx.fee is always < 2100000000000001; it is from 0 to 2100000000000000',
    ],
    ["spent('tron.tx.fee_limit', '24h') < 0", "37: spent('tron.tx.fee_limit', '24h') is never < 0; it is 0 or more"],
    ['eth.tx.gas > 18446744073709551615', `14: eth.tx.gas is never > 18446744073709551615; it is ${u64}`],
    [
      'eth.tx.nonce == 18446744073709551615',
      '17: eth.tx.nonce is never 18446744073709551615; it is from 0 to 18446744073709551614',
    ],
    ['eth.tx.chain_id == 9223372036854775772', `20: eth.tx.chain_id is never 9223372036854775772; it is ${chainId}`],
    [
      'eth.eip_7702_authorization.nonce > 18446744073709551614',
      '36: eth.eip_7702_authorization.nonce is never > 18446744073709551614; it is from 0 to 18446744073709551614',
    ],
    ['tron.tx.contract.any(c, c.amount < 0)', `36: c.amount is never < 0; it is ${u63}`],
    ['tron.tx.fee_limit == -1', `22: tron.tx.fee_limit is never -1; it is ${u63}`],
    ['tron.tx.contract.count() > 1', '28: tron.tx.contract.count() is never > 1; it is from 0 to 1'],
    ['tron.tx.contract.count() == 2', '29: tron.tx.contract.count() is never 2; it is from 0 to 1'],
    ['tron.tx.contract[1].amount > 5', '18: tron.tx.contract has 1 items at most'],
    [
      'tron.tx.contract.filter(c, c.amount > 5).count() > 1',
      '52: tron.tx.contract.filter(c, c.amount > 5).count() is never > 1; it is from 0 to 1',
    ],
    [
      'eth.tx.value > 5 && solana.tx.instructions.count() < 0',
      '54: solana.tx.instructions.count() is never < 0; it is 0 or more',
    ],
  ])('%s', (text, problem) => {
    expect(problemsOf(text)).toContain(problem)
  })

  test('in a consensus', () => {
    expect(problemsOf('approvers.count() >= -1', 'consensus')).toEqual([
      '22: approvers.count() is always >= -1; it is 0 or more',
    ])
  })

  test.each([
    // They say that the field exists.
    'eth.tx.value >= 0',
    'solana.tx.priority_fee <= 18446744073709551615',
    'solana.tx.compute_unit_limit > 1399999',
    'eth.eip_712.domain.chain_id < 0',
    'eth.eip_7702_authorization.chain_id > 9223372036854775807',
    'eth.tx.gas == 18446744073709551615',
    'eth.tx.nonce == 18446744073709551614',
    'eth.tx.chain_id == 9223372036854775771',
    'eth.tx.value == 0',
    'eth.tx.value <= 0',
    'eth.tx.value > 0',
    'tron.tx.contract.count() == 1',
    'wallets.count() > 0',
    'wallets.count() > 5 || wallets.count() == 900',
    'tron.tx.contract[0].amount > 5',
    'tron.tx.contract.any(c, c.amount == 9223372036854775807)',
    'wallet_account.path_indexes.contains(2147483647)',
    'eth.tx.value + eth.tx.gas > -5',
    '[eth.tx.value, 5].contains(-1)',
    'solana.tx.compute_unit_limit == eth.tx.value',
    "eth.tx.contract_call_args['delta'] < 0",
  ])('others are not: %s', (text) => {
    expect(problemsOf(text).filter((problem) => /is (never|always)|at most/.test(problem))).toEqual([])
  })
})

test('no number of a real request is outside of its range, and no list longer than its type says', () => {
  const seen = new Set<string>()
  for (const { facts } of realRequests) {
    for (const [name, value] of Object.entries(facts)) {
      const type = keywords.condition.get(name)
      if (type !== undefined && value !== undefined) measure(name, type, value, seen)
    }
  }
  expect(seen.size).toBeGreaterThan(20)
})

function measure(path: string, type: Type, value: Value, seen: Set<string>): void {
  if (typeof value === 'bigint') {
    if (type.kind !== 'int' || type.range === undefined) return
    seen.add(path)
    expect(value >= type.range.min && value <= (type.range.max ?? value), `${path} is ${value}`).toBe(true)
  } else if (isList(value)) {
    if (type.kind !== 'list') return
    if (type.itemsMax !== undefined) expect(value.length, path).toBeLessThanOrEqual(type.itemsMax)
    for (const item of value) measure(path, type.item, item, seen)
  } else if (typeof value === 'object' && !isMap(value) && isStruct(value) && type.kind === 'struct') {
    for (const [name, field] of Object.entries(value)) {
      const typeOfField = type.fields.get(name)
      if (typeOfField !== undefined && field !== undefined) measure(`${path}.${name}`, typeOfField, field, seen)
    }
  }
}
