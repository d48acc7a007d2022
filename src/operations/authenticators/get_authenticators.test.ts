import { expect, test } from 'vitest'
import { absentId, expectRefused, newAuthenticator, startOrganization } from '../../../test/support/organization.ts'

const { query, found, done, anotherUser } = await startOrganization()
const { userId, apiKey } = await anotherUser()

test('the passkeys of one user are listed, also for other callers', async () => {
  expect(await found('get_authenticators', { userId })).toStrictEqual({ authenticators: [] })
  const authenticators = [newAuthenticator({ authenticatorName: 'a' }), newAuthenticator({ authenticatorName: 'b' })]
  await done('create_authenticators', { userId, authenticators })
  const { user } = await found('get_user', { userId })
  const listed = await found('get_authenticators', { userId: userId.toUpperCase() }, { apiKey })
  expect(listed).toStrictEqual({ authenticators: user.authenticators })
  expect(listed.authenticators).toMatchObject([{ authenticatorName: 'a' }, { authenticatorName: 'b' }])
})

test('an unknown user is 404', async () => {
  const text = `there is no user ${absentId} in this organization`
  expectRefused(await query('get_authenticators', { userId: absentId }), 404, text)
  expectRefused(await query('get_authenticators', {}), 400, 'userId must be present')
})
