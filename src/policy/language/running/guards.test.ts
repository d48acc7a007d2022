import { describe, expect, test } from 'vitest'
import { check } from '../checking/check.ts'
import { parse } from '../reading/parse.ts'
import { evaluate } from './evaluate.ts'
import { areAlike } from './guards.ts'

const max = 2n ** 256n - 1n

describe('an amount that typed data has as a text, in a rule that guards', () => {
  const outcomes = (amount: string, test: string, guards = true) => {
    const { expression } = check(parse(`eth.eip_712.message['amount'] ${test}`), 'condition', '')
    const message = new Map([['amount', amount]])
    const evaluation = evaluate(expression, { keywords: { eth: { eip_712: { message } } }, guards })
    return evaluation.kind === 'value' ? evaluation.value : evaluation.code
  }

  test.each([
    '1000000',
    '1000000.0',
    '1000000.',
    '01000000',
    '+1000000',
    ' 1000000\n',
    '1e6',
    '1E+6',
    '1.0e6',
    '10000000e-1',
    '0xf4240',
    '0X0F4240',
  ])('%j is a million', (amount) => {
    expect(['> 999999', '> 1000000', '>= 1000000', '+ 1 == 1000001'].map((test) => outcomes(amount, test))).toEqual([
      true,
      false,
      true,
      true,
    ])
    expect(outcomes(amount, '> 1000', false)).toBe('TYPE_MISMATCH')
  })

  test.each([
    ['5000.5', '> 5000', true],
    ['5000.5', '> 5001', false],
    ['5000.5', '>= 5001', false],
    ['5000.5', '< 5001', true],
    ['-0.5', '< 0', true],
    ['-0.5', '> -1', true],
    ['.5', '> 0', true],
    ['1.7976931348623157e+308', '> 1000', true],
    ['5e-324', '> 0', true],
    ['5e-324', '>= 1', false],
    // A fraction is compared, and not added up.
    ['5000.5', '+ 1 > 10000', 'UNREADABLE'],
  ])('%j %s', (amount, test, outcome) => {
    expect(outcomes(amount, test)).toBe(outcome)
  })

  test.each([
    '1,000,000',
    '1 000 000',
    '1_000_000',
    '',
    ' ',
    '.',
    '+',
    'e6',
    '0x',
    '-0x5',
    '0b1',
    '１０００',
    'NaN',
    'Infinity',
    '1e9999',
    `0x${'f'.repeat(65)}`,
    '9'.repeat(1_001),
    'a million',
  ])('%j is unknown', (amount) => {
    for (const test of ['> 1000', '<= 1000', '+ 1 > 1000']) expect(outcomes(amount, test)).toBe('UNREADABLE')
  })

  test('a text of many digits takes no long time', () => {
    const start = performance.now()
    for (let count = 0; count < 100; count++) outcomes(`${'0'.repeat(100_000)}x`, '> 1000')
    expect(performance.now() - start).toBeLessThan(1_000)
  })
})

describe('an amount that the message does not say, in a rule that guards', () => {
  test.each([
    ['transfers.any(t, t.amount + fee > 1000)', 'UNREADABLE'],
    ['!transfers.all(t, t.amount + fee <= 1000)', 'UNREADABLE'],
    ['transfers[0].amount + transfers[1].amount > 1000', 'UNREADABLE'],
    ['transfers.any(t, t.amount + fee > 1000 || t.instruction_name == "CloseAccount")'.replaceAll('"', "'"), true],
    ['transfers.any(t, t.amount + 1 > 1000)', 'UNREADABLE'],
    ['transfers.any(t, t.amount > 1000)', 'UNREADABLE'],
    ["transfers.any(t, t.amount > 1000 && t.to != 'b')", false],
    // What an item does not have at all counts as 0.
    ['contracts.any(c, c.amount + c.call_value > 1000)', 'MISSING_FIELD'],
  ])('%s', (text, outcome) => {
    const keywords = {
      fee: 5n,
      transfers: [
        { instruction_name: 'CloseAccount', from: 'a', to: 'b', amount: undefined },
        { instruction_name: 'Transfer', from: 'a', to: 'b', amount: 5n },
      ],
      contracts: [{ type: 'TransferContract', amount: 5n }],
    }
    const evaluation = evaluate(parse(text), { keywords, guards: true })
    expect(evaluation.kind === 'value' ? evaluation.value : evaluation.code).toBe(outcome)
  })
})

describe('values of two types that are equal in a rule that guards', () => {
  test.each([
    [5n, '5'],
    [-5n, '-5'],
    [5n, '0x5'],
    [5n, '0x05'],
    [max, `0x${max.toString(16)}`],
    [0xabcdn, '0xAbCd'],
    [0xabcdn, '0XABCD'],
    [true, 'true'],
    [false, 'false'],
  ])('%s and %s', (one, other) => {
    expect(areAlike(one, other)).toBe(true)
    expect(areAlike(other, one)).toBe(true)
  })

  test.each([
    [5n, '05'],
    [5n, ' 5'],
    [5n, '0x6'],
    [5n, '0x'],
    [0n, ''],
    [0n, '0x'],
    [5n, `0x${'0'.repeat(64)}5`],
    [-5n, '-0x5'],
    [1n, 'true'],
    [true, 'True'],
    [true, '1'],
    [true, 1n],
    [false, ''],
    [10n ** 18n, '1e18'],
    [[], ''],
  ])('%s and %s are not', (one, other) => {
    expect(areAlike(one, other)).toBe(false)
    expect(areAlike(other, one)).toBe(false)
  })

  test('an argument of a call, in a guard and nowhere else', () => {
    const args = new Map<string, boolean | bigint>([
      ['approved', true],
      ['amount', 5n],
    ])
    const keywords = { eth: { tx: { contract_call_args: args } } }
    for (const test of ["['approved'] == 'true'", "['approved'] != 'false'", "['amount'] in ['0x05', '7']"]) {
      const { expression } = check(parse(`eth.tx.contract_call_args${test}`), 'condition', '')
      expect(evaluate(expression, { keywords, guards: true })).toEqual({ kind: 'value', value: true })
      expect(evaluate(expression, { keywords })).toMatchObject({ code: 'TYPE_MISMATCH' })
    }
  })
})
