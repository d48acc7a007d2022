import { expect, test } from 'vitest'
import { holdsAlways } from './always_holds.ts'
import { compileCondition, compileConsensus } from './policy_expressions.ts'

test.each([
  ['', true],
  ['true', true],
  ['!false', true],
  ['1 + 1 == 2', true],
  ["'a' in ['a', 'b']", true],
  ['eth.tx.value < 5 || true', true],
  ['(true && 1 == 1) || eth.tx.value < 5', true],
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
  ['approvers.count() >= 2', false],
  ["approvers.any(user, user.id == 'a')", false],
  ["approvers.any(user, user.tags.contains('a'))", false],
])('a consensus that the submitter alone fulfils: %s', (text, expected) => {
  expect(holdsAlways(compileConsensus(text))).toBe(expected)
})
