import { expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newPolicy,
  type Parameters,
  repeated,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'

const { submit, done, found, rootUserId, anotherUser } = await startOrganization({ limits: { policiesMax: 5 } })
const named = (...names: string[]) => ({ policies: names.map((policyName) => newPolicy({ policyName })) })
const namesOf = (policies: readonly { policyName: string }[]) => policies.map(({ policyName }) => policyName)

test('all policies are made, in their order', async () => {
  const consensus = `approvers.any(user, user.id == '${rootUserId}')`
  const policies = [newPolicy({ policyName: 'b' }), newPolicy({ policyName: 'a', effect: 'EFFECT_DENY', consensus })]
  const { policyIds } = await done('create_policies', { policies })
  expect(policyIds).toEqual([uuid, uuid])
  for (const [index, policyId] of policyIds.entries()) {
    expect((await found('get_policy', { policyId })).policy).toMatchObject({ ...policies[index] })
  }
})

test('if one policy is refused, none is made', async () => {
  const before = await found('list_policies')
  const { policyName } = before.policies[0]
  const good = newPolicy({ policyName: 'good' })
  const second = (given: Parameters) => ({ policies: [good, newPolicy({ policyName: 'second', ...given })] })
  for (const [parameters, text] of [
    [named('good', 'good'), 'already in use: parameters.policies[1].policyName must be used once'],
    [named('good', policyName), 'already in use: parameters.policies[1].policyName must be one that nothing else'],
    [second({ effect: 'DENY' }), 'parameters.policies[1].effect must be one of'],
    [second({ condition: 'tru' }), 'invalid policy condition: parameters.policies[1].condition: column 1: '],
    [second({ consensus: '1 +' }), 'invalid policy consensus: parameters.policies[1].consensus: column 4: '],
    [second({ time: 'time.now' }), 'invalid policy time: parameters.policies[1].time: column 1: '],
    [
      second({ consensus: `approvers.any(user, user.id == '${absentId}')` }),
      `parameters.policies[1].consensus: column 32: there is no user "${absentId}" in this organization`,
    ],
    [{ policies: [] }, 'parameters.policies must be a list of 1 to 100'],
    [named(...repeated(101, String)), 'parameters.policies must be a list of 1 to 100'],
  ] as const) {
    expectRefused(await submit('create_policies', parameters), 400, text)
  }
  expect(await found('list_policies')).toEqual(before)
})

test('a user outside of the root quorum may not make them', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_policies', named('mine'), { apiKey }), 403)
})

test('an organization has at most as many policies as its limit', async () => {
  const before = (await found('list_policies')).policies
  expectRefused(
    await submit('create_policies', named('3', '4', '5', '6')),
    429,
    'an organization has at most 5 policies',
  )
  expect((await found('list_policies')).policies).toEqual(before)
  await done('create_policies', named('3', '4', '5'))
  const answer = await submit('create_policy', newPolicy({ policyName: '6' }))
  expectRefused(answer, 429, 'an organization has at most 5 policies')
  expect(namesOf((await found('list_policies')).policies)).toEqual(['b', 'a', '3', '4', '5'])
})
