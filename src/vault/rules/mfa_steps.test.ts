import { expect, test } from 'vitest'
import { applyingTo } from './mfa_steps.ts'

const list = `[${Array.from({ length: 100 }, (_, index) => index).join(',')}]`

/** False after some 40,000 steps. */
const policy = (order: number) => ({
  mfaPolicyId: String(order),
  userId: 'ada',
  mfaPolicyName: '',
  condition: `${list}.any(x, ${list}.any(y, x + 1000 == y))`,
  requiredAuthenticationMethods: [],
  order,
  notes: '',
  createdAtMs: 0,
  updatedAtMs: 0,
})

test('conditions of MFA policies that take too many steps together apply', () => {
  const applies = applyingTo(() => ({}))
  const applied = Array.from({ length: 10 }, (_, order) => applies(policy(order)))
  expect(applied[0]).toBe(false)
  expect(applied.at(-1)).toBe(true)
  // Once is the end for all that follow.
  expect(applied.toSorted()).toEqual(applied)
})
