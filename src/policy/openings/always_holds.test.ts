import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generatedEnvironment, generatedExpression, type Pick } from '../../../test/support/policy_generator.ts'
import { compileCondition, compileConsensus } from '../decision/policy_expressions.ts'
import type { Struct } from '../language/expression_values.ts'
import { activityActions } from '../language/names/activity_types.ts'
import { print } from '../language/reading/print.ts'
import { evaluate } from '../language/running/evaluate.ts'
import { holdsAlways } from './always_holds.ts'

const [one, two] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
const [bob, eve] = ['00000000-0000-4000-8000-00000000000b', '00000000-0000-4000-8000-00000000000e']

test.each([
  ['', true],
  ['true', true],
  ['!false', true],
  ['1 + 1 == 2', true],
  ["'a' in ['a', 'b']", true],
  ['eth.tx.value < 5 || true', true],
  ['(true && 1 == 1) || eth.tx.value < 5', true],
  ["'a' == 'a'", true],
  ['1 < 2', true],
  ['!(false)', true],
  ["activity.action == 'SIGN' || activity.action != 'SIGN'", true],
  ["activity.action == 'SIGN' || !(activity.action == 'SIGN')", true],
  ["!(activity.action == 'SIGN' && activity.action == 'EXPORT')", true],
  [`eth.tx.to in ['${one}', '${two}'] || !(eth.tx.to in ['${two}', '${one}'])`, true],
  ["activity.params.encoding != 'ENCODING_OF_NOBODY'", true],
  [`activity.action in [${activityActions.map((action) => `'${action}'`).join(', ')}]`, true],
  ['eth.tx.value >= 0', true],
  ['eth.tx.value + eth.tx.gas >= eth.tx.gas', true],
  ['eth.tx.value < 5 || eth.tx.value > 3', true],
  ['eth.tx.value == eth.tx.value', true],
  ["eth.tx.data[0..10] == '0xa9059cbb' || eth.tx.data[0..10] != '0xa9059cbb'", true],
  ["eth.tx.contract_call_args['a'] == 'x' || eth.tx.contract_call_args['a'] != 'x'", true],
  ["wallets.all(w, w.label == 'a' || w.label != 'a')", true],
  ["private_key.tags.contains('a') || !('a' in private_key.tags)", true],
  ['(eth.tx.value < 5 && wallet.imported) || eth.tx.value >= 5 || !wallet.imported', true],
  ['eth.tx.value < 5 || eth.tx.value > 5', false],
  ['eth.tx.value < 5 + 5 || eth.tx.value > 10', false],
  ['eth.tx.value != 5 + 5', false],
  ['eth.tx.value + 5 != 12', false],
  ['12 != 5 + eth.tx.value', false],
  ['eth.tx.nonce + eth.tx.nonce != 10 + 14', false],
  ['!(eth.tx.nonce in [5 + 5, 30])', false],
  ["eth.tx.data[0..10] != '0x095ea7b3'", false],
  ["activity.action != 'EXPORT'", false],
  [`!(eth.tx.to in ['${one}', '${two}'] && eth.tx.value > 7 && eth.tx.function_name == 'approve')`, false],
  [`eth.tx.to != '${one}' || eth.tx.value != 7 || eth.tx.nonce != 3 || eth.tx.function_name != 'f'`, false],
  ['eth.tx.value != eth.tx.gas', false],
  ['eth.tx.to != eth.tx.from', false],
  ["wallets.any(w, w.label == 'a' || w.label != 'a')", false],
  ['!wallets.all(w, w.imported)', false],
  [
    "solana.tx.transfers.all(t, t.to == '11111111111111111111111111111111') || solana.tx.spl_transfers.all(t, t.to != '11111111111111111111111111111111')",
    false,
  ],
  [`!(eth.tx.to in ['${one}', '${two}']) || eth.tx.to != eth.tx.from`, false],
  ['wallet.imported', false],
  ["eth.tx.contract_call_args['a']", false],
  ['false', false],
  ['eth.tx.value < 5', false],
  ['eth.tx.value < 5 && true', false],
  ['eth.tx.value < 5 || false', false],
])('%s', (text, expected) => {
  expect(holdsAlways(compileCondition(text))).toBe(expected)
})

test.each([
  ['approvers.count() >= 1', true],
  ['approvers.any(user, true)', true],
  ['credentials.count() > 0', true],
  ['approvers.count() >= 0', true],
  ['approvers.count() == 1 || approvers.count() > 1', true],
  [`approvers.any(user, user.id == '${bob}') || approvers.any(user, user.id != '${bob}')`, true],
  [`approvers.any(user, user.id == '${bob}' || !(user.id == '${bob}'))`, true],
  [`!approvers.all(user, user.id == '${bob}' && user.id == '${eve}')`, true],
  ['approvers.filter(user, true).count() >= 1', true],
  [`approvers.filter(user, user.id == '${bob}').count() >= 1`, false],
  [`!approvers.any(user, user.id == '${bob}')`, false],
  ['approvers.count() >= 2', false],
  [`approvers.any(user, user.id == '${bob}')`, false],
  ["approvers.any(user, user.tags.contains('a'))", false],
])('a consensus that the submitter alone fulfils: %s', (text, expected) => {
  expect(holdsAlways(compileConsensus(text))).toBe(expected)
})

test('a condition that holds always is false for no generated request', () => {
  const cases = fc.gen().map((pick: Pick) => {
    const expression = generatedExpression(pick, 'condition')
    const text = print(expression)
    return { text, environment: generatedEnvironment(pick, 'condition', text) }
  })
  fc.assert(
    fc.property(cases, ({ text, environment }) => {
      // Only generated requests have numbers below zero, and texts that no request has.
      fc.pre(!text.includes('spent(') && !/"-\d+n"/.test(written(environment.keywords)))
      const compiled = compileCondition(text)
      fc.pre(compiled.neverEqual.length === 0)
      const evaluation = evaluate(compiled.root, environment)
      if (evaluation.kind === 'value' && evaluation.value === false) expect(holdsAlways(compiled), text).toBe(false)
    }),
    { numRuns: 1_000 },
  )
})

function written(value: Struct): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'bigint' ? `${part}n` : part instanceof Map ? [...part.values()] : part,
  )
}
