import { describe, expect, test } from 'vitest'
import { realRequests } from '../../../../test/support/signing_facts.ts'
import { isList, isMap, isStruct, type Value } from '../expression_values.ts'
import { keywords } from '../names/keywords.ts'
import type { Type } from '../names/types.ts'
import { parse } from '../reading/parse.ts'
import { check } from './check.ts'

function problemsOf(text: string): readonly string[] {
  return check(parse(text), 'condition', text).neverEqual.map(({ offset, message }) => `${offset + 1}: ${message}`)
}

describe('a written index or slice that nothing has is named', () => {
  test.each([
    ['solana.tx.transfers[-1].amount > 5', '21: no index is below 0'],
    ["eth.tx.contract_call_args['path'][0 + -1] == 'a'", '35: no index is below 0'],
    ["eth.tx.data[-4..10] == 'a9059cbb'", '13: no index is below 0'],
    ['solana.tx.transfers[0..-1].any(t, t.amount > 5)', '24: no index is below 0'],
    ["eth.tx.data[10..2] == ''", '13: the slice 10..2 ends before it begins'],
    ['solana.tx.transfers[1..0].any(t, t.amount > 5)', '21: the slice 1..0 ends before it begins'],
    ["eth.tx.to[40..44] == 'abcd'", '15: eth.tx.to has 42 characters at most'],
    ["eth.tx.to[42] == 'a'", '11: eth.tx.to has 42 characters at most'],
    ["eth.tx.to[50..eth.tx.nonce] == 'a'", '11: eth.tx.to has 42 characters at most'],
    ["eth.tx.function_signature[2..11] == 'a9059cbb0'", '30: eth.tx.function_signature has 10 characters at most'],
    ["eth.tx.data[2..10][4..12] == 'a9059cbb'", '23: eth.tx.data[2..10] has 8 characters at most'],
    ["eth.tx.to[2..eth.tx.nonce][0..41] == 'a'", '31: eth.tx.to[2..eth.tx.nonce] has 40 characters at most'],
    ["bitcoin.tx.outputs.any(o, o.address[60..64] == 'aaaa')", '41: o.address has 62 characters at most'],
    ["tron.tx.contract.any(c, c.to_address[34] == 'a')", '38: c.to_address has 34 characters at most'],
    ["solana.tx.account_keys[0][44] == 'a'", '27: solana.tx.account_keys[0] has 44 characters at most'],
    ["wallet.id[36] == 'a'", '11: wallet.id has 36 characters at most'],
    ["wallet_account.public_key[64..68] == 'aaaa'", '31: wallet_account.public_key has 66 characters at most'],
    ["activity.action[0..8] == 'SIGNINGS'", '20: activity.action has 7 characters at most'],
    ["['a', 'b'][2] == wallet.label", "12: ['a', 'b'] has 2 items at most"],
    ["wallet.label in ['a'][0..2]", "26: ['a'] has 1 items at most"],
    ["['a', 'b'].filter(x, x != 'a')[2] == wallet.label", "32: ['a', 'b'].filter(x, x != 'a') has 2 items at most"],
    ["wallet.label in ['a'][1..1]", '23: the slice 1..1 has no items'],
    ['solana.tx.transfers[3..3].any(t, t.amount > 5)', '21: the slice 3..3 has no items'],
  ])('%s', (text, problem) => {
    expect(problemsOf(text)).toContain(problem)
  })

  test.each([
    "eth.tx.to[41] == '4'",
    "eth.tx.to[42..42] == ''",
    "eth.tx.data[0..0] == ''",
    "eth.tx.data[2000..2008] == 'a9059cbb'",
    "eth.tx.to[eth.tx.nonce..42] == 'a'",
    "wallet.label[90] == 'a'",
    'solana.tx.transfers[90].amount > 5',
    "['a', 'b'][1] == wallet.label",
    "wallet.label in ['a', 'b'][1..2]",
  ])('others are not: %s', (text) => {
    expect(problemsOf(text).filter((problem) => /index is|ends before|at most|no items/.test(problem))).toEqual([])
  })
})

test('no text of a real request is longer than its form says', () => {
  const seen = new Set<string>()
  for (const { facts } of realRequests) {
    for (const [name, value] of Object.entries(facts)) {
      const type = keywords.condition.get(name)
      if (type !== undefined && value !== undefined) measure(type, value, seen)
    }
  }
  expect(seen.size).toBeGreaterThan(5)
})

function measure(type: Type, value: Value, seen: Set<string>): void {
  if (typeof value === 'string') {
    const { charactersMax, name } = (type.kind === 'string' ? type.form : undefined) ?? {}
    if (charactersMax === undefined || name === undefined) return
    seen.add(name.template)
    expect(value.length, value).toBeLessThanOrEqual(charactersMax)
  } else if (isList(value)) {
    if (type.kind === 'list') for (const item of value) measure(type.item, item, seen)
  } else if (typeof value === 'object' && !isMap(value) && isStruct(value) && type.kind === 'struct') {
    for (const [name, field] of Object.entries(value)) {
      const typeOfField = type.fields.get(name)
      if (typeOfField !== undefined && field !== undefined) measure(typeOfField, field, seen)
    }
  }
}

describe('a key that can be no name is named with its column', () => {
  const aName = '; a key is a name of letters, digits, $ and _'
  const ofProgram = 'solana.tx.instructions[0].parsed_instruction_data'
  const ascii = '; a key is a name of printable ASCII without blanks, quotes and . : ( ) , [ ]'
  test.each([
    ["eth.tx.contract_call_args['to '] == 'a'", 27, "eth.tx.contract_call_args has no key 'to '; did you mean 'to'?"],
    ["eth.tx.contract_call_args[''] == 'a'", 27, `eth.tx.contract_call_args has no key ''${aName}`],
    ["eth.tx.contract_call_args['a-b'] == 'a'", 27, `eth.tx.contract_call_args has no key 'a-b'${aName}`],
    ["eth.tx.contract_call_args['1a'] == 'a'", 27, `eth.tx.contract_call_args has no key '1a'${aName}`],
    ["eth.tx.contract_call_args['аmount'] == 1", 27, `eth.tx.contract_call_args has no key 'аmount'${aName}`],
    [
      "eth.tx.contract_call_args['order']['to\u200b'] == 'a'",
      36,
      "eth.tx.contract_call_args['order'] has no key 'to\u200b'; did you mean 'to'?",
    ],
    ["eth.eip_712.message['a b'] == 'a'", 21, `eth.eip_712.message has no key 'a b'${ascii}`],
    ["eth.eip_712.message['details.amount'] == 1", 21, `eth.eip_712.message has no key 'details.amount'${ascii}`],
    ["eth.eip_712.message['to:'] == 'a'", 21, `eth.eip_712.message has no key 'to:'${ascii}`],
    [`eth.eip_712.message['"to"'] == 'a'`, 21, `eth.eip_712.message has no key '"to"'${ascii}`],
    ["eth.eip_712.message['to']['wallets[0]'] == 'a'", 27, `eth.eip_712.message['to'] has no key 'wallets[0]'${ascii}`],
    [
      `${ofProgram}.named_accounts['from '] == 'ADDRESS_TABLE_LOOKUP'`,
      66,
      `${ofProgram}.named_accounts has no key 'from '; did you mean 'from'?`,
    ],
    [
      `${ofProgram}.program_call_args['a.b'] == 1`,
      69,
      `${ofProgram}.program_call_args has no key 'a.b'; a key is a name of letters, digits and _`,
    ],
  ])('%s', (text, column, reason) => {
    expect(problemsOf(text)).toEqual([`${column}: ${reason}`])
  })

  test.each([
    "eth.tx.contract_call_args['$_a1'] == 'a'",
    "eth.tx.contract_call_args['0'] == 'a'",
    "eth.tx.contract_call_args['order']['3'][1]['to'] == 'a'",
    "eth.eip_712.message['@type']['a-b'] == 'a'",
    `${ofProgram}.named_accounts['group.from'] == 'ADDRESS_TABLE_LOOKUP'`,
    `${ofProgram}.program_call_args['max_bids'] == 1`,
    "secret.static_properties['any text at all'] == 'a'",
  ])('and not in %s', (text) => {
    expect(problemsOf(text)).toEqual([])
  })
})
