import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generatedEnvironment, generatedExpression, type Pick } from '../../../test/support/policy_generator.ts'
import { referenceOutcome } from '../../../test/support/policy_reference.ts'
import { check } from './checking/check.ts'
import type { ExpressionKind } from './names/keywords.ts'
import { parse } from './reading/parse.ts'
import { print } from './reading/print.ts'
import { type Clause, evaluate } from './running/evaluate.ts'
import { lacksField, requiredFields } from './running/required_fields.ts'
import type { Expression } from './syntax.ts'

/** `CLAVIGER_CASES` is for long runs (CONTRIBUTING.md). */
const numRuns = Number(process.env.CLAVIGER_CASES ?? 2000)
const kinds = ['consensus', 'condition', 'condition', 'time'] as const satisfies readonly ExpressionKind[]

const cases = fc.gen().map((pick: Pick) => {
  const kind = pick(fc.constantFrom, ...kinds)
  const expression = generatedExpression(pick, kind)
  const text = print(expression)
  return { kind, expression, text, environment: generatedEnvironment(pick, kind, text) }
})

/** The tree alone, without places and without values derived from texts. */
function bare(expression: Expression): unknown {
  return JSON.parse(
    JSON.stringify(expression, (key, value) => {
      if (['start', 'end', 'span'].includes(key)) return undefined
      return typeof value === 'bigint' ? `${value}n` : value
    }),
  )
}

/** With parentheses around everything, so that binding strength does not matter. */
function printParenthesised(expression: Expression): string {
  const inner = (each: Expression) => `(${printParenthesised(each)})`
  switch (expression.kind) {
    case 'and':
      return expression.operands.map(inner).join('&&')
    case 'or':
      return expression.operands.map(inner).join('||')
    case 'sum':
      return expression.operands.map(inner).join('+')
    case 'not':
      return `!${inner(expression.operand)}`
    case 'comparison':
      return `${inner(expression.left)}${expression.operator}${inner(expression.right)}`
    case 'list':
      return `[${expression.items.map(inner).join(',')}]`
    case 'field':
      return `${inner(expression.of)} . ${expression.name}`
    case 'index':
      return `${inner(expression.of)}[${inner(expression.index)}]`
    case 'slice':
      return `${inner(expression.of)}[${inner(expression.from)}..${inner(expression.to)}]`
    case 'count':
      return `${inner(expression.of)}.count`
    case 'contains':
      return `${inner(expression.of)}.contains(${inner(expression.item)})`
    case 'predicate':
      return `${inner(expression.of)}.${expression.method}(${expression.variable},${inner(expression.body)})`
    default:
      return print(expression)
  }
}

describe('over generated expressions that are well typed', { timeout: 60_000 + numRuns * 10 }, () => {
  test('the evaluator agrees with the reference evaluator, about errors too', () => {
    const seen = { values: 0, lacking: 0, errors: new Set<string>() }
    fc.assert(
      fc.property(cases, ({ kind, text, environment }) => {
        const { expression: read } = check(parse(text), kind, text)
        const evaluation = evaluate(read, environment)
        if (lacksField(environment.keywords, requiredFields(read))) {
          seen.lacking += 1
          expect(evaluation.kind, text).toBe('error')
        }
        const reference = referenceOutcome(read, environment)
        if (evaluation.kind === 'error' && evaluation.code === 'TOO_MANY_STEPS') return
        if (evaluation.kind === 'error') {
          seen.errors.add(evaluation.code)
          expect('errors' in reference && [...reference.errors], text).toContain(evaluation.code)
        } else {
          seen.values += 1
          expect(reference, text).toEqual({ value: evaluation.value })
        }
      }),
      { numRuns },
    )
    // Without these counts the property would say little.
    expect(seen.values).toBeGreaterThan(numRuns / 5)
    expect(seen.lacking).toBeGreaterThan(numRuns / 50)
    seen.errors.delete('UNREADABLE')
    expect([...seen.errors].toSorted()).toEqual(['INDEX_OUT_OF_RANGE', 'MISSING_FIELD', 'TYPE_MISMATCH'])
  })

  test('a rule that guards has each value that it has otherwise, and no error by a value within it', () => {
    const seen = { gained: 0, errors: new Set<string>() }
    fc.assert(
      fc.property(cases, ({ text, environment }) => {
        const read = parse(`(${text}) && true`)
        const evaluation = evaluate(read, environment)
        const guarded = evaluate(read, { ...environment, guards: true })
        if (evaluation.kind === 'value') expect(guarded, text).toEqual(evaluation)
        else if (guarded.kind === 'value') seen.gained += 1
        if (guarded.kind === 'error') seen.errors.add(guarded.code)
      }),
      { numRuns },
    )
    expect(seen.gained).toBeGreaterThan(numRuns / 50)
    for (const code of ['TOO_MANY_STEPS', 'UNREADABLE']) seen.errors.delete(code)
    expect([...seen.errors]).toEqual(['MISSING_FIELD'])
  })

  test('a rule that guards says the same of both forms of De Morgan', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(cases, cases, ({ text: one, environment }, { text: other }) => {
        const [first, second] = [`!((${one}) && (${other}))`, `!(${one}) || !(${other})`].map((text) => {
          const evaluation = evaluate(parse(text), { ...environment, guards: true })
          return evaluation.kind === 'value' ? evaluation.value : evaluation.code
        })
        if (first === 'TOO_MANY_STEPS' || second === 'TOO_MANY_STEPS') return
        seen.add(String(first))
        expect(second, `${one} and ${other}`).toBe(first)
      }),
      { numRuns },
    )
    expect([...seen]).toEqual(expect.arrayContaining(['true', 'false', 'MISSING_FIELD']))
  })

  test('printed text parses to the same tree, with few parentheses and with all', () => {
    fc.assert(
      fc.property(cases, ({ expression, text }) => {
        expect(bare(parse(text)), text).toEqual(bare(expression))
        expect(bare(parse(printParenthesised(expression))), text).toEqual(bare(expression))
        expect(print(parse(printParenthesised(expression)))).toBe(text)
      }),
      { numRuns: Math.ceil(numRuns / 4) },
    )
  })

  test('a trace changes nothing, ends with the whole, and holds the value of each part', () => {
    fc.assert(
      fc.property(cases, ({ text, environment }) => {
        const trace: Clause[] = []
        const read = parse(text)
        const evaluation = evaluate(read, environment, trace)
        expect(evaluation).toEqual(evaluate(read, environment))
        if (evaluation.kind === 'error' || read.kind === 'boolean') return
        expect(trace.at(-1)).toEqual({ startColumn: 1, endColumn: text.length + 1, value: evaluation.value })
      }),
      { numRuns: Math.ceil(numRuns / 8) },
    )
  })

  test('the laws of logic hold: De Morgan, double negation, order and grouping do not matter', () => {
    const two = fc.gen().map((pick: Pick) => {
      const [a, b] = [print(generatedExpression(pick, 'condition')), print(generatedExpression(pick, 'condition'))]
      return { a, b, environment: generatedEnvironment(pick, 'condition', `${a} ${b}`) }
    })
    fc.assert(
      fc.property(two, ({ a, b, environment }) => {
        const verdictOn = (text: string) => {
          const evaluation = evaluate(parse(text), environment)
          return evaluation.kind === 'value' && typeof evaluation.value === 'boolean' ? evaluation.value : 'error'
        }
        expect(verdictOn(`!((${a}) && (${b}))`)).toBe(verdictOn(`!(${a}) || !(${b})`))
        expect(verdictOn(`!!(${a})`)).toBe(verdictOn(a))
        expect(verdictOn(`(${a}) && (${b})`)).toBe(verdictOn(`(${b}) && (${a})`))
        expect(verdictOn(`(${a}) || (${b})`)).toBe(verdictOn(`(${b}) || (${a})`))
        expect(verdictOn(`(${a}) || false`)).toBe(verdictOn(a))
        expect(verdictOn(`(${a}) && ((${b}) && true)`)).toBe(verdictOn(`(${a}) && (${b})`))
      }),
      { numRuns: Math.ceil(numRuns / 8) },
    )
  })
})
