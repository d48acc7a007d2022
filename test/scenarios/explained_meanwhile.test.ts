import { expect, test } from 'vitest'
import { byTag } from '../support/changed_since.ts'
import { explaining, warningsOf } from '../support/explanations.ts'
import { invite } from '../support/invitations.ts'
import { newPolicy, startOrganization } from '../support/organization.ts'
import { startTvc } from '../support/tvc.ts'

test('another live deployment is shown beside the one that runs, and one that was approved before is refused', async () => {
  const made = await startTvc()
  const { anotherUser, approve, deploy, done, liveId, rootUserId, submit } = made
  const [first, second, third] = [await deploy(), await deploy(), await deploy()]
  for (const one of [first, second, third]) await approve(one)
  const other = await anotherUser('other')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, other.userId] })
  const waiting = await submit('set_tvc_app_live_deployment', { deploymentId: second })
  const { lines } = await explaining({ ...made, submit: async () => waiting })('set_tvc_app_live_deployment', {})
  expect(lines).toContain(`deployment id: tvc deployment ${first} → tvc deployment ${second}`)
  expect(lines[0]).toContain('“app” (tvc app ')
  expect(lines).toContain(`expected pivot digest: “${'cd'.repeat(32)}” → “${'cd'.repeat(32)}”`)
  expect(lines).toContain('debug mode: no → no')
  expect(lines.join(' ')).toContain('pivot args: from: “--port”, “3000” to: “--port”, “3000”')
  const setLive = async (deploymentId: string) => {
    const { fingerprint } = (await submit('set_tvc_app_live_deployment', { deploymentId })).body.activity
    return (await submit('approve_activity', { fingerprint }, other)).body.activity
  }
  expect((await setLive(third)).status).toBe('ACTIVITY_STATUS_COMPLETED')
  const { fingerprint } = waiting.body.activity
  const late = (await submit('approve_activity', { fingerprint }, other)).body.activity
  expect(late.status).toBe('ACTIVITY_STATUS_FAILED')
  expect(late.failure.message).toContain('the tvc app ')
  expect(await liveId()).toBe(third)
})

test('a policy by a tag or an address names the open invitations with it, and no others', async () => {
  const made = await startOrganization()
  const { anotherUser, clock, done, rootUserId } = made
  const other = await anotherUser('other')
  const { userTagId } = await done('create_user_tag', { userTagName: 'Treasury', userIds: [other.userId] })
  const invited = await invite(made, { receiverUserName: 'Mallory', receiverUserTags: [userTagId] })
  await invite(made, { receiverUserName: 'Eve', receiverUserEmail: 'eve@example.org' })
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, other.userId] })
  const explain = explaining(made)
  let policies = 0
  const warned = async (consensus: string) => {
    policies += 1
    const policy = newPolicy({ policyName: `P${policies}`, effect: 'EFFECT_ALLOW', consensus })
    const { explanation, lines } = await explain('create_policy', policy)
    return { warnings: warningsOf(explanation), text: lines.join('\n') }
  }
  const byItsTag = await warned(byTag(userTagId))
  expect(byItsTag.warnings).toContain('namesInvited')
  expect(byItsTag.text).toContain(`“Mallory” (invitation ${invited.invitationId})`)
  expect(byItsTag.text).not.toContain('Eve')
  expect((await warned("approvers.any(user, user.email == 'eve@example.org')")).text).toContain('“Eve” (invitation ')
  const byId = await warned(`approvers.any(user, user.id == '${other.userId}')`)
  expect(byId.warnings).not.toContain('namesInvited')
  clock.nowMs += 365 * 24 * 60 * 60 * 1000
  expect((await warned(byTag(userTagId))).warnings).not.toContain('namesInvited')
})
