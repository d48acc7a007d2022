import { expect, test } from 'vitest'
import { readProof } from '../../../test/support/app_proofs.ts'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { submit, query, found } = await startOrganization()

const activityOf = async (given: object = {}) =>
  (await submit('update_organization_name', { organizationName: 'Ours', ...given })).body.activity

test("the proofs are those of the activity's answer, and they verify", async () => {
  const { id, appProofs } = await activityOf({ generateAppProofs: true })
  for (const activityId of [id, id.toUpperCase()]) {
    const answer = await found('list_app_proofs', { activityId })
    expect(answer).toStrictEqual({ appProofs })
    expect(answer.appProofs.map(readProof)).toMatchObject([{ type: 'APP_PROOF_TYPE_POLICY_OUTCOME' }])
  }
})

test('an activity whose request asked for no proofs has none', async () => {
  const { id: activityId } = await activityOf()
  expect(await found('list_app_proofs', { activityId })).toStrictEqual({ appProofs: [] })
})

test('an unknown or foreign id is 404', async () => {
  const other = await startOrganization()
  const theirs = (await other.submit('update_organization_name', { organizationName: 'Theirs' })).body.activity.id
  for (const activityId of [absentId, theirs]) {
    const text = `there is no activity ${activityId} in this organization`
    expectRefused(await query('list_app_proofs', { activityId }), 404, text)
  }
})
