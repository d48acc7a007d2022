import { expect, test } from 'vitest'
import { expectRefused, newApiKey, newUser, startOrganization } from '../../../test/support/organization.ts'
import { startOrganizationWithIssuer } from '../../../test/support/organization_with_issuer.ts'

test('the current quorum decides on the next one', async () => {
  const { submit, done, rootUserId, found, anotherUser } = await startOrganization()
  const second = await anotherUser()
  const userIds = [rootUserId, second.userId]
  expect(await done('update_root_quorum', { threshold: 2, userIds })).toStrictEqual({})
  const quorum = async () => (await found('get_organization_configs')).configs.quorum
  const { body } = await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId] })
  expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  expect(await quorum()).toEqual({ threshold: 2, userIds })
  const { fingerprint } = body.activity
  await submit('approve_activity', { fingerprint }, { apiKey: second.apiKey })
  expect(await quorum()).toEqual({ threshold: 1, userIds: [rootUserId] })
})

test('a user outside of the quorum may not change it', async () => {
  const { submit, rootUserId, anotherUser } = await startOrganization()
  const { apiKey, userId } = await anotherUser()
  expectRefused(await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId, userId] }, { apiKey }), 403)
})

test('a quorum that would lock everybody out is refused', async () => {
  const { submit, done, rootUserId } = await startOrganization()
  const [keyless] = (await done('create_users', { users: [newUser()] })).userIds
  const expiring = [newApiKey({ expirationSeconds: '900' })]
  const [guest] = (await done('create_users', { users: [newUser({ apiKeys: expiring })] })).userIds
  const unknown = '01234567-89ab-7cde-8f01-23456789abcd'
  for (const [parameters, text] of [
    [{ threshold: 2, userIds: [rootUserId] }, 'parameters.threshold must be at most 1'],
    [{ threshold: 2, userIds: [rootUserId, rootUserId.toUpperCase()] }, 'parameters.threshold must be at most 1'],
    [{ threshold: 0, userIds: [rootUserId] }, 'parameters.threshold'],
    [{ threshold: 1, userIds: [] }, 'parameters.userIds'],
    [{ threshold: 1, userIds: [unknown] }, `unable to find user ${unknown}`],
    [{ threshold: 1, userIds: [rootUserId, keyless] }, `user missing valid credential: ${keyless}`],
    [{ threshold: 1, userIds: [rootUserId, guest] }, `user missing valid credential: ${guest}`],
  ] as const) {
    expectRefused(await submit('update_root_quorum', parameters), 400, text)
  }
})

test('a user with an OAuth provider can be a member', async () => {
  const { idToken, done, rootUserId, found } = await startOrganizationWithIssuer()
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub: 'ada' }) }]
  const [withProvider] = (await done('create_users', { users: [newUser({ oauthProviders })] })).userIds
  const quorum = { threshold: 1, userIds: [rootUserId, withProvider] }
  await done('update_root_quorum', quorum)
  expect((await found('get_organization_configs')).configs.quorum).toEqual(quorum)
})

test('a user who logs in by passcodes alone can be a member while such passcodes are on', async () => {
  const { done, submit, rootUserId, found } = await startOrganization()
  const users = [newUser({ userEmail: 'ada@example.org' }), newUser({ userPhoneNumber: '+14155550123' })]
  const [byMail, byPhone] = (await done('create_users', { users })).userIds
  await done('remove_organization_feature', { name: 'FEATURE_NAME_SMS_AUTH' })
  const withPhone = { threshold: 1, userIds: [rootUserId, byPhone] }
  const text = `user missing valid credential: ${byPhone}`
  expectRefused(await submit('update_root_quorum', withPhone), 400, text)
  await done('set_organization_feature', { name: 'FEATURE_NAME_SMS_AUTH' })
  for (const quorum of [withPhone, { threshold: 1, userIds: [byMail] }]) {
    await done('update_root_quorum', quorum)
    expect((await found('get_organization_configs')).configs.quorum).toEqual(quorum)
  }
})
