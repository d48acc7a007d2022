import { expect, test } from 'vitest'
import { writeNextActivity } from '../../../test/support/later_version.ts'
import { absentId, expectRefused, newPolicy, startOrganization, timestamp } from '../../../test/support/organization.ts'

const { server, organizationId, rootKey, anotherUser, subOrganization, done, submit, query, found } =
  await startOrganization()
const { body } = await submit('create_wallet', { walletName: 'wallet', accounts: [] })
const activityId = body.activity.id

test('votes that needed no policy have no evaluations', async () => {
  expect(await found('get_policy_evaluations', { activityId: activityId.toUpperCase() })).toStrictEqual({
    policyEvaluations: [],
  })
})

test('the outcomes of policies are shown for each vote that recorded them, and nowhere else', async () => {
  const made = await submit('create_wallet', { walletName: 'another', accounts: [] })
  const { id, votes } = made.body.activity
  const policiesByOutcome = { OUTCOME_ALLOW: [absentId] }
  await writeNextActivity(server, { organizationId, activityId: id }, (activity) => ({
    ...activity,
    votes: activity.votes.map((vote) => ({ ...vote, policiesByOutcome })),
  }))
  const [{ id: voteId }] = votes
  const ids = { id: voteId, voteId, activityId: id, organizationId }
  expect(await found('get_policy_evaluations', { activityId: id })).toStrictEqual({
    policyEvaluations: [
      { ...ids, policyEvaluations: [{ policyId: absentId, outcome: 'OUTCOME_ALLOW' }], createdAt: timestamp },
    ],
  })
  expect((await found('get_activity', { activityId: id })).activity.votes).toEqual(votes)
})

test('outcomes of policies of the parent are not shown to users of its sub-organization', async () => {
  const backend = await anotherUser('backend')
  const consensus = `approvers.any(user, user.id == '${backend.userId}')`
  const { policyId } = await done(
    'create_policy',
    newPolicy({ policyName: 'codes', effect: 'EFFECT_ALLOW', consensus, condition: "activity.resource == 'OTP'" }),
  )
  const child = await subOrganization()
  const contact = 'ada@example.org'
  const inChild = { organizationId: child.organizationId, apiKey: child.apiKey }
  await done('update_user_email', { userId: child.rootUserId, userEmail: contact }, inChild)
  const code = { otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Acme' }
  const sent = await submit('init_otp', code, { ...inChild, apiKey: backend.apiKey })
  const ask = { activityId: sent.body.activity.id }
  const ofParent = await found('get_policy_evaluations', ask, { ...inChild, apiKey: rootKey })
  expect(JSON.stringify(ofParent)).toContain(policyId)
  expect(await found('get_policy_evaluations', ask, inChild)).toStrictEqual({ policyEvaluations: [] })
  expect(JSON.stringify(await found('explain_activity', ask, inChild))).not.toContain(policyId)
})

test('an unknown or foreign activity is 404', async () => {
  const other = await server.createOrganization()
  const ask = { organizationId: other.organizationId, apiKey: other.apiKey }
  const text = (id: string) => `there is no activity ${id} in this organization`
  expectRefused(await query('get_policy_evaluations', { activityId }, ask), 404, text(activityId))
  expectRefused(await query('get_policy_evaluations', { activityId: absentId }), 404, text(absentId))
})
