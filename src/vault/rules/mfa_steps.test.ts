import { expect, test } from 'vitest'
import type { MfaPolicy } from '../../contract/records/records.ts'
import { applyingTo, compileMfaOf, conditionOf } from './mfa_steps.ts'

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

/** All in one step, the ten longest of a user held up all other requests for a tenth of a second. */
test('conditions of MFA policies are compiled one after another, with a pause behind each', async () => {
  let pauses = 0
  const compiled: number[] = []
  const policies = Array.from({ length: 3 }, (_, order): MfaPolicy => {
    const get = () => {
      expect(pauses).toBe(order)
      compiled.push(order)
      // A stored one that no longer compiles is refused when it is asked for.
      return order === 1 ? '1 +' : 'true'
    }
    return Object.defineProperty(policy(order), 'condition', { get })
  })
  const ask = (...userIds: string[]) =>
    compileMfaOf({ listed: () => ({ mfaPolicies: policies }) as never }, userIds, () => {
      pauses += 1
    })
  await ask('ada', 'bob')
  expect([compiled, pauses]).toEqual([[0, 1, 2], 3])
  // Each request asks for all of them: those that are compiled hold up nobody, and wait for nobody.
  await ask('ada')
  expect(() => conditionOf(policies[1] as MfaPolicy)).toThrow('invalid policy condition')
  expect(applyingTo(() => ({}))(policies[2] as MfaPolicy)).toBe(true)
  expect([compiled, pauses]).toEqual([[0, 1, 2], 3])
})
