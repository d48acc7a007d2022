import { expect, test } from 'vitest'
import type { Policy } from '../../contract/records/records.ts'
import { compiledPolicies } from './compiled_policies.ts'

/** All in one step, a hundred of the longest held up all other requests for seconds. */
test('policies are compiled one after another, with a pause behind each', async () => {
  let pauses = 0
  const policies = Array.from({ length: 3 }, (_, index) => {
    const policy = { policyId: `${index}`, policyName: 'p', notes: '', createdAtMs: 0, updatedAtMs: 0 }
    return {
      ...policy,
      effect: 'EFFECT_ALLOW',
      get condition() {
        expect(pauses).toBe(index)
        return 'true'
      },
    } as Policy
  })
  const ask = () =>
    compiledPolicies({ allListed: () => policies as never[] }, () => {
      pauses += 1
    })
  expect([(await ask()).map(({ policyId }) => policyId), pauses]).toEqual([['0', '1', '2'], 3])
  // Each request asks for all of them: those that are compiled hold up nobody, and wait for nobody.
  expect([(await ask()).map(({ policyId }) => policyId), pauses]).toEqual([['0', '1', '2'], 3])
})
