import { expect, test } from 'vitest'
import { toldMax } from '../../src/vault/activity/tell/notices.ts'
import { ask, rowsIn } from '../support/notices.ts'
import {
  newApiKey,
  newMfaPolicy,
  newPolicy,
  newPrivateKey,
  newUser,
  repeated,
  startOrganization,
} from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Who is told of an activity that waits, and when again. */

const hourMs = 60 * 60 * 1000

test('users without an address take no place of one who has one', async () => {
  const organization = await startOrganization({ sendsNotices: true, limits: { usersMax: 2 * toldMax } })
  const { done, submit, anotherUser } = organization
  const asker = await anotherUser('Asker')
  const users = repeated(toldMax, (index) => newUser({ userName: `user ${index}`, apiKeys: [newApiKey()] }))
  await done('create_users', { users })
  await done('create_users', { users: [newUser({ userName: 'Carol', userEmail: 'carol@example.org' })] })
  const condition = "activity.resource == 'PRIVATE_KEY'"
  const consensus = 'approvers.count() >= 2'
  await done('create_policy', newPolicy({ policyName: 'two', effect: 'EFFECT_ALLOW', condition, consensus }))
  await submit('create_private_keys', { privateKeys: [newPrivateKey()] }, { apiKey: asker.apiKey })
  expect(rowsIn(organization, 'carol@example.org')).toHaveLength(2)
})

test('the reminder comes before the first approval lapses, also where a later step was the last vote', async () => {
  const organization = await startOrganization({ sendsNotices: true })
  const { done, submit, anotherUser, rootUserId, clock } = organization
  const [bob, second] = [await anotherUser('Bob'), generateApiKey()]
  await done('update_user_email', { userId: bob.userId, userEmail: 'bob@example.org' })
  const apiKeys = [newApiKey({ publicKey: second.publicKey })]
  await done('create_api_keys', { userId: rootUserId, apiKeys })
  const step = { any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }
  const condition = "activity.resource == 'PRIVATE_KEY'"
  await done(
    'create_mfa_policy',
    newMfaPolicy({ userId: rootUserId, condition, requiredAuthenticationMethods: [step, step] }),
  )
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, bob.userId] })
  const submittedAtMs = clock.nowMs
  const { activity } = (await ask(organization)).body
  expect([activity.status, rowsIn(organization)]).toEqual(['ACTIVITY_STATUS_AUTHENTICATORS_NEEDED', []])
  clock.nowMs += 5 * hourMs
  const stepped = await submit('approve_activity', { fingerprint: activity.fingerprint }, { apiKey: second })
  expect(stepped.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const dueAfterHours = rowsIn(organization, 'bob@example.org').map(
    ({ due_at_ms }) => (Number(due_at_ms) - submittedAtMs) / hourMs,
  )
  expect(dueAfterHours.map(Math.round)).toEqual([5, 22])
})
