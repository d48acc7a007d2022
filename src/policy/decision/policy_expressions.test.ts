import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generatedExpression, type Pick } from '../../../test/support/policy_generator.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import {
  activityActions,
  activityKindOf,
  activityResources,
  exposedParameters,
} from '../language/names/activity_types.ts'
import type { ExpressionKind } from '../language/names/keywords.ts'
import { print } from '../language/reading/print.ts'
import {
  compileCondition,
  compileConsensus,
  compileExpressions,
  compileTime,
  evaluateExpression,
  expressionPathsIn,
  refuseNeverEqual,
  truthOf,
} from './policy_expressions.ts'

const compilers = { consensus: compileConsensus, condition: compileCondition, time: compileTime }

function refusalOf(kind: ExpressionKind, text: string): string {
  try {
    refuseNeverEqual(compilers[kind](text), `parameters.${kind}`)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const prefix = `invalid policy ${kind}: parameters.${kind}: `
    expect(error.message.startsWith(prefix)).toBe(true)
    expect(error.fieldPath).toBe(`parameters.${kind}`)
    expect(error.code).toBe(`POLICY_${kind.toUpperCase()}_INVALID`)
    return error.message.slice(prefix.length)
  }
  return 'accepted'
}

describe('a condition is refused with the column and what was expected', () => {
  test.each([
    // Symbols.
    ['eth.tx.value = 1', 'column 14: found "="; compare with =='],
    ['eth.tx.to == "0x"', `column 14: found "\\""; strings stand in single quotes: 'like this'`],
    ['‘a’ == ‘b’', `column 1: found "‘"; strings stand in straight single quotes: 'like this'`],
    ['true & true', 'column 6: found "&"; and is written &&'],
    ['true | true', 'column 6: found "|"; or is written ||'],
    ['3 - 2 == 1', 'column 3: found "-"; there is no subtraction; add the term on the other side of the comparison'],
    ['3 -2 == 1', 'column 3: found "-"; there is no subtraction; add the term on the other side of the comparison'],
    ['[3][0]-2 == 1', 'column 7: found "-"; there is no subtraction; add the term on the other side of the comparison'],
    ['(3)-2 == 1', 'column 4: found "-"; there is no subtraction; add the term on the other side of the comparison'],
    ["'a'-2 == 1", 'column 4: found "-"; there is no subtraction; add the term on the other side of the comparison'],
    ['3 * 2 == 6', 'column 3: found "*"; there is no multiplication'],
    ['6 / 2 == 3', 'column 3: found "/"; there is no division'],
    ['6 % 2 == 0', 'column 3: found "%"; there is no remainder'],
    ["{ id: 'a' }", 'column 1: found "{"; there are no structs to write, only to read'],
    ['true ? true : false', 'column 6: found "?"; there is no conditional operator; use && and ||'],
    ['true;', 'column 5: found ";"; a text holds one expression'],
    ['true # yes', 'column 6: found "#"'],
    ['true\u00a0&& true', 'column 5: found "\u00a0"'],
    // Integers and strings.
    ['1.5 < 2', 'column 1: there are no fractions; amounts are in the smallest unit, such as wei'],
    ['0x10 == 1', 'column 1: an integer is written in decimal digits alone: no 0x, no exponent, no underscore'],
    ['1e18 == 1', 'column 1: an integer is written in decimal digits alone: no 0x, no exponent, no underscore'],
    ['1_000 == 1', 'column 1: an integer is written in decimal digits alone: no 0x, no exponent, no underscore'],
    ['007 == 7', 'column 1: an integer does not begin with 0; without quotes it is a number, not an address'],
    ['-00 == 0', 'column 1: an integer does not begin with 0; without quotes it is a number, not an address'],
    [`${2n ** 256n} == 1`, 'column 1: an integer is between -2^127 and 2^256 - 1'],
    [`${-(2n ** 127n) - 1n} == 1`, 'column 1: an integer is between -2^127 and 2^256 - 1'],
    [`${'9'.repeat(80)} == 1`, 'column 1: an integer is between -2^127 and 2^256 - 1'],
    ["'abc", "column 1: this string has no closing '; inside a string a quote is written \\'"],
    ["'abc\\", "column 5: after a backslash a string has ' or another backslash, nothing else"],
    ["'a\\n' == 'b'", "column 3: after a backslash a string has ' or another backslash, nothing else"],
    ["'a\nb' == 'c'", 'column 3: a string holds no line breaks and no control characters'],
    ["'it's' == 'a'", "column 13: this string has no closing '; inside a string a quote is written \\'"],
    // Structure.
    [' ', 'column 2: expected a value, found the end of the text'],
    ['true &&', 'column 8: expected a value, found the end of the text'],
    ['&& true', "column 1: expected a value, found '&&'"],
    ['true true', "column 6: expected an operator or the end, found 'true'"],
    ['true 1', 'column 6: expected an operator or the end, found the integer 1'],
    ["true 'a'", 'column 6: expected an operator or the end, found a string'],
    ['(true', "column 6: expected ')', found the end of the text"],
    ['true)', "column 5: expected an operator or the end, found ')'"],
    ['[1, 2', "column 6: expected ']', found the end of the text"],
    ['[1, ] == 1', "column 5: expected a value, found ']'"],
    ['[1 2].count() == 2', "column 4: expected ']', found the integer 2"],
    ['1 < 2 < 3', 'column 7: comparisons are not chained; write a < b && b < c, or use parentheses'],
    ['1 == 1 == true', 'column 8: comparisons are not chained; write a < b && b < c, or use parentheses'],
    ['1 in [1] in [true]', 'column 10: comparisons are not chained; write a < b && b < c, or use parentheses'],
    ['true and false', "column 6: expected an operator or the end, found 'and'; write &&"],
    ['true OR false', "column 6: expected an operator or the end, found 'OR'; write ||"],
    ['not true', "column 1: expected a value, found 'not'; write !"],
    ['in [1]', "column 1: expected a value, found 'in'"],
    ['1 not in [1]', "column 3: expected an operator or the end, found 'not'; write !"],
    ['eth.', 'column 5: expected the name of a field or method, found the end of the text'],
    ['eth.tx.data[0..', 'column 16: expected a value, found the end of the text'],
    ['eth.tx.data[..2]', "column 13: expected a value, found '..'"],
    ['[1].map(x, x)', 'column 5: there is no method map; there are all, any, filter, contains, count'],
    ['[1].cuont() == 1', "column 5: there is no method cuont; did you mean 'count'?"],
    ['[1].any(x == 1)', "column 11: expected ',', found '=='"],
    ['[1].any(1, true)', 'column 9: expected a name for the items, as in any(item, item == 1), found the integer 1'],
    ['[1].any(true, true)', 'column 9: true cannot name a variable'],
    ['[1].any(false, true)', 'column 9: false cannot name a variable'],
    ['1 in -5', "column 6: expected a list after 'in', found an integer"],
    [
      'eth.tx.value -2 == 1',
      'column 14: found "-"; there is no subtraction; add the term on the other side of the comparison',
    ],
    ['1 == -x', 'column 6: found "-"; there is no subtraction; add the term on the other side of the comparison'],
    ['[1].any(in, true)', 'column 9: in cannot name a variable'],
    ['[1].count(1) == 1', "column 11: expected ')', found the integer 1"],
    ['[1].contains() == 1', "column 14: expected a value, found ')'"],
    ['lenght(eth.tx.data) == 1', 'column 1: there is no function lenght'],
    ["Spent('eth.tx.value', '1d') < 1", "column 1: there is no function Spent; did you mean 'spent'?"],
    ["spent(eth.tx.value, '1d') < 1", "column 7: expected spent('<field>', '<duration>'), found 'eth'"],
    ["spent('eth.tx.value') < 1", "column 21: expected ',', found ')'"],
    ["spent('eth.tx.value', '1d', 1) < 1", "column 27: expected ')', found ','"],
    [
      "spent('eth.tx.value', '8 days') < 1",
      "column 23: expected whole days, hours and minutes up to 7 days, such as '8h', '90m' or '1d12h'",
    ],
    ...[
      'eth.tx.valu',
      'eth.tx.to',
      'eth.tx',
      'eth',
      '',
      'wallet.id',
      'activity.params.otp_length',
      'solana.tx.transfers.amount',
      'eth.eip_712.domain.chain_id',
      'eth.tx.value.x',
      'eth.tx.contract_call_args.x',
    ].map((path) => [
      `spent('${path}', '1d') < 1`,
      `column 1: expected an integer field of a transaction, such as 'eth.tx.value', found '${path}'`,
    ]),
    // Names.
    ['(eth . tx . valu ) == 1', "column 13: eth . tx has no field valu; did you mean 'value'?"],
    ['eth.tx.valu == 1', "column 8: eth.tx has no field valu; did you mean 'value'?"],
    [
      'eth.tx.amount == 1',
      'column 8: eth.tx has no field amount; it has type, from, to, data, value, gas, gas_price, max_fee_per_gas, max_priority_fee_per_gas, max_fee_per_blob_gas, chain_id, nonce, function_name, function_signature, contract_call_args',
    ],
    [
      'eth.tx.constructor == 1',
      'column 8: eth.tx has no field constructor; it has type, from, to, data, value, gas, gas_price, max_fee_per_gas, max_priority_fee_per_gas, max_fee_per_blob_gas, chain_id, nonce, function_name, function_signature, contract_call_args',
    ],
    ["walet.id == 'a'", "column 1: there is no keyword walet; did you mean 'wallet'?"],
    [
      'users.count() == 1',
      'column 1: there is no keyword users; condition has activity, wallet, wallets, private_key, wallet_account, controls, secret, eth, solana, tron, bitcoin, tempo',
    ],
    [
      `${'x'.repeat(41)} == 1`,
      `column 1: there is no keyword ${'x'.repeat(41)}; condition has activity, wallet, wallets, private_key, wallet_account, controls, secret, eth, solana, tron, bitcoin, tempo`,
    ],
    ['wallets.any(item, itm.exported)', "column 19: there is no keyword itm; did you mean 'item'?"],
    ['approvers.count() > 1', 'column 1: approvers can be read in consensus, not in condition'],
    ['time.now > 1', 'column 1: time can be read in time, not in condition'],
    ["Timestamp('2026-01-01T00:00:00Z') == 1", 'column 1: Timestamp can be used in time, not in condition'],
    [
      'wallets.any(w, true) && w.exported',
      'column 25: there is no keyword w; condition has activity, wallet, wallets, private_key, wallet_account, controls, secret, eth, solana, tron, bitcoin, tempo',
    ],
    [
      'wallets.any(wallet, wallet.exported)',
      'column 13: the variable of .any cannot be called wallet: that name has a meaning here already',
    ],
    [
      '[1].any(x, [2].all(x, true))',
      'column 20: the variable of .all cannot be called x: that name has a meaning here already',
    ],
    ["activity.action == 'EXPROT'", "column 20: activity.action is never 'EXPROT'; did you mean 'EXPORT'?"],
    [
      "'SIGNING' != activity.action",
      "column 1: activity.action is never 'SIGNING'; it is one of CREATE, UPDATE, DELETE, SIGN, EXPORT, IMPORT, VERIFY, ENCRYPT, READ",
    ],
    ["activity.action in ['SIGN', 'sign']", "column 29: activity.action is never 'sign'; did you mean 'SIGN'?"],
    [
      "['SIGN', 'EXPORTS'].contains(activity.action)",
      "column 10: activity.action is never 'EXPORTS'; did you mean 'EXPORT'?",
    ],
    ["eth.tx.type == 'TYPE_9'", "column 16: eth.tx.type is never 'TYPE_9'; did you mean 'TYPE_1'?"],
    // Types.
    ['eth.tx.value', 'column 1: expected a boolean, found an integer'],
    ["eth.tx.value == '100'", 'column 17: expected an integer, found a string; write 100 without quotes'],
    ["'-1' == eth.tx.value", 'column 9: expected a string, found an integer; write -1 without quotes'],
    [
      "eth.tx.value > '100'",
      'column 16: expected an integer or a timestamp beside >, found a string; write 100 without quotes',
    ],
    ["eth.tx.value in ['1']", 'column 17: expected an integer, found a string'],
    ["'a' < 'b'", 'column 1: expected an integer or a timestamp beside <, found a string'],
    ['true <= false', 'column 1: expected an integer or a timestamp beside <=, found a boolean'],
    ['eth.tx.to + 1 == 2', 'column 1: expected an integer, found a string'],
    ["1 + '1' == 2", 'column 5: expected an integer, found a string; write 1 without quotes'],
    ['1 + true == 2', 'column 5: expected an integer, found a boolean'],
    ['!1', 'column 2: expected a boolean, found an integer'],
    ['true && 1', 'column 9: expected a boolean, found an integer'],
    ["'true' || true", 'column 1: expected a boolean, found a string'],
    [
      'wallet == wallet',
      'column 1: expected a string, an integer, a boolean or a timestamp to compare, found a wallet',
    ],
    ['[1] == [1]', 'column 1: expected a string, an integer, a boolean or a timestamp to compare, found a list'],
    ['[1] in [1]', 'column 1: expected a string, an integer, a boolean or a timestamp to compare, found a list'],
    [
      'wallet in wallets',
      'column 1: expected a string, an integer, a boolean or a timestamp to compare, found a wallet',
    ],
    ["'a' in wallet.label", "column 8: expected a list after 'in', found a string"],
    ["'a' in eth.tx.contract_call_args", "column 8: expected a list after 'in', found a map"],
    ["wallet.label.contains('a')", 'column 1: expected a list before .contains, found a string'],
    ['wallet.label.count() == 1', 'column 1: expected a list before .count, found a string'],
    ['eth.tx.any(x, true)', 'column 1: expected a list before .any, found an Ethereum transaction'],
    ["[1, 'a'].count() == 2", 'column 5: expected an integer like the item before, found a string'],
    ['[wallet].count() == 1', 'column 2: expected a string, an integer or a boolean in a written list, found a wallet'],
    ['[[1]].count() == 1', 'column 2: expected a string, an integer or a boolean in a written list, found a list'],
    ['[1].any(x, x)', 'column 12: expected a boolean, found an integer'],
    ["eth.tx.data['a'] == 'b'", 'column 13: expected an integer, found a string'],
    ['eth.tx.contract_call_args[0] == 1', 'column 27: expected a string, found an integer'],
    ["eth.tx.contract_call_args['a'][true] == 1", 'column 32: expected an index or a key, found a boolean'],
    [
      'eth.tx.contract_call_args.to == 1',
      "column 27: eth.tx.contract_call_args is read by key: eth.tx.contract_call_args['to']",
    ],
    [
      "eth.eip_712.message['a'].b == 1",
      "column 26: eth.eip_712.message['a'] is read by key: eth.eip_712.message['a']['b']",
    ],
    ["wallet['id'] == 'a'", 'column 7: wallet is a wallet; its fields are read with a dot'],
    [
      'wallets.label == 1',
      'column 9: wallets is a list; read an item by wallets[0] or use any, all, filter, contains, count',
    ],
    ['wallet.id.length == 1', 'column 1: expected something with fields before .length, found a string'],
    ['1[0] == 1', 'column 1: expected a list, a map or a string before [, found an integer'],
    ['1[0..1] == 1', 'column 1: expected a list or a string before [..], found an integer'],
    ["eth.tx.data[0..'1'] == 'a'", 'column 16: expected an integer, found a string; write 1 without quotes'],
    ["eth.tx.data['0'..1] == 'a'", 'column 13: expected an integer, found a string; write 0 without quotes'],
  ])('%s', (text, refusal) => {
    expect(refusalOf('condition', text)).toBe(refusal)
  })

  test.each([
    ['consensus', "wallet.id == 'a'", 'column 1: wallet can be read in condition, not in consensus'],
    ['consensus', "spent('eth.tx.value', '1d') < 1", 'column 1: spent can be used in condition, not in consensus'],
    ['time', "CronSpan('0 9 * * *', '8h')", "column 27: expected ',', found ')'"],
    [
      'time',
      "CronSpan('0 9 * *', '8h', 'UTC')",
      'column 10: expected five fields: minute (0-59), hour (0-23), day of month (1-31), month (1-12), day of week (0-6, 0 is Sunday); numbers, ranges, lists and * only',
    ],
    [
      'time',
      "CronSpan('0 9 30 2 *', '8h', 'UTC')",
      'column 10: expected a schedule that fires at least once: no month named here has such a day',
    ],
    [
      'time',
      "CronSpan('0 9 * * *', '8d', 'UTC')",
      "column 23: expected whole days, hours and minutes up to 7 days, such as '8h', '90m' or '1d12h'",
    ],
    [
      'time',
      "CronSpan('0 9 * * *', '8h', 'CEST')",
      "column 29: expected the name of an IANA time zone, such as 'Europe/Berlin' or 'UTC'",
    ],
    [
      'time',
      "time.now > Timestamp('2026-01-01T00:00:00+01:00')",
      "column 22: expected a time in UTC such as '2026-03-01T00:00:00Z' (RFC 3339, offset zero)",
    ],
    ['time', 'time.now > 1', 'column 12: expected a timestamp, found an integer'],
    ['time', "time.now == '2026-01-01T00:00:00Z'", 'column 13: expected a timestamp, found a string'],
    ['time', 'Timestamp(1) == time.now', "column 11: expected Timestamp('<time>'), found the integer 1"],
    ['time', 'time.now + 1 > time.now', 'column 1: expected an integer, found a timestamp'],
    ['time', "activity.action == 'SIGN'", 'column 1: activity can be read in condition, not in time'],
  ] as const)('as is, in a %s: %s', (kind, text, refusal) => {
    expect(refusalOf(kind, text)).toBe(refusal)
  })
})

test('a refusal names the field that holds the text', () => {
  for (const compile of Object.values(compilers)) {
    expect(() => compile('1', 'parameters.policies[3].rule')).toThrow(
      expect.objectContaining({ fieldPath: 'parameters.policies[3].rule' }),
    )
  }
})

describe('limits', () => {
  const padded = (length: number) => `true${' '.repeat(length - 4)}`
  const nested = (depth: number) => `${'('.repeat(depth)}true${')'.repeat(depth)}`

  test.each([
    ['characters', padded(10_000), padded(10_001), 'column 10001: an expression has at most 10000 characters'],
    ['parentheses', nested(50), nested(51), 'column 52: an expression is nested at most 50 deep'],
    [
      'negations',
      `${'!'.repeat(50)}true`,
      `${'!'.repeat(51)}true`,
      'column 52: an expression is nested at most 50 deep',
    ],
    [
      'accesses',
      `[true]${'[0..1]'.repeat(49)}[0]`,
      `[true]${'[0..1]'.repeat(50)}[0]`,
      'column 308: an expression is nested at most 50 deep',
    ],
    [
      'items',
      `1 in [${'1,'.repeat(499)}1]`,
      `1 in [${'1,'.repeat(500)}1]`,
      'column 1007: a list has at most 500 items',
    ],
  ])('on %s hold at the number and not before it', (_name, last, tooMuch, refusal) => {
    expect(refusalOf('condition', last)).toBe('accepted')
    expect(refusalOf('condition', tooMuch)).toBe(refusal)
  })

  test.each([
    ['indexes', `${'[1][0 + '.repeat(48)}0${']'.repeat(48)} == 1`],
    ['keys', `${"eth.eip_712.message['a'][".repeat(12)}'a'${']'.repeat(12)} == 1`],
    ['slices', `${'[1][0..'.repeat(48)}1${'].count()'.repeat(48)} == 1`],
    ['predicates', `${Array.from({ length: 24 }, (_, index) => `[1].any(x${index}, `).join('')}true${')'.repeat(24)}`],
    ['lists', `${'1 in [1 + [1].filter(x, '.repeat(1)}true).count()]`],
    ['negations', `${'!('.repeat(24)}true${')'.repeat(24)}`],
    ['comparisons', `${'(true == '.repeat(48)}true${')'.repeat(48)}`],
  ])('each part is looked at once, or %s within one another would take for ever', (_name, text) => {
    expect(refusalOf('condition', text)).toBe('accepted')
  })

  test('a long chain is not deep', () => {
    const chain = Array.from({ length: 1200 }, () => 'true').join(' && ')
    expect(evaluateExpression(compileCondition(chain), { keywords: {} })).toEqual({ kind: 'value', value: true })
  })

  test.each([
    ['parentheses', '('.repeat(100_000)],
    ['parentheses, 1,000 of them', nested(1000)],
    ['brackets', '['.repeat(9999)],
    ['negations', '!'.repeat(10_000)],
    ['fields', `a${'.a'.repeat(4999)}`],
    ['indexes', `a${'[0'.repeat(4999)}`],
    ['predicates', '[1].any(x,'.repeat(900)],
    ['digits', '9'.repeat(10_000)],
    ['quotes', "'\\".repeat(5000)],
    ['a name', `${'n'.repeat(9990)}.x`],
  ])('%s without end are refused', (_name, text) => {
    expect(refusalOf('condition', text)).not.toBe('accepted')
  })
})

describe('a text compiles or is refused with a Failure', () => {
  const kinds = Object.keys(compilers) as ExpressionKind[]
  const compileOrRefuse = (kind: ExpressionKind, text: string) => {
    try {
      const compiled = compilers[kind](text)
      const evaluation = evaluateExpression(compiled, { keywords: {} })
      expect(['value', 'error']).toContain(evaluation.kind)
    } catch (error) {
      expect(error).toBeInstanceOf(Failure)
    }
  }
  const numRuns = Number(process.env.CLAVIGER_CASES ?? 2000)
  const pieces = [
    'eth',
    '.',
    'tx',
    'value',
    '==',
    "'",
    "'a'",
    '[',
    ']',
    '(',
    ')',
    '..',
    '1',
    '-',
    '&&',
    '||',
    '!',
    'in',
    ',',
    'any',
    'x',
    'count',
    '\\',
    ' ',
    '+',
    'spent',
    'CronSpan',
    "'* * * * *'",
    "'1h'",
    "'UTC'",
    '__proto__',
    'constructor',
  ]

  test('arbitrary', { timeout: 60_000 + numRuns }, () => {
    fc.assert(fc.property(fc.constantFrom(...kinds), fc.string({ unit: 'binary', maxLength: 200 }), compileOrRefuse), {
      numRuns,
    })
  })

  test('of the pieces of the language', { timeout: 60_000 + numRuns }, () => {
    const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))
    fc.assert(fc.property(fc.constantFrom(...kinds), texts, compileOrRefuse), { numRuns })
  })

  test('well-formed, then changed in a place or two', { timeout: 60_000 + numRuns * 5 }, () => {
    const mutated = fc.gen().map((pick: Pick) => {
      const kind = pick(fc.constantFrom, ...kinds)
      let text = print(generatedExpression(pick, kind))
      for (let times = pick(fc.integer, { min: 1, max: 3 }); times > 0; times--) {
        const at = pick(fc.integer, { min: 0, max: text.length })
        const length = pick(fc.integer, { min: 0, max: 3 })
        text = text.slice(0, at) + pick(fc.constantFrom, '', ...pieces) + text.slice(at + length)
      }
      return { kind, text }
    })
    fc.assert(
      fc.property(mutated, ({ kind, text }) => compileOrRefuse(kind, text)),
      { numRuns },
    )
  })
})

describe('a compiled expression', () => {
  test('of the empty text is true in every field', () => {
    for (const compile of Object.values(compilers)) {
      expect(evaluateExpression(compile(''), { keywords: {} })).toEqual({ kind: 'value', value: true })
      expect(compile('').spentTerms).toEqual([])
    }
  })

  test('names the sums that it needs, each once, from left to right', () => {
    const text =
      "spent('eth.tx.value', '24h') < 1 && [1].any(x, spent('bitcoin.tx.fee', '1d') + spent('eth.tx.value', '1d') == x) || spent('eth.tx.value', '1h') == 0"
    expect(compileCondition(text).spentTerms).toEqual([
      { path: 'eth.tx.value', durationMs: 86_400_000 },
      { path: 'bitcoin.tx.fee', durationMs: 86_400_000 },
      { path: 'eth.tx.value', durationMs: 3_600_000 },
    ])
  })

  test('of a type that the request decides is an error unless it is a boolean', () => {
    const flag = compileCondition("eth.tx.contract_call_args['flag']")
    const withFlag = (value: boolean | bigint) => ({
      keywords: { eth: { tx: { contract_call_args: new Map([['flag', value]]) } } },
    })
    expect(evaluateExpression(flag, withFlag(true))).toEqual({ kind: 'value', value: true })
    expect(evaluateExpression(flag, withFlag(1n))).toEqual({
      kind: 'error',
      code: 'TYPE_MISMATCH',
      column: 1,
      message: 'expected a boolean, found an integer',
    })
  })
})

describe('the expressions of a policy', () => {
  test('are compiled by their kind, and absent ones are true', () => {
    const given = { condition: 'eth.tx.value == 1', consensus: 'approvers.count() == 1', time: 'time.now == time.now' }
    expect(compileExpressions(given)).toEqual({
      condition: compileCondition(given.condition),
      consensus: compileConsensus(given.consensus),
      time: compileTime(given.time),
    })
    const texts = Object.values(compileExpressions({})).map(({ text }) => text)
    expect(texts).toEqual(['', '', ''])
  })

  test.each(['condition', 'consensus', 'time'] as const)('name the field of a wrong %s', (name) => {
    const pathOf = (compile: () => unknown) => {
      try {
        compile()
      } catch (error) {
        return error instanceof Failure ? error.fieldPath : error
      }
      return 'accepted'
    }
    expect(pathOf(() => compileExpressions({ [name]: '&' }))).toBe(`parameters.${name}`)
    expect(pathOf(() => compileExpressions({ [name]: '&' }, expressionPathsIn('policy')))).toBe(`policy.${name}`)
  })

  test('are true, false, or undefined for an error', () => {
    const truth = (text: string) =>
      truthOf(compileCondition(text), { keywords: { eth: { tx: { value: 1n, data: '' } } } })
    expect(truth('eth.tx.value == 1')).toBe(true)
    expect(truth('eth.tx.value == 2')).toBe(false)
    expect(truth('eth.tx.gas == 2')).toBeUndefined()
    expect(truth("eth.tx.data[5] == 'a'")).toBeUndefined()
  })
})

describe('the names of activities in conditions', () => {
  test.each([
    ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'SIGN_TRANSACTION'],
    ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2', 'SIGN_TRANSACTION'],
    ['ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V12', 'CREATE_SUB_ORGANIZATION'],
    ['ACTIVITY_TYPE_OAUTH2_AUTHENTICATE', 'OAUTH2_AUTHENTICATE'],
    ['ACTIVITY_TYPE_UPDATE_ROOT_QUORUM', undefined],
    ['ACTIVITY_TYPE_ACCEPT_INVITATION_V2', undefined],
    ['ACTIVITY_TYPE_APPROVE_ACTIVITY', undefined],
    ['ACTIVITY_TYPE_SET_IP_ALLOWLIST', undefined],
  ])('%s is of kind %s', (activityType, kind) => {
    expect(activityKindOf(activityType)).toBe(kind)
  })

  test.each([
    ['SIGN_RAW_PAYLOAD', ['hash_function', 'encoding']],
    ['SIGN_TRANSACTION', ['type']],
    ['DELETE_API_KEYS', ['user_id', 'api_key_ids']],
    ['SPARK_PREPARE_TRANSFER', ['sign_with', 'transfer']],
    ['CREATE_WALLET', []],
  ])('%s shows the parameters %j', (kind, parameters) => {
    expect([...exposedParameters(kind).keys()]).toEqual(parameters)
  })

  test('resources and actions are those of the interface, and reading', () => {
    expect(activityResources).toHaveLength(25)
    expect(new Set(activityResources).size).toBe(25)
    expect(activityActions).toHaveLength(9)
  })
})
