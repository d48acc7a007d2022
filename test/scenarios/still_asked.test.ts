import { expect, test } from 'vitest'
import { by, byTag } from '../support/changed_since.ts'
import { type Ask, newAuthenticator, newPolicy, type Parameters, startOrganization } from '../support/organization.ts'

/** Who is asked while an activity waits, when users get and lose what the policy goes by, or something else. */

const creating = "activity.kind == 'CREATE_WALLET'"
/** Open for an hour a day, at the beginning of the test. */
const shortly = (nowMs: number) => {
  const at = new Date(nowMs)
  return `CronSpan('${at.getUTCMinutes()} ${at.getUTCHours()} * * *', '1h', 'UTC')`
}

async function startWaiting(policy: (tagId: string) => Parameters, { alsoAsksErin = false } = {}) {
  const made = await startOrganization()
  const { anotherUser, done, found, submit, clock } = made
  const [asker, bob, carol] = [await anotherUser('asker'), await anotherUser('bob'), await anotherUser('carol')]
  const erin = await anotherUser('erin')
  const { userTagId: finance } = await done('create_user_tag', { userTagName: 'Finance', userIds: [erin.userId] })
  const authenticators = [newAuthenticator()]
  await done('create_authenticators', { userId: carol.userId, authenticators })
  const userIds = [bob.userId, carol.userId]
  const { userTagId: treasury } = await done('create_user_tag', { userTagName: 'Treasury', userIds })
  const { userTagId: football } = await done('create_user_tag', { userTagName: 'Football', userIds: [bob.userId] })
  await done('update_user_email', { userId: bob.userId, userEmail: 'cfo@example.org' })
  const effect = 'EFFECT_ALLOW'
  const { policyId } = await done('create_policy', newPolicy({ effect, condition: creating, ...policy(treasury) }))
  const ofErin = newPolicy({ effect, policyName: 'by Erin', condition: creating, consensus: by(erin.userId) })
  const otherPolicyId = alsoAsksErin ? (await done('create_policy', ofErin)).policyId : ''
  const asked = (await submit('create_wallet', { walletName: 'w', accounts: [] }, asker)).body.activity
  expect(asked.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  clock.nowMs += 5
  const vote = async (name: 'approve_activity' | 'reject_activity', by: Ask) => {
    const { status, body } = await submit(name, { fingerprint: asked.fingerprint }, by)
    return status === 200 ? body.activity.status : status
  }
  return {
    ...{ ...made, bob, carol, erin, treasury, finance, football, policyId, otherPolicyId, vote },
    puts: (userTagId: string, userId: string) =>
      done('update_user_tag', { userTagId, addUserIds: [userId], removeUserIds: [] }),
    takes: (userTagId: string, userId: string) =>
      done('update_user_tag', { userTagId, addUserIds: [], removeUserIds: [userId] }),
    /** Whether the inbox of the user has it, and whether the explanation says that the user completes it. */
    async seenBy(by: Ask & { readonly userId: string }) {
      const { activity } = await found('get_activity', { activityId: asked.id }, by)
      const { explanation } = await found('explain_activity', { activityId: asked.id }, by)
      const { rows } = explanation.sections.find(({ kind }: { kind: string }) => kind === 'rule')
      const able = rows.find(({ label }: { label: string }) => label === 'canComplete')?.value.items ?? []
      const isAble = able.some(({ id }: { id: string }) => id === by.userId)
      return [activity.canApprove, activity.canReject, isAble]
    },
  }
}

const all = [true, true, true]
const none = [false, false, false]
const byTreasury = (tagId: string) => ({ consensus: byTag(tagId) })
const byAddress = () => ({ consensus: "approvers.any(user, user.email == 'cfo@example.org')" })

test('a user who loses another tag is asked still, and may reject while the policy is closed', async () => {
  const { bob, carol, football, takes, seenBy, vote } = await startWaiting(byTreasury)
  await takes(football, bob.userId)
  expect(await seenBy(bob)).toEqual(all)
  expect(await seenBy(carol)).toEqual(all)
  expect(await vote('approve_activity', bob)).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('a closed policy leaves the veto to those who lose another tag, and to those who get its own', async () => {
  for (const isNew of [false, true]) {
    let nowMs = 0
    const made = await startOrganization()
    nowMs = made.clock.nowMs
    const waiting = await startWaiting((tagId) => ({ ...byTreasury(tagId), time: shortly(nowMs) }))
    const { anotherUser, bob, clock, football, treasury, puts, takes, vote } = waiting
    clock.nowMs += 2 * 60 * 60 * 1000
    const dave = await anotherUser('dave')
    await takes(football, bob.userId)
    await puts(treasury, dave.userId)
    expect(await vote('reject_activity', isNew ? dave : bob)).toBe('ACTIVITY_STATUS_REJECTED')
  }
})

test('a user who loses the tag and gets it back is asked again', async () => {
  const { bob, treasury, puts, takes, seenBy, vote } = await startWaiting(byTreasury)
  await takes(treasury, bob.userId)
  expect(await seenBy(bob)).toEqual(none)
  expect(await vote('reject_activity', bob)).toBe(403)
  await puts(treasury, bob.userId)
  expect(await seenBy(bob)).toEqual(all)
})

test('a user who has lost the tag days ago is not asked again', async () => {
  const { bob, clock, treasury, takes, done, seenBy } = await startWaiting(byTreasury)
  await takes(treasury, bob.userId)
  clock.nowMs += 3 * 24 * 60 * 60 * 1000
  await done('update_user_name', { userId: bob.userId, userName: 'Bob' })
  expect(await seenBy(bob)).toEqual(none)
})

test('a user whose address is not the one of the policy any more is asked no more', async () => {
  const { bob, done, seenBy, vote } = await startWaiting(byAddress)
  expect(await seenBy(bob)).toEqual(all)
  await done('update_user_phone_number', { userId: bob.userId, userPhoneNumber: '+14155550123' })
  expect(await seenBy(bob)).toEqual(all)
  await done('update_user_email', { userId: bob.userId, userEmail: 'former@example.org' })
  expect(await seenBy(bob)).toEqual(none)
  expect(await vote('reject_activity', bob)).toBe(403)
})

test('a user who gets the tag later is asked too', async () => {
  const { anotherUser, treasury, puts, seenBy, vote } = await startWaiting(byTreasury)
  const dave = await anotherUser('dave')
  expect(await seenBy(dave)).toEqual(none)
  await puts(treasury, dave.userId)
  expect(await seenBy(dave)).toEqual(all)
  expect(await vote('approve_activity', dave)).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('a user whose policy was deleted may still reject, whatever other tags the user loses', async () => {
  const { bob, football, takes, done, found, vote } = await startWaiting(byTreasury)
  const [{ policyId }] = (await found('list_policies', {})).policies
  await done('delete_policy', { policyId })
  await takes(football, bob.userId)
  expect(await vote('reject_activity', bob)).toBe('ACTIVITY_STATUS_REJECTED')
})

test('the end of another policy gives nobody a vote, and takes none from those for whom it waited', async () => {
  const waiting = await startWaiting(byTreasury, { alsoAsksErin: true })
  const { anotherUser, bob, carol, erin, treasury, football, otherPolicyId, puts, takes, done, seenBy, vote } = waiting
  const dave = await anotherUser('dave')
  await takes(treasury, bob.userId)
  await puts(treasury, dave.userId)
  await done('delete_policy', { policyId: otherPolicyId })
  await puts(football, erin.userId)
  expect(await seenBy(bob)).toEqual(none)
  expect(await seenBy(carol)).toEqual(all)
  expect(await seenBy(dave)).toEqual(all)
  expect(await seenBy(erin)).toEqual([true, true, false])
  expect(await vote('reject_activity', bob)).toBe(403)
  expect(await vote('reject_activity', erin)).toBe('ACTIVITY_STATUS_REJECTED')
})

test('a policy that goes by another tag since asks those who have that one', async () => {
  const { carol, erin, finance, policyId, done, seenBy, vote } = await startWaiting(byTreasury)
  expect(await seenBy(erin)).toEqual(none)
  await done('update_policy', { policyId, policyConsensus: byTag(finance) })
  expect(await seenBy(carol)).toEqual(none)
  expect(await seenBy(erin)).toEqual(all)
  expect(await vote('reject_activity', carol)).toBe(403)
  expect(await vote('approve_activity', erin)).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('a policy by the type of a credential asks a user who adds one later', async () => {
  const consensus = "credentials.any(one, one.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')"
  const { bob, submit, seenBy } = await startWaiting(() => ({ consensus }))
  expect(await seenBy(bob)).toEqual(none)
  const authenticators = [newAuthenticator()]
  expect((await submit('create_authenticators', { userId: bob.userId, authenticators }, bob)).status).toBe(200)
  expect(await seenBy(bob)).toEqual(all)
})
