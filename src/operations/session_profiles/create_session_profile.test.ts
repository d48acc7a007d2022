import { expect, test } from 'vitest'
import { expectRefused, startOrganization, uuid } from '../../../test/support/organization.ts'

const { submit, found, done, anotherUser, subOrganization } = await startOrganization({
  limits: { sessionProfilesMax: 3 },
})
const profile = { sessionProfileName: 'trading', scope: "activity.action == 'SIGN'" }

test('a profile may last up to 30 days', async () => {
  const given = { ...profile, expirationSeconds: '2592000', notes: '' }
  const { sessionProfileId } = await done('create_session_profile', given)
  expect(sessionProfileId).toEqual(uuid)
  expect((await found('get_session_profile', { sessionProfileId })).sessionProfile).toMatchObject(given)
})

test('invalid requests are refused', async () => {
  for (const [change, text] of [
    [{ scope: '' }, 'parameters.scope must be an expression of 1 to 5000 characters'],
    [{ sessionProfileName: ' x' }, 'parameters.sessionProfileName must be a text of 1 to 256 characters'],
    [{ expirationSeconds: '0' }, 'parameters.expirationSeconds must be a number of seconds from 1'],
    [{ expirationSeconds: '2592001' }, 'parameters.expirationSeconds must be a number of seconds from 1 to 2592000'],
    [{ notes: 'x'.repeat(2_001) }, 'parameters.notes must be a text of at most 2000 characters'],
  ] as const) {
    expectRefused(await submit('create_session_profile', { ...profile, ...change }), 400, text)
  }
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_session_profile', profile, { apiKey }), 403)
})

test('a sub-organization may not create a profile', async () => {
  const { organizationId, apiKey } = await subOrganization()
  const answer = await submit('create_session_profile', profile, { organizationId, apiKey })
  expectRefused(answer, 403, 'a sub-organization uses the session profiles of its parent')
})

test('an organization has at most as many profiles as its limit', async () => {
  await done('create_session_profile', profile)
  await done('create_session_profile', profile)
  expectRefused(await submit('create_session_profile', profile), 429, 'an organization has at most 3 session profiles')
})
