import { describe, expect, test } from 'vitest'
import { spentTerms } from '../checking/spent.ts'
import type { Value } from '../expression_values.ts'
import { parse } from '../reading/parse.ts'
import { type Clause, type Environment, evaluate } from './evaluate.ts'
import { stepsMax } from './run.ts'

const tx = {
  value: 5n,
  to: '0xAb',
  data: '0x12345678',
  nothing: undefined,
  big: 2n ** 256n,
  largest: 2n ** 256n - 1n,
  small: -(2n ** 127n) - 1n,
  smallest: -(2n ** 127n),
  args: new Map<string, Value>([
    ['a', 1n],
    ['list', [1n, 2n]],
    ['big', 2n ** 256n],
    ['digits', '5000'],
  ]),
}
const keywords = {
  eth: { tx },
  flags: [true, false],
  ages: [1n, 2n ** 256n],
  mixed: [1n, 'a'],
  flag: true,
  name: 'ß😀',
  time: { now: 0n },
}
const environment: Environment = {
  keywords,
  spent: (path, durationMs) => (path === 'known' ? BigInt(durationMs) : undefined),
}

function resultOf(text: string): Value | string {
  const evaluation = evaluate(parse(text), environment)
  return evaluation.kind === 'value'
    ? evaluation.value
    : `${evaluation.code} ${evaluation.column} ${evaluation.message}`
}

describe('the value of an expression', () => {
  test.each<[string, Value]>([
    ['true', true],
    ['-7', -7n],
    ['[5].filter(azAZ_09, azAZ_09 == 5)', [5n]],
    [
      '[5].any(a, a == 5) && [5].any(z, z == 5) && [5].any(A, A == 5) && [5].any(Z, Z == 5) && [5].any(_, _ == 5)',
      true,
    ],
    ['[ -12 ,\t-7\n,\r0][0]', -12n],
    ["'a\\'b\\\\c'", "a'b\\c"],
    ['[]', []],
    ['[1, 2, 3][1..3]', [2n, 3n]],
    ['[1, 2, 3].filter(x, x != 2)', [1n, 3n]],
    ['[1, 2].filter(x, [2, 3].any(y, x == y))', [2n]],
    ['1 + 2 + -3', 0n],
    [`${2n ** 256n - 1n} + 1 + -1`, 2n ** 256n - 1n],
    ["spent('known', '1h') + 1", 3_600_001n],
    ['name[0]', 'ß'],
    ['name[1..3]', '😀'],
    ['eth.tx.largest', 2n ** 256n - 1n],
    ['eth.tx.smallest', -(2n ** 127n)],
    // Only written integers have a range.
    ['eth.tx.big', 2n ** 256n],
    ['eth.tx.small', -(2n ** 127n) - 1n],
    ["eth.tx.args['big']", 2n ** 256n],
    ['ages[1]', 2n ** 256n],
    ['1 in ages', true],
    ['ages.any(x, x > 1)', true],
    ['eth.tx.largest + 1', 2n ** 256n],
    ['eth.tx.smallest + -1', -(2n ** 127n) - 1n],
    [Array.from({ length: 300 }, () => 'eth.tx.big').join(' + '), 300n * 2n ** 256n],
    ['eth.tx.largest + eth.tx.largest > eth.tx.largest', true],
    ['eth.tx.small + eth.tx.small < eth.tx.small', true],
    ["eth.tx.args['list'][1]", 2n],
    ["Timestamp('1970-01-01T00:00:00.001Z')", 1n],
  ])('%s', (text, value) => {
    expect(resultOf(text)).toEqual(value)
  })

  test.each([
    ['1 == 1', true],
    ['1 == 2', false],
    ['1 != 1', false],
    ['1 != 2', true],
    ['1 < 2', true],
    ['2 < 2', false],
    ['3 < 2', false],
    ['1 <= 2', true],
    ['2 <= 2', true],
    ['3 <= 2', false],
    ['1 > 2', false],
    ['2 > 2', false],
    ['3 > 2', true],
    ['1 >= 2', false],
    ['2 >= 2', true],
    ['3 >= 2', true],
    ['true && true', true],
    ['true && false', false],
    ['false && true', false],
    ['false && false', false],
    ['true || true', true],
    ['true || false', true],
    ['false || true', true],
    ['false || false', false],
    ['!true', false],
    ['!false', true],
    ['!!true', true],
    ['true == true', true],
    ['true == false', false],
    ['1 in [1]', true],
    ['1 in [2, 1]', true],
    ['1 in [2]', false],
    ['1 in []', false],
    ['[1].contains(1)', true],
    ['[2].contains(1)', false],
    ['[1, 2].all(x, x > 0)', true],
    ['[1, 2].all(x, x > 1)', false],
    ['[].all(x, x > 1)', true],
    ['[1, 2].any(x, x > 1)', true],
    ['[1, 2].any(x, x > 2)', false],
    ['[].any(x, x > 1)', false],
    ["'a' == 'a'", true],
    ["'a' == 'A'", false],
    ["'a' == 'ab'", false],
    ["'0xAB' == '0xab'", true],
    ["'0xAB' != '0xab'", false],
    ["'0xab' in ['0xAB']", true],
    ["['0xAB'].contains('0xab')", true],
    ["'0Xab' == '0xab'", false],
    ["'0xAG' == '0xag'", false],
    ["'ab' == 'AB'", false],
    ["'x0AB' == 'x0ab'", false],
    ["'0x' == '0x'", true],
    ["'0x09afAF' == '0X09AFaf'", false],
    ["'0x09afAF' == '0x09AFaf'", true],
    ["'0xA/' == '0xa/'", false],
    ["'0xA:' == '0xa:'", false],
    ["'0xA@' == '0xa@'", false],
    ["'0xA`' == '0xa`'", false],
    ["'0xAB' == '0xabc'", false],
    ["'0xgA' == '0xga'", false],
    ["'0xAg' == '0xag'", false],
    ["'0xA0' == '0xa1'", false],
    ["'0x@A' == '0x`a'", false],
    ["eth.tx.to == '0xaB'", true],
    // Binding strength.
    ['true || false && false', true],
    ['false && false || true', true],
    ['!false && false', false],
    ['!true == false', true],
    ['1 + 1 == 2 && 3 > 1 + 1', true],
    ['1 in [1] && 2 in [2]', true],
    ['!flags[0] || flags[1]', false],
    ['false == true || true', true],
  ])('%s is %s', (text, value) => {
    expect(resultOf(text)).toBe(value)
  })
})

describe('an expression is an error with a code and a column', () => {
  test.each([
    ['wallet.id', 'MISSING_FIELD 1 field does not exist: wallet'],
    ['eth.eip_712.domain', 'MISSING_FIELD 1 field does not exist: eth.eip_712'],
    ['1 == eth.tx.nothing', 'MISSING_FIELD 6 field does not exist: eth.tx.nothing'],
    ['__proto__', 'MISSING_FIELD 1 field does not exist: __proto__'],
    ['constructor', 'MISSING_FIELD 1 field does not exist: constructor'],
    ['eth.tx.toString', 'MISSING_FIELD 1 field does not exist: eth.tx.toString'],
    ['eth.tx.__proto__', 'MISSING_FIELD 1 field does not exist: eth.tx.__proto__'],
    ["eth.tx.args['__proto__']", "MISSING_FIELD 1 field does not exist: eth.tx.args['__proto__']"],
    ["eth.tx.args['size']", "MISSING_FIELD 1 field does not exist: eth.tx.args['size']"],
    ['eth.tx.args.size', 'TYPE_MISMATCH 1 eth.tx.args is a map, not a struct'],
    ['flags.length', 'TYPE_MISMATCH 1 flags is a list, not a struct'],
    ['name.length', 'TYPE_MISMATCH 1 name is a string, not a struct'],
    ["spent('unknown', '1h')", 'MISSING_FIELD 1 the sum of unknown is not known here'],
    // Nothing is skipped.
    ['true || wallet', 'MISSING_FIELD 9 field does not exist: wallet'],
    ['false && wallet', 'MISSING_FIELD 10 field does not exist: wallet'],
    ['false && true && wallet', 'MISSING_FIELD 18 field does not exist: wallet'],
    ['[1, 2].any(x, x == 1 || wallet)', 'MISSING_FIELD 25 field does not exist: wallet'],
    ['[1, 2].any(x, [true][x + -1])', 'INDEX_OUT_OF_RANGE 15 there is no index 1: the length is 1'],
    ['[2, 1].all(x, [false][x + -1])', 'INDEX_OUT_OF_RANGE 15 there is no index 1: the length is 1'],
    ['1 in mixed', 'TYPE_MISMATCH 1 cannot compare an integer with a string'],
    // Indexes.
    ['flags[2]', 'INDEX_OUT_OF_RANGE 1 there is no index 2: the length is 2'],
    ['flags[-1]', 'INDEX_OUT_OF_RANGE 1 there is no index -1: the length is 2'],
    [`flags[${2n ** 64n}]`, 'INDEX_OUT_OF_RANGE 1 there is no index 18446744073709551616: the length is 2'],
    ["'abc'[3]", 'INDEX_OUT_OF_RANGE 1 there is no index 3: the length is 3'],
    ["''[0]", 'INDEX_OUT_OF_RANGE 1 there is no index 0: the length is 0'],
    ["'abc'[1..4]", 'INDEX_OUT_OF_RANGE 1 there is no slice 1..4: the length is 3'],
    ["'abc'[2..1]", 'INDEX_OUT_OF_RANGE 1 there is no slice 2..1: the length is 3'],
    ["'abc'[-1..1]", 'INDEX_OUT_OF_RANGE 1 there is no slice -1..1: the length is 3'],
    ["'abc'[4..4]", 'INDEX_OUT_OF_RANGE 1 there is no slice 4..4: the length is 3'],
    ['eth.tx.args[0]', 'TYPE_MISMATCH 13 expected a string as the key of a map, found an integer'],
    ["flags['0']", 'TYPE_MISMATCH 7 expected an integer as the index, found a string'],
    ['flag[0]', 'TYPE_MISMATCH 1 expected a list, a map or a string, found a boolean'],
    ['eth[0]', 'TYPE_MISMATCH 1 expected a list, a map or a string, found a struct'],
    ['flag[0..1]', 'TYPE_MISMATCH 1 expected a list or a string, found a boolean'],
    ["flags['0'..1]", 'TYPE_MISMATCH 7 expected an integer, found a string'],
    ["flags[0..'1']", 'TYPE_MISMATCH 10 expected an integer, found a string'],
    // Types in expressions that were never checked.
    ['!1', 'TYPE_MISMATCH 2 expected a boolean, found an integer'],
    ["true && 'a'", 'TYPE_MISMATCH 9 expected a boolean, found a string'],
    ['[true, 1].any(x, x)', 'TYPE_MISMATCH 18 expected a boolean, found an integer'],
    ['1 + true', 'TYPE_MISMATCH 5 expected an integer, found a boolean'],
    ['flag.count()', 'TYPE_MISMATCH 1 expected a list, found a boolean'],
    ['eth.tx.args.contains(1)', 'TYPE_MISMATCH 1 expected a list, found a map'],
    ['name.any(x, true)', 'TYPE_MISMATCH 1 expected a list, found a string'],
    ["'a' in name", "TYPE_MISMATCH 8 expected a list after 'in', found a string"],
    ["1 == '1'", 'TYPE_MISMATCH 1 cannot compare an integer with a string'],
    ['flags != flags', 'TYPE_MISMATCH 1 cannot compare a list with a list'],
    ['eth == 1', 'TYPE_MISMATCH 1 cannot compare a struct with an integer'],
    ["1 < '2'", 'TYPE_MISMATCH 5 expected an integer beside <, found a string'],
    ['true >= 2', 'TYPE_MISMATCH 1 expected an integer beside >=, found a boolean'],
  ])('%s', (text, error) => {
    expect(resultOf(text)).toBe(error)
  })

  test('for a CronSpan without a time', () => {
    const text = "CronSpan('* * * * *', '1m', 'UTC')"
    const messageWith = (given: Environment['keywords']) => {
      const evaluation = evaluate(parse(text), { keywords: given })
      return evaluation.kind === 'error' ? `${evaluation.code} ${evaluation.message}` : evaluation.value
    }
    expect(messageWith({})).toBe('MISSING_FIELD field does not exist: time')
    expect(messageWith({ time: {} })).toBe('MISSING_FIELD field does not exist: time.now')
    expect(messageWith({ time: { now: 'noon' } })).toBe(
      'TYPE_MISMATCH expected a timestamp as time.now, found a string',
    )
    expect(messageWith({ time: { now: -1n } })).toBe('NO_DATE time.now is no date')
    expect(messageWith({ time: { now: 253_402_300_800_000n } })).toBe('NO_DATE time.now is no date')
    expect(messageWith({ time: { now: 253_402_300_799_999n } })).toBe(true)
    expect(messageWith({ time: 1n })).toBe(true)
    expect(messageWith({ time: { now: 0n } })).toBe(true)
  })

  test('for a sum that the environment does not know', () => {
    expect(evaluate(parse("spent('known', '1h')"), { keywords: {} })).toMatchObject({ code: 'MISSING_FIELD' })
  })
})

describe('in a rule that guards', () => {
  const lists = new Map<string, Value>([
    ['amounts', [{ amount: 5n }, {}, { amount: 9n }]],
    ['nothing', [{}, {}]],
    ['kinds', [1n, 'a', true]],
    ['maps', [{ args: new Map([['b', 9n]]) }]],
  ])
  const guarding: Environment = { keywords: { ...keywords, lists }, guards: true }
  const guardedResultOf = (text: string) => {
    const evaluation = evaluate(parse(text), guarding)
    return evaluation.kind === 'value' ? evaluation.value : evaluation.code
  }

  test.each<[string, boolean | string]>([
    // What lies beyond the end, or is of another type, equals nothing.
    ["eth.tx.data[0..20] == '0x12'", false],
    ["eth.tx.data[0..20] != '0x12'", true],
    ["'0x12' != eth.tx.data[0..20]", true],
    ["!(eth.tx.data[0..20] == '0x12')", true],
    ["eth.tx.data[0..20] in ['0x12']", false],
    ["['0x12'].contains(eth.tx.data[0..20])", false],
    ["eth.tx.data[0..20] == '0x12' || eth.tx.value == 5", true],
    ["eth.tx.data[0..20] == '0x12' || contains.x", 'MISSING_FIELD'],
    ["eth.tx.args['list'][2] > 0", false],
    ["eth.tx.args['list'][2] <= 0", false],
    ["eth.tx.args['list'][2] + 1 > 0", false],
    // In a sum it counts as 0 beside what is there.
    ["eth.tx.args['list'][1] + eth.tx.args['list'][2] > 1", true],
    ["eth.tx.args['list'][2] + eth.tx.args['list'][1] + 1 == 3", true],
    ["eth.tx.args['list'][1] + eth.tx.args['list'][2] > 2", false],
    ["!(eth.tx.args['list'][1] + eth.tx.args['list'][2] <= 1)", true],
    ["eth.tx.args['list'][2] + eth.tx.args['list'][3] < 5", false],
    ["eth.tx.args['a'] + eth.tx.args['list'] > 0", true],
    ["lists['amounts'][0].amount + lists['amounts'][1].amount > 4", true],
    ["lists['amounts'].any(x, x.amount + x.fee > 8)", true],
    ["lists['amounts'].any(x, x.amount + x.fee > 9)", 'MISSING_FIELD'],
    ["lists['nothing'].any(x, x.amount + 5 > 0)", 'MISSING_FIELD'],
    ["eth.tx.args['a'] + eth.tx.args['none'] > 0", true],
    ['eth.tx.value + wallet.id > 0', 'MISSING_FIELD'],
    ["eth.tx.args['list'][2] > 0 || flag", true],
    ['flags[2] || flag', true],
    ['!flags[2]', true],
    ["eth.tx.args['a'] == 'text' || flag", true],
    ["eth.tx.args['a'] != 'text'", true],
    // An integer in quotes equals the integer.
    ["eth.tx.args['a'] == '1'", true],
    ["eth.tx.args['a'] != '1'", false],
    ["eth.tx.args['a'] in ['0', '1']", true],
    ["eth.tx.args['a'] == '01'", false],
    ["eth.tx.args['list'].contains('2')", true],
    ["eth.tx.args['list'] == 1 || flag", true],
    ["eth.tx.args['list'] < 1 || flag", true],
    ["eth.tx.args['a'] || flag", true],
    ["eth.tx.args['a'].any(x, x == 1) || flag", true],
    // So are its digits where it is ordered or added up.
    ["eth.tx.args['digits'] > 1000", true],
    ["eth.tx.args['digits'] < 1000", false],
    ["5001 > eth.tx.args['digits']", true],
    ["eth.tx.args['digits'] + eth.tx.args['a'] == 5001", true],
    ['name > 0 || flag', true],
    // A text that says no number may say one to whoever reads the request.
    ['name > 0', 'UNREADABLE'],
    ['!(name > 0)', 'UNREADABLE'],
    ['name + 1 > 5', 'UNREADABLE'],
    ['name > 0 && !flag', false],
    // Nor does it hide the other items of a list.
    ["1 in lists['kinds']", true],
    ["'a' in lists['kinds']", true],
    ["lists['kinds'].contains('b')", false],
    ["2 in [eth.tx.args['list'][1], eth.tx.args['list'][2]]", true],
    ["2 in [eth.tx.args['list'][2], eth.tx.args['list'][1]]", true],
    ["3 in [eth.tx.args['list'][1], eth.tx.args['list'][2]]", false],
    ["[eth.tx.args['list'][1], eth.tx.args['list'][2]].contains(2)", true],
    ["[eth.tx.args['list'][1], eth.tx.args['list'][2]].any(x, x == 2)", true],
    ["![eth.tx.args['list'][1], eth.tx.args['list'][2]].all(x, x == 2)", true],
    ["[eth.tx.args['list'][1], eth.tx.args['list'][2]].count() == 2", true],
    ["2 in eth.tx.args['list'][0..9]", true],
    ["3 in eth.tx.args['list'][0..9]", false],
    ["eth.tx.args['list'][0..9].any(x, x == 2)", true],
    ["!eth.tx.args['list'][0..9].all(x, x > 0)", false],
    ["eth.tx.args['list'][0..9].count() == 2", true],
    ["eth.tx.args['list'][0..9].count() != 9", true],
    ["eth.tx.args['list'][0..9].filter(x, x == 2).count() == 1", true],
    ["eth.tx.args['list'][0..9].filter(x, x != 1).count() > 0", true],
    ["eth.tx.args['list'][7..9].any(x, x != 1)", false],
    ["eth.tx.args['list'][0..9].any(x, x != 1)", true],
    ["[eth.tx.args['list'][2]].any(x, x != 1)", true],
    ["[eth.tx.args['list'][2]].filter(x, x != 1).count() == 1", true],
    ["(eth.tx.args['list'][2] in ['0x12']) == false", true],
    ["['0x12'].contains(eth.tx.args['list'][2]) == false", true],
    ["eth.tx.args['a'].any(x, x == 1) == false", true],
    ["eth.tx.args['a'].contains(1) == false", true],
    ["!lists['amounts'][0..9].any(x, x.amount == 5)", false],
    ["5 in [lists['amounts'][1].amount, lists['amounts'][0].amount]", true],
    ["1 in [eth.tx.args['none'], eth.tx.args['a']]", true],
    ["1 in [eth.tx.args['none'], wallet.id]", 'MISSING_FIELD'],
    ["!(1 in [eth.tx.args['none'], wallet.id])", 'MISSING_FIELD'],
    ["2 in eth.tx.args['list'][2..1]", false],
    ["2 in eth.tx.args['list'][0..200000]", true],
    ["lists['kinds'].any(x, x == 'a')", true],
    ["lists['kinds'].all(x, x == 1)", false],
    // A field that an item lacks does not hide the other items.
    ["lists['amounts'].any(x, x.amount == 9)", true],
    ["lists['amounts'].any(x, x.amount == 7)", 'MISSING_FIELD'],
    ["lists['amounts'].all(x, x.amount == 5)", false],
    ["lists['amounts'].all(x, x.amount > 0)", 'MISSING_FIELD'],
    ["lists['nothing'].any(x, x.amount == 9)", 'MISSING_FIELD'],
    ["lists['amounts'].filter(x, x.amount == 9).count() > 0", true],
    ["lists['amounts'].filter(x, x.amount != 9).any(x, x.amount == 5)", true],
    ["lists['nothing'].filter(x, x.amount == 9).count() > 0", 'MISSING_FIELD'],
    ['[0].filter(x, x == 1).count() == 0', true],
    // Nor does it hide the other side.
    ["lists['amounts'][1].amount == 9 || flag", true],
    ["lists['amounts'][1].amount == 9 || !flag", 'MISSING_FIELD'],
    ["lists['nothing'].any(x, x.amount == 9) || flag", true],
    ["lists['nothing'].any(x, x.amount == 9 || flag)", true],
    ["lists['nothing'].any(x, x.amount == 9) && !flag", 'MISSING_FIELD'],
    ["lists['nothing'].any(x, x.amount == 9) && flag", 'MISSING_FIELD'],
    ["!(lists['nothing'].all(x, x.amount == 9) && !flag)", true],
    ["lists['nothing'].any(x, wallet.id == 1) || flag", true],
    ["!lists['nothing'].any(x, wallet.id == 1)", 'MISSING_FIELD'],
    ["!['k'].any(k, wallet.id == k)", 'MISSING_FIELD'],
    ["!lists['nothing'].any(x, lists['nothing'].any(y, x.amount == y.amount))", true],
    // Nor does it make a test of the others true.
    ["!lists['amounts'].all(x, x.amount > 0)", true],
    ["!lists['amounts'].all(x, x.amount == 5)", true],
    ["!lists['amounts'].any(x, x.amount == 7)", true],
    ["!lists['amounts'].any(x, x.amount == 9)", false],
    ["lists['amounts'].any(x, x.amount != 7)", true],
    ["lists['nothing'].any(x, x.amount != 7)", 'MISSING_FIELD'],
    ["lists['nothing'].filter(x, x.amount == 9).count() == 0", true],
    ["lists['amounts'].filter(x, x.amount == 7).count() == 0", true],
    // Nor does a key that a map of an item lacks, such as the arguments of another instruction.
    ["lists['maps'].any(x, x.args['a'] > 5) || lists['maps'].any(x, x.args['b'] > 5)", true],
    ["lists['maps'].any(x, x.args['a'] > 5 || x.args['b'] > 5)", true],
    ["lists['maps'][0].args['a'] > 5 || flag", true],
    ["lists['maps'].any(x, x.args['a'] > 5) && !flag", 'MISSING_FIELD'],
    ["lists['maps'].any(x, x.args['a'] > 5)", 'MISSING_FIELD'],
    ["lists['none'].any(x, x == 1) || flag", true],
    // A field that the request lacks does not hide the other operands.
    ['wallet.id == 1 || flag', true],
    ['flag || wallet.id == 1', true],
    ["eth.tx.args['none'] == 1 || eth.tx.args['a'] == 1", true],
    ['!(wallet.id == 1 && !flag)', true],
    ['wallet.id == 1 && !flag', false],
    // A request of another kind is another kind.
    ['wallet.id == 1', 'MISSING_FIELD'],
    ['wallet.id != 1', 'MISSING_FIELD'],
    ['!(wallet.id == 1)', 'MISSING_FIELD'],
    ['!(wallet.id == 1 && flag)', 'MISSING_FIELD'],
    ['wallet.id == 1 || !flag', 'MISSING_FIELD'],
    ["eth.tx.args['none'] == 1 && flag", 'MISSING_FIELD'],
  ])('%s', (text, result) => {
    expect(guardedResultOf(text)).toBe(result)
  })

  const called = { function_name: 'f', contract_call_args: undefined, to: 'a' }
  const items = [{ data: { instruction_name: 'g', program_call_args: undefined } }, { data: { instruction_name: 'h' } }]
  test.each<[string, boolean | string]>([
    ['call.contract_call_args', 'UNREADABLE'],
    ["call.contract_call_args['x'] == 1", 'UNREADABLE'],
    ["!(call.contract_call_args['x'] == 1)", 'UNREADABLE'],
    ["call.to == 'a' && call.contract_call_args['x'] == 1", 'UNREADABLE'],
    ["call.to == 'b' && call.contract_call_args['x'] == 1", false],
    ["call.contract_call_args['x'] == 1 && call.to == 'b'", false],
    ["call.to == 'a' || call.contract_call_args['x'] == 1", true],
    ["call.to == 'b' || call.contract_call_args['x'] == 1", 'UNREADABLE'],
    // A rule that is never true without the wallet is not evaluated without one.
    ["wallet.id == 'w' && call.contract_call_args['x'] == 1", 'UNREADABLE'],
    ["call.contract_call_args['x'] == 1 && wallet.id == 'w'", 'UNREADABLE'],
    ["!(wallet.id == 'w' && call.contract_call_args['x'] == 1)", 'UNREADABLE'],
    ["!(wallet.id == 'w') || !(call.contract_call_args['x'] == 1)", 'UNREADABLE'],
    ["items.any(i, i.data.program_call_args['x'] == 1)", 'UNREADABLE'],
    ["items.any(i, i.data.instruction_name == 'g' || i.data.program_call_args['x'] == 1)", true],
    ["other.contract_call_args['x'] == 1 && flag", 'MISSING_FIELD'],
  ])('what cannot be read is unknown: %s', (text, result) => {
    const given = { ...keywords, call: called, items, other: { contract_call_args: undefined } }
    const evaluation = evaluate(parse(text), { keywords: given, guards: true })
    expect(evaluation.kind === 'value' ? evaluation.value : evaluation.code).toBe(result)
    expect(evaluate(parse(text), { keywords: given }).kind).toBe('error')
  })

  test.each([
    "account[0..2] == 'ab'",
    "!(account[0..2] != 'ab')",
    "'ab' in [account[0..2]]",
    "account[0] == 'a' && account[1] == 'b'",
    "account[30..32] == 'ab'",
  ])('a part of an account that only a look-up table names is unknown: %s', (text) => {
    const given = { account: 'ADDRESS_TABLE_LOOKUP' }
    expect(evaluate(parse(text), { keywords: given, guards: true })).toMatchObject({ code: 'UNREADABLE' })
    expect(evaluate(parse(text), { keywords: given })).not.toMatchObject({ value: true })
  })

  test.each([
    ['one == other', 'UNREADABLE', 'UNREADABLE'],
    ['one != other', 'UNREADABLE', 'UNREADABLE'],
    ['one in [other]', 'UNREADABLE', 'UNREADABLE'],
    ["one in ['ab', known] || known == 'ab'", 'UNREADABLE', false],
    ["known in [one, 'cd']", true, true],
    ["one == 'ab'", 'UNREADABLE', false],
    ["one != 'ab'", 'UNREADABLE', 'UNREADABLE'],
    ["!(one in ['ab'])", 'UNREADABLE', 'UNREADABLE'],
    ["!(known == 'ab') && known != 'ab' && !!(known == 'cd')", true, true],
    ["!(known == 'cd' && one == 'ab')", 'UNREADABLE', 'UNREADABLE'],
    ["!(one == 'ab') || known == 'cd'", true, 'UNREADABLE'],
    ["one == 'ADDRESS_TABLE_LOOKUP'", true, true],
  ])('two accounts that only look-up tables name may be two: %s', (text, guarded, strict) => {
    const given = { one: 'ADDRESS_TABLE_LOOKUP', other: 'ADDRESS_TABLE_LOOKUP', known: 'cd' }
    const resultOf = (environment: Environment) => {
      const evaluation = evaluate(parse(text), environment)
      return evaluation.kind === 'value' ? evaluation.value : evaluation.code
    }
    expect([resultOf({ keywords: given, guards: true }), resultOf({ keywords: given })]).toEqual([guarded, strict])
  })

  test.each([
    'moves.filter(m, m.to == enemy).count() == 0',
    'moves.filter(m, m.to == enemy).all(m, false)',
    'moves.filter(m, m.to == enemy || m.amount == 1)[0].amount == 1',
    'moves.filter(m, m.to == enemy).count() + 1 < 2',
    'moves.filter(m, moves.filter(n, n.to == enemy).count() == 0).count() == 2',
    '!moves.filter(m, m.to == enemy).any(m, true)',
    'moves.all(m, (m.to == enemy) == false)',
    'moves.all(m, (m.to == enemy) != true)',
    'moves.all(m, [m.to == enemy].any(x, x == false))',
    'moves.all(m, [m.to == enemy].all(x, !x))',
    'moves.all(m, (m.to == enemy) in [false])',
    'moves.all(m, [false].contains(m.to in [enemy]))',
    'moves.all(m, [false].contains([enemy].contains(m.to)))',
    'moves.any(m, m.to == enemy) == false',
    "moves.all(m, m.to[0..4] != 'ABCD')",
  ])('an account that only a look-up table names is in no list that a policy allows: %s', (text) => {
    const moves = [
      { to: 'ADDRESS_TABLE_LOOKUP', amount: 2n },
      { to: 'friend', amount: 1n },
    ]
    const resultOf = (given: readonly Value[]) => evaluate(parse(text), { keywords: { moves: given, enemy: 'enemy' } })
    expect(resultOf(moves)).toMatchObject({ kind: 'error', code: 'UNREADABLE' })
    expect(resultOf(moves.map((move) => ({ ...move, to: 'friend' })))).toEqual({ kind: 'value', value: true })
  })

  test('too many steps end it, also within a test over a list', () => {
    const keywordsOfIt = { x: Array.from({ length: 500 }, () => 1n) }
    const text = 'x.any(a, x.all(b, x.all(c, a == b)))'
    expect(evaluate(parse(text), { keywords: keywordsOfIt, guards: true })).toMatchObject({ code: 'TOO_MANY_STEPS' })
  })
})

test('hex never equals a text that is no hex and differs in one bit', () => {
  const sent = { keywords: { eth: { tx: { to: '0x\u0010', data: '0x0' } } } }
  expect(evaluate(parse("eth.tx.to == '0x0'"), sent)).toEqual({ kind: 'value', value: false })
  expect(evaluate(parse('eth.tx.data == eth.tx.to'), sent)).toEqual({ kind: 'value', value: false })
})

describe('steps are counted', () => {
  const list = (length: number): Value => Array.from({ length }, () => 1n)
  const isTooMuch = (text: string, keywordsOfIt: Environment['keywords']) => {
    const evaluation = evaluate(parse(text), { keywords: keywordsOfIt })
    return evaluation.kind === 'error' && evaluation.code === 'TOO_MANY_STEPS'
  }

  test.each<[string, string, (size: number) => Environment['keywords'], number]>([
    // Three steps are the whole, the list and its name. Each item costs the steps of its body.
    ['each item of a predicate', 'x.all(i, true)', (size) => ({ x: list(size) }), stepsMax - 2],
    ['each part of a body', 'x.all(i, i == 1)', (size) => ({ x: list(size) }), Math.floor((stepsMax - 2) / 4)],
    ['each item that is compared', '1 in x', (size) => ({ x: list(size) }), stepsMax - 3],
    ['each item that contains compares', 'x.contains(1)', (size) => ({ x: list(size) }), stepsMax - 3],
    ['each item of a slice', 'x[0..x.count()]', (size) => ({ x: list(size) }), stepsMax - 5],
  ])('%s', (_name, text, keywordsOf, most) => {
    expect(isTooMuch(text, keywordsOf(most))).toBe(false)
    expect(isTooMuch(text, keywordsOf(most + 1))).toBe(true)
  })

  test.each([
    ['are compared', 'y.all(i, x == x)'],
    ['a slice has', 'y.all(i, x[0..64000] == z)'],
  ])('each 64 characters that %s', (_name, text) => {
    const x = 'a'.repeat(64_000)
    expect(isTooMuch(text, { x, y: list(99), z: 'a' })).toBe(false)
    expect(isTooMuch(text, { x, y: list(100), z: 'a' })).toBe(true)
  })

  test('no more than the items of a slice', () => {
    expect(isTooMuch('x[99900..99950].count() == 50', { x: list(99_999) })).toBe(false)
  })

  test('each CronSpan as five thousand', () => {
    const text = "y.all(i, CronSpan('* * * * *', '1m', 'UTC'))"
    expect(isTooMuch(text, { time: { now: 0n }, y: list(19) })).toBe(false)
    expect(isTooMuch(text, { time: { now: 0n }, y: list(20) })).toBe(true)
  })

  test('nested predicates end', () => {
    const text = 'x.all(a, x.all(b, x.all(c, x.all(d, a == b))))'
    expect(evaluate(parse(text), { keywords: { x: list(500) } })).toMatchObject({
      code: 'TOO_MANY_STEPS',
      message: 'the expression takes more than 100000 steps',
    })
  })
})

test('a trace holds the value of each clause, in the order of evaluation', () => {
  const text = 'eth.tx.value <= 5 && [1, 2].any(x, x == 2)'
  const trace: Clause[] = []
  evaluate(parse(text), environment, trace)
  const shown = trace.map(({ startColumn, endColumn, value }) => [text.slice(startColumn - 1, endColumn - 1), value])
  expect(shown).toEqual([
    ['eth', keywords.eth],
    ['eth.tx', tx],
    ['eth.tx.value', 5n],
    ['eth.tx.value <= 5', true],
    ['[1, 2]', [1n, 2n]],
    ['x', 1n],
    ['x == 2', false],
    ['x', 2n],
    ['x == 2', true],
    ['[1, 2].any(x, x == 2)', true],
    [text, true],
  ])
})

test('a trace of an error holds the clauses before it', () => {
  const trace: Clause[] = []
  expect(evaluate(parse('(1 == 1) && wallet'), environment, trace)).toMatchObject({ kind: 'error', column: 13 })
  expect(trace).toEqual([{ startColumn: 1, endColumn: 9, value: true }])
})

test('a sum that the environment knows is exact', () => {
  const evaluation = evaluate(parse("spent('p', '1h') + 1"), { keywords: {}, spent: () => 2n ** 256n })
  expect(evaluation).toEqual({ kind: 'value', value: 2n ** 256n + 1n })
})

test('the sums of an expression are found in every kind of part', () => {
  const term = (hours: number) => `spent('p', '${hours}h')`
  const text = `!([${term(1)}][${term(2)}] == 1 && x[${term(3)}..${term(4)}].count() == ${term(5)} || [1].contains(${term(6)}) && [${term(7)}].any(i, i == ${term(8)}) == x.y)`
  expect(spentTerms(parse(text)).map(({ durationMs }) => durationMs / 3_600_000)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('a bug of the environment is not taken for an error of the expression', () => {
  const broken: Environment = {
    keywords: {},
    spent: () => {
      throw new RangeError('out of memory')
    },
  }
  expect(() => evaluate(parse("spent('p', '1h')"), broken)).toThrow(RangeError)
})

test('an error that a guard goes on after takes as many steps as it takes time', () => {
  const items = (count: number) =>
    parse(`[${Array.from({ length: count }, () => '1').join(', ')}].any(x, user.id == 'a')`)
  const stepsOf = (count: number) => {
    const meter = { steps: 0 }
    evaluate(items(count), { keywords: {}, guards: true, meter })
    return meter.steps
  }
  const ofTenErrors = stepsOf(20) - stepsOf(10)
  expect(ofTenErrors).toBeGreaterThanOrEqual(400)
  expect(ofTenErrors).toBeLessThan(500)
})
