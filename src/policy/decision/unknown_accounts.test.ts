import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generatedRuns } from '../../../test/support/generated_runs.ts'
import { compileCondition, guardHolds, truthOf } from './policy_expressions.ts'

/**
 * An account that only a look-up table names may be any account. So a policy that allows holds only if it holds whatever
 * account that is, and a denial holds if it holds for one of them.
 */

const [enemy, friend] = ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA']

const requestTo = (...to: readonly string[]) => {
  const transfers = to.map((one, index) => ({ from: friend, to: one, amount: BigInt(4 + 3 * index) }))
  return { keywords: { solana: { tx: { transfers } } } }
}

const truth = fc.constantFrom('true', 'false')
const { ofList } = fc.letrec<{ ofItem: string; ofList: string }>((tie) => {
  const test = tie('ofItem')
  const rule = tie('ofList')
  const list = 'solana.tx.transfers'
  return {
    ofItem: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom(
        `t.to == '${enemy}'`,
        `t.to != '${enemy}'`,
        `t.to in ['${enemy}']`,
        `['${enemy}'].contains(t.to)`,
        't.to == t.from',
        't.amount > 5',
        `t.to[0..2] == '${enemy.slice(0, 2)}'`,
        "t.to[0] != 'E'",
      ),
      test.map((one) => `!(${one})`),
      fc.tuple(test, fc.constantFrom('&&', '||'), test).map(([one, joint, other]) => `(${one} ${joint} ${other})`),
      fc.tuple(test, fc.constantFrom('==', '!='), truth).map(([one, sign, other]) => `((${one}) ${sign} ${other})`),
      fc.tuple(test, test).map(([one, other]) => `[${one}, ${other}][0]`),
      fc.tuple(test, test).map(([one, other]) => `[${one}].contains(${other})`),
    ),
    ofList: fc.oneof(
      { maxDepth: 2 },
      fc.tuple(fc.constantFrom('any', 'all'), test).map(([method, one]) => `${list}.${method}(t, ${one})`),
      fc
        .tuple(test, fc.constantFrom('== 0', '!= 1', '< 2', '> 0', '+ 1 <= 2'))
        .map(([one, rest]) => `${list}.filter(t, ${one}).count() ${rest}`),
      test.map((one) => `${list}.filter(t, ${one}).all(u, u.amount > 5)`),
      test.map((one) => `${list}.filter(t, ${one})[0].amount > 5`),
      rule.map((one) => `!(${one})`),
      fc.tuple(rule, fc.constantFrom('&&', '||'), rule).map(([one, joint, other]) => `(${one} ${joint} ${other})`),
      fc.tuple(rule, truth).map(([one, other]) => `((${one}) == ${other})`),
      rule.map((one) => `[${one}].any(z, !z)`),
    ),
  }
})

test('no rule is turned around by an account that only a look-up table names', () => {
  const unknown = 'ADDRESS_TABLE_LOOKUP'
  const possible = [enemy, friend].flatMap((one) => [enemy, friend].map((other) => requestTo(one, enemy, other)))
  let allowed = 0
  fc.assert(
    fc.property(ofList, (text) => {
      fc.pre(text.length <= 5_000)
      const rule = compileCondition(text)
      const shown = requestTo(unknown, enemy, unknown)
      if (truthOf(rule, shown) === true) {
        allowed += 1
        expect(possible.map((request) => truthOf(rule, request))).toEqual([true, true, true, true])
      }
      if (possible.some((request) => guardHolds(rule, request) === true)) expect(guardHolds(rule, shown)).toBe(true)
    }),
    { numRuns: 20 * generatedRuns },
  )
  expect(allowed).toBeGreaterThan(generatedRuns / 10)
})
