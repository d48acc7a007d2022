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

test('a user with an OAuth provider can be a member, a user with only a contact cannot', async () => {
  const { idToken, done, submit, rootUserId, found } = await startOrganizationWithIssuer()
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub: 'ada' }) }]
  const users = [newUser({ oauthProviders }), newUser({ userEmail: 'ada@example.org' })]
  const [withProvider, withContact] = (await done('create_users', { users })).userIds
  const refused = await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId, withContact] })
  expectRefused(refused, 400, `user missing valid credential: ${withContact}`)
  const quorum = { threshold: 1, userIds: [rootUserId, withProvider] }
  await done('update_root_quorum', quorum)
  expect((await found('get_organization_configs')).configs.quorum).toEqual(quorum)
})
