import { expect, test } from 'vitest'
import { toldMax } from '../../src/vault/activity/tell/notices.ts'
import { rowsIn } from '../support/notices.ts'
import { newApiKey, newPolicy, newPrivateKey, newUser, repeated, startOrganization } from '../support/organization.ts'

/** Who is told of an activity that waits. */

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
