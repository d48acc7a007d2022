import { describe, expect, test } from 'vitest'
import { check } from './check.ts'
import { evaluate } from './evaluate.ts'
import { areAlike } from './guards.ts'
import { parse } from './parse.ts'

const max = 2n ** 256n - 1n

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
