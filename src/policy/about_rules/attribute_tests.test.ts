import { describe, expect, test } from 'vitest'
import { compileCondition, compileConsensus } from '../decision/policy_expressions.ts'
import { type Attribute, attributeTests, goesBy } from './attribute_tests.ts'

const [treasury, football] = ['01980000-0000-7000-8000-000000000001', '01980000-0000-7000-8000-000000000002']

const attributes = {
  tag: { of: 'approvers', field: 'tags' },
  address: { of: 'approvers', field: 'email' },
  name: { of: 'approvers', field: 'alias' },
  wallet: { of: 'wallet', field: 'label' },
  key: { of: 'private_key', field: 'label' },
  'tag of a key': { of: 'private_key', field: 'tags' },
} as const satisfies Readonly<Record<string, Attribute>>

function outcome(text: string, what: keyof typeof attributes, value: string, stepsMax = 10_000): boolean | undefined {
  const compile = /\b(approvers|credentials)\b/.test(text) ? compileConsensus : compileCondition
  const tests = attributeTests(compile(text).root)
  return goesBy(tests, attributes[what], value, { stepsMax, meter: { steps: 0 } })
}

describe('a rule goes by', () => {
  test.each([
    ['tag', treasury, `approvers.any(u, u.tags.contains('${treasury}'))`],
    ['tag', treasury, `approvers.any(u, '${treasury}' in u.tags)`],
    ['tag', treasury, `approvers.any(u, u.tags.any(t, t == '${treasury}'))`],
    ['tag', treasury, `!approvers.all(u, u.tags.all(t, t != '${treasury}'))`],
    ['tag', football, `approvers.any(u, u.tags.all(t, t == '${treasury}'))`],
    ['tag', treasury, `['${football}', '${treasury}'].all(t, approvers.any(u, u.tags.contains(t)))`],
    ['tag', treasury, `approvers.filter(u, u.tags.contains('${treasury}')).count() >= 2`],
    ['tag', treasury, `approvers.any(u, u.tags.filter(t, t == '${treasury}').count() == 1)`],
    ['tag', treasury, `approvers[0].tags.contains('${treasury}')`],
    ['tag', football, 'approvers.any(u, u.tags.count() >= 2)'],
    ['tag', football, `approvers.any(u, u.tags[0] == '${treasury}')`],
    ['tag', football, `approvers.any(u, approvers.any(o, o.tags.contains(u.id)))`],
    ['tag of a key', treasury, `private_key.tags.contains('${treasury}')`],
    ['address', 'ada@example.org', "approvers.any(u, u.email == 'ada@example.org')"],
    ['address', 'ada@example.org', "approvers.any(u, 'Ada@Example.org' != u.email)"],
    ['address', 'treasury@example.org', "approvers.any(u, u.email[0..9] == 'treasury@')"],
    ['address', '', "approvers.any(u, u.email == '')"],
    ['address', 'ada@example.org', "approvers.any(u, u.email in ['bob@example.org', 'ada@example.org'])"],
    ['address', 'ada@example.org', "approvers.any(u, ['bob@example.org', 'ada@example.org'].contains(u.email))"],
    ['address', 'ada@example.org', "['bob@example.org', 'ada@example.org'].any(e, approvers.any(u, u.email == e))"],
    ['address', 'ada@example.org', 'approvers.any(u, u.email == u.alias)'],
    ['name', 'Ada', "approvers.any(u, u.alias == 'Ada')"],
    ['wallet', 'Cold 1', "wallet.label[0..4] == 'Cold'"],
    ['wallet', 'Cold', "wallets.all(w, w.label == 'Cold')"],
    ['wallet', 'Cold', "wallets[0].label == 'Cold'"],
    ['wallet', 'Cold', "activity.action == 'EXPORT' && !(wallet.label == 'Cold')"],
    ['key', 'Cold', "private_key.label == 'Cold'"],
  ] as const)('the %s %s: %s', (what, value, text) => {
    expect(outcome(text, what, value)).toBe(true)
  })
})

describe('a rule does not go by', () => {
  test.each([
    ['tag', football, `approvers.any(u, u.tags.contains('${treasury}'))`],
    ['tag', football, `approvers.any(u, u.tags.any(t, t == '${treasury}'))`],
    ['tag', football, `approvers.any(u, u.tags.all(t, t != '${treasury}'))`],
    ['tag', football, `approvers.any(u, u.tags.filter(t, t == '${treasury}').count() == 1)`],
    ['tag', football, `['${treasury}'].all(t, approvers.any(u, u.tags.contains(t)))`],
    ['tag', treasury, `approvers.any(u, u.id == '${treasury}')`],
    ['tag', treasury, `private_key.tags.contains('${treasury}')`],
    ['address', 'bob@example.org', "approvers.any(u, u.email != 'ada@example.org')"],
    ['address', 'treasurer@example.org', "approvers.any(u, u.email[0..9] == 'treasury@')"],
    ['address', '', "approvers.any(u, u.email == 'ada@example.org')"],
    ['name', 'EXPORT', "activity.action == 'EXPORT'"],
    ['name', 'Ada', "approvers.any(u, u.email == 'ada@example.org')"],
    ['wallet', 'EXPORT', `activity.action == 'EXPORT' && wallet.id == '${treasury}'`],
    ['wallet', 'Cold', "private_key.label == 'Cold'"],
    ['wallet', 'Warm', "wallet.label != 'Cold'"],
    ['wallet', 'Cold', "approvers.any(wallet, wallet.alias == 'Cold')"],
  ] as const)('the %s %s: %s', (what, value, text) => {
    expect(outcome(text, what, value)).toBe(false)
  })
})

test('a value that is shorter than what a rule cuts out of it is neither', () => {
  expect(outcome("wallet.label[0..4] == 'Cold'", 'wallet', 'ab')).toBe(undefined)
})

test('a rule with more steps than the budget goes by everything', () => {
  const items = Array.from({ length: 60 }, (_, index) => `'item ${index}'`).join(', ')
  const text = `[${items}].any(x, [${items}].any(y, approvers.any(u, u.alias in [x, y])))`
  expect(outcome(text, 'name', 'Ada', 100_000)).toBe(false)
  expect(outcome(text, 'name', 'Ada', 1_000)).toBe(true)
})
