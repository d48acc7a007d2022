import { expect, test } from 'vitest'
import { absentId, expectRefused, newUser, timestamp } from '../../../test/support/organization.ts'
import { startOrganizationWithIssuer } from '../../../test/support/organization_with_issuer.ts'

const { issuer, idToken, query, done, found } = await startOrganizationWithIssuer()

const userOf = async (sub: string) => {
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub }) }]
  return (await done('create_users', { users: [newUser({ oauthProviders })] })).userIds[0]
}
const [ada, bob] = [await userOf('ada'), await userOf('bob')]

test('the providers of one user or of all users are listed', async () => {
  const { oauthProviders: adas } = await found('get_oauth_providers', { userId: ada.toUpperCase() })
  const identity = { providerName: 'Issuer', issuer: issuer.url, audience: issuer.clientId, subject: 'ada' }
  expect(adas).toStrictEqual([
    { providerId: expect.any(String), ...identity, createdAt: timestamp, updatedAt: timestamp },
  ])
  expect(await found('get_user', { userId: ada })).toMatchObject({ user: { oauthProviders: adas } })
  const { oauthProviders: bobs } = await found('get_oauth_providers', { userId: bob })
  expect(await found('get_oauth_providers')).toStrictEqual({ oauthProviders: [...adas, ...bobs] })
})

test('an unknown user is 404', async () => {
  const text = `there is no user ${absentId} in this organization`
  expectRefused(await query('get_oauth_providers', { userId: absentId }), 404, text)
})
