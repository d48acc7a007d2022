import { expect, test } from 'vitest'
import { longestStep } from '../support/longest_step.ts'
import { deliver, rowsIn } from '../support/notices.ts'
import {
  newPolicy,
  newPrivateKey,
  newUser,
  organizationOf,
  repeated,
  startOrganization,
} from '../support/organization.ts'

/** Whether a policy that has changed still asks for a user takes the steps of one question, however many are asked. */

const stepMsMax = 100
const [usersCount, policiesCount, depth] = [8, 12, 13]

/** False, after about 2 ** depth comparisons. */
const costly = () => {
  const opening = repeated(depth, (index) => `[1, 2].any(x${index}, `).join('')
  return `approvers.any(a, ${opening}a.alias == 'zz'${')'.repeat(depth)})`
}

test('of a view, and of a notice for many users of one mailbox', async () => {
  const parent = await startOrganization({ sendsNotices: true, isVaultApart: true, decidesOnce: true })
  const below = organizationOf(parent, await parent.subOrganization())
  const [asker, other] = [await below.anotherUser('asker'), await below.anotherUser('other')]
  const users = repeated(usersCount, (index) => newUser({ userName: `u${index}`, userEmail: 'x@example.org' }))
  await below.done('create_users', { users })
  const byOther = `approvers.any(b, b.id == '${other.userId}')`
  const allowed = { effect: 'EFFECT_ALLOW', condition: "activity.resource == 'PRIVATE_KEY'" }
  const policies = repeated(policiesCount, (index) =>
    newPolicy({ ...allowed, policyName: `p${index}`, consensus: byOther }),
  )
  const { policyIds } = await below.done('create_policies', { policies })
  const consensus = "approvers.any(b, b.email == 'x@example.org')"
  const { policyId } = await below.done('create_policy', newPolicy({ ...allowed, policyName: 'last', consensus }))
  const { body } = await below.submit('create_private_keys', { privateKeys: [newPrivateKey()] }, asker)
  await below.done('update_policy', { policyId, policyConsensus: byOther })
  for (const id of policyIds) {
    await below.done('update_policy', { policyId: id, policyConsensus: `${costly()} || ${byOther}` })
  }
  const view = () => below.found('get_activity', { activityId: body.activity.id }, asker)
  await view()
  expect(await longestStep(view)).toBeLessThan(stepMsMax)
  const before = rowsIn(parent).length
  const delivering = async () => {
    await deliver(parent)
    await expect.poll(() => rowsIn(parent).length, { timeout: 20_000 }).toBeLessThan(before)
  }
  expect(await longestStep(delivering)).toBeLessThan(stepMsMax)
})
