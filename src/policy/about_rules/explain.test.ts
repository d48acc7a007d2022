import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generatedEnvironment, generatedExpression, type Pick } from '../../../test/support/policy_generator.ts'
import {
  compileCondition,
  compileConsensus,
  compileExpressions,
  compileTime,
  evaluateExpression,
} from '../decision/policy_expressions.ts'
import type { Struct } from '../language/expression_values.ts'
import type { ExpressionKind } from '../language/names/keywords.ts'
import { print } from '../language/reading/print.ts'
import { explain, trace } from './explain.ts'

const nowMs = Date.UTC(2026, 6, 6, 12)
const keywords: Struct = {
  activity: { action: 'SIGN', kind: 'SIGN_TRANSACTION' },
  eth: { tx: { to: '0xab', value: 5000n, contract_call_args: new Map([['path', ['a', 'b']]]) } },
}
const because = (text: string) => trace(compileCondition(text), { keywords }).because

describe('the deciding clause', () => {
  test.each([
    ['eth.tx.value <= 1000', '`eth.tx.value <= 1000` is false, `eth.tx.value` is 5000'],
    ["eth.tx.to == '0xab' && eth.tx.value <= 1000", '`eth.tx.value <= 1000` is false, `eth.tx.value` is 5000'],
    ["eth.tx.value > 1 || eth.tx.to == '0xcd'", '`eth.tx.value > 1` is true, `eth.tx.value` is 5000'],
    ["!(eth.tx.value > 1 && eth.tx.to == '0xab')", "`(eth.tx.value > 1 && eth.tx.to == '0xab')` is true"],
    ["eth.tx.value < 1 || eth.tx.to in ['0xcd']", 'is false, `eth.tx.value < 1` is false'],
    ["['0xcd'].any(x, x == eth.tx.to)", "is false, `['0xcd']` is ['0xcd']"],
    ['true', '`true` is true'],
    ['false && true', '`false` is false'],
    ['!true', '`true` is true'],
    ['!( false ) || eth.tx.value < 1', '`( false )` is false'],
    ["wallet.id == 'w' || eth.tx.value < 1", 'column 1: field does not exist: wallet'],
  ])('of %s', (text, expected) => {
    expect(because(text)).toContain(expected)
  })

  test('is shortened where it is long', () => {
    const long = `'${'x'.repeat(900)}'`
    const texts = Array.from({ length: 30 }, (_, index) => `'${index}'`).join(', ')
    expect(because(`eth.tx.to == ${long}`).length).toBeLessThan(600)
    expect(because(`eth.tx.to in [${texts}]`)).toContain("'9', … 20 more]")
  })
})

describe('of a denial', () => {
  const denied = (condition: string, consensus = '') =>
    explain(
      { policyId: 'p', effect: 'EFFECT_DENY', ...compileExpressions({ condition, consensus }) },
      {
        condition: { keywords },
        nowMs,
        approvals: { approvers: [], credentials: [] },
        everybody: () => ({ approvers: [], credentials: [] }),
      },
    )

  test('says what does not exist', () => {
    expect(denied("eth.tx.to[0..9] != '0x' && eth.tx.value > 1").because).toBe(
      "condition: `eth.tx.to[0..9] != '0x' && eth.tx.value > 1` is true, `eth.tx.to[0..9] != '0x'` is true, `eth.tx.value > 1` is true",
    )
    expect(denied("eth.tx.to[0..9] != '0x'").because).toContain('is true, `eth.tx.to[0..9]` does not exist')
    expect(denied("eth.tx.contract_call_args['path'][2] == 'a'").because).toContain("['path'][2]` does not exist")
  })

  test('counts the steps about each list of approvals', () => {
    const nobody = { approvers: [], credentials: [] }
    const denial = {
      policyId: 'p',
      effect: 'EFFECT_DENY' as const,
      consensus: compileConsensus('approvers.count() > 9'),
    }
    const stepsWith = (withEnded: readonly (typeof nobody)[]) => {
      const meter = { steps: 0 }
      const input = { condition: { keywords }, nowMs, approvals: nobody, withEnded, everybody: () => nobody }
      explain(denial, input, meter)
      return meter.steps
    }
    // Without others the consensus is asked twice: whether it holds, and why.
    expect(stepsWith([nobody, nobody])).toBe(2 * stepsWith([]))
  })

  test('says that too many steps deny', () => {
    const digits = `[${Array.from({ length: 400 }, () => 1).join(', ')}]`
    const tooLong = `${digits}.any(x, ${digits}.any(y, x != y))`
    const steps = 'the expression takes more than 100000 steps, which a denial takes for true'
    expect(denied(tooLong).because).toMatch(new RegExp(`^condition: column \\d+: ${steps}$`))
    expect(denied(tooLong, 'approvers.count() > 0').because).toMatch(/^consensus: /)
    expect(denied(tooLong, 'approvers.count() == 0').because).toContain(`${steps}; consensus: `)
    expect(trace(compileCondition(tooLong), { keywords }).because).not.toContain('denial')
  })
})

test('each clause has its place and its value, in a predicate once for each item', () => {
  const { clauses } = trace(compileCondition("eth.tx.contract_call_args['path'].any(x, x == 'b')"), { keywords })
  expect(clauses).toEqual([
    { column: 1, text: 'eth', value: expect.stringContaining('tx: {') },
    { column: 1, text: 'eth.tx', value: "{ to: '0xab', value: 5000, contract_call_args: { path: ['a', 'b'] } }" },
    { column: 1, text: 'eth.tx.contract_call_args', value: "{ path: ['a', 'b'] }" },
    { column: 1, text: "eth.tx.contract_call_args['path']", value: "['a', 'b']" },
    { column: 42, text: 'x', value: "'a'" },
    { column: 42, text: "x == 'b'", value: 'false' },
    { column: 42, text: 'x', value: "'b'" },
    { column: 42, text: "x == 'b'", value: 'true' },
    { column: 1, text: "eth.tx.contract_call_args['path'].any(x, x == 'b')", value: 'true' },
  ])
})

describe('in an expression about time', () => {
  const becauseOfTime = (text: string) =>
    trace(compileTime(text), { keywords: { time: { now: BigInt(nowMs) } } }).because

  test('integers are shown as integers, however large', () => {
    expect(becauseOfTime('1 + 2 == 4')).toBe('`1 + 2 == 4` is false, `1 + 2` is 3')
    expect(becauseOfTime('1 + 9000000000000000000 < 0')).toContain('`1 + 9000000000000000000` is 9000000000000000001')
  })
})

test('the clauses of a long expression are shortened and limited', () => {
  const nested = `${'!('.repeat(20)}x == '${'a'.repeat(4500)}'${')'.repeat(20)}`
  const { clauses } = trace(compileCondition(`['${"','".repeat(30)}'].any(x, ${nested})`), { keywords })
  expect(clauses).toHaveLength(500)
  expect(Math.max(...clauses.map(({ text }) => text.length))).toBeLessThanOrEqual(201)
})

test('the deciding text is short, however many clauses there are', () => {
  expect(because(Array.from({ length: 300 }, () => "'a' in ['a']").join('&&')).length).toBeLessThanOrEqual(1001)
})

const numRuns = Number(process.env.CLAVIGER_CASES ?? 2000)
const kinds = ['condition', 'condition', 'consensus', 'time'] as const
const compilers = { condition: compileCondition, consensus: compileConsensus, time: compileTime }

test('any expression has one deciding clause, with the value that is named', () => {
  const cases = fc.gen().map((pick: Pick) => {
    const kind: ExpressionKind = pick(fc.constantFrom, ...kinds)
    const text = print(generatedExpression(pick, kind))
    return { compile: compilers[kind], text, environment: generatedEnvironment(pick, kind, text) }
  })
  let named = 0
  fc.assert(
    fc.property(cases, ({ compile, text, environment }) => {
      const expression = compile(text)
      const { verdict, because } = trace(expression, environment)
      expect(verdict).toEqual(evaluateExpression(expression, environment))
      if (verdict.kind === 'error') {
        expect(because).toBe(`column ${verdict.column}: ${verdict.message}`)
        return
      }
      const [, clause = '', value] = /^`([^`]*)` is (true|false)(?:$|, )/.exec(because) ?? []
      expect(value).toBeDefined()
      if (clause.endsWith('…')) return
      named += 1
      expect(text).toContain(clause)
      expect(evaluateExpression(compile(clause), environment)).toEqual({ kind: 'value', value: value === 'true' })
    }),
    { numRuns },
  )
  expect(named).toBeGreaterThan(numRuns / 10)
}, 300_000)

describe('a policy', () => {
  const none = { approvers: [], credentials: [] }
  const input = { nowMs, condition: { keywords }, approvals: none, everybody: () => none }
  const policy = { policyId: 'p', effect: 'EFFECT_ALLOW' } as const
  const condition = compileCondition('eth.tx.value <= 1000')
  const consensus = compileConsensus('approvers.count() >= 2')

  test('is explained by its first expression that is not true', () => {
    const explained = explain({ ...policy, condition, consensus }, input)
    expect(explained.because).toBe('condition: `eth.tx.value <= 1000` is false, `eth.tx.value` is 5000')
    expect(explained.expressions.map(({ kind }) => kind)).toEqual(['condition', 'consensus'])
  })

  test('is explained by all its expressions if all are true', () => {
    const { because } = explain({ ...policy, condition: compileCondition("eth.tx.to == '0xab'") }, input)
    expect(because).toBe("condition: `eth.tx.to == '0xab'` is true, `eth.tx.to` is '0xab'")
    expect(explain(policy, input).because).toBe('it has no expressions, and so always applies')
    expect(explain({ ...policy, condition: compileCondition('') }, input).expressions).toEqual([])
  })

  test('that is not active is explained by its time alone', () => {
    const time = compileTime("time.now < Timestamp('2026-01-01T00:00:00Z')")
    const { because, expressions } = explain({ ...policy, time, condition }, input)
    expect(because).toContain('is false, `time.now` is 2026-07-06T12:00:00.000Z')
    expect(expressions).toHaveLength(1)
  })
})
