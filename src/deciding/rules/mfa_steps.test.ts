import { expect, test } from 'vitest'
import type { MfaPolicy } from '../../contract/records/records.ts'
import { applyingTo, compileMfaOf, conditionOf, mfaStateOf } from './mfa_steps.ts'

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

test('conditions of MFA policies that take too many steps together apply perhaps', () => {
  const applies = applyingTo(() => ({}))
  const applied = Array.from({ length: 10 }, (_, order) => applies(policy(order)))
  expect(applied[0]).toBe('no')
  expect(applied.at(-1)).toBe('perhaps')
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
  expect(applyingTo(() => ({}))(policies[2] as MfaPolicy)).toBe('yes')
  expect([compiled, pauses]).toEqual([[0, 1, 2], 3])
})

test('a policy that applies perhaps and the first one that applies for sure are owed together', () => {
  const step = (type: string) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] })
  const given = (order: number, condition: string, ...types: readonly string[]) => ({
    ...policy(order),
    condition,
    requiredAuthenticationMethods: types.map(step),
  })
  const mfaPolicies = [
    given(0, 'eth.tx.chain_id == 5', 'API_KEY'),
    given(1, "eth.tx.to == '0x'", 'PASSKEY', 'EMAIL_OTP'),
    given(2, 'true', 'SMS_OTP'),
  ]
  const stateFor = (tx: object, ...types: readonly string[]) => {
    const stamps = types.map((type) => ({ method: { type: `AUTHENTICATION_TYPE_${type}` }, publicKey: type }))
    const facts = () => ({ eth: { tx: { nonce: 1n, to: '', ...tx } } })
    const state = mfaStateOf({ mfaPolicies } as never, stamps as never, applyingTo(facts))
    return [state?.policy.mfaPolicyId, state?.due?.number, state?.stepsTaken]
  }
  expect(stateFor({ chain_id: 5n }, 'API_KEY')).toEqual(['0', undefined, 1])
  expect(stateFor({ chain_id: 1n }, 'API_KEY')).toEqual(['1', 1, 0])
  // A transaction without a chain is valid on each.
  expect(stateFor({}, 'PASSKEY')).toEqual(['0', 1, 1])
  expect(stateFor({}, 'API_KEY')).toEqual(['1', 1, 1])
  expect(stateFor({}, 'API_KEY', 'PASSKEY')).toEqual(['1', 2, 2])
  expect(stateFor({}, 'PASSKEY', 'EMAIL_OTP', 'API_KEY')).toEqual(['1', undefined, 3])
})
