import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { server, submit, query, found } = await startOrganization()
const { body } = await submit('create_wallet', { walletName: 'wallet', accounts: [] })
const activityId = body.activity.id

test('there are none for votes that needed no policy', async () => {
  expect(await found('get_policy_evaluations', { activityId: activityId.toUpperCase() })).toStrictEqual({
    policyEvaluations: [],
  })
})

test('an activity of another organization, or none, is 404; an id that is none is 400', async () => {
  const other = await server.createOrganization()
  const ask = { organizationId: other.organizationId, apiKey: other.apiKey }
  const text = (id: string) => `there is no activity ${id} in this organization`
  expectRefused(await query('get_policy_evaluations', { activityId }, ask), 404, text(activityId))
  expectRefused(await query('get_policy_evaluations', { activityId: absentId }), 404, text(absentId))
  expectRefused(await query('get_policy_evaluations', { activityId: 'x' }), 400, 'activityId must be a UUID')
})
