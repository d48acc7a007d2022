import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization, timestamp } from '../../../test/support/organization.ts'

const { server, query, found, done, subOrganization } = await startOrganization()
const profile = { sessionProfileName: 'trading', scope: "activity.action == 'SIGN'" }
const { sessionProfileId } = await done('create_session_profile', profile)
const shown = { sessionProfile: { ...profile, sessionProfileId, createdAt: timestamp, updatedAt: timestamp } }

test('a profile is shown with every field that it has', async () => {
  const given = { ...profile, expirationSeconds: '900', notes: 'a note' }
  const { sessionProfileId: id } = await done('create_session_profile', given)
  expect(await found('get_session_profile', { sessionProfileId: id })).toStrictEqual({
    sessionProfile: { ...given, sessionProfileId: id, createdAt: timestamp, updatedAt: timestamp },
  })
  expect(await found('get_session_profile', { sessionProfileId: sessionProfileId.toUpperCase() })).toStrictEqual(shown)
})

test('a sub-organization sees the profiles of its parent', async () => {
  const { organizationId, apiKey } = await subOrganization()
  expect(await found('get_session_profile', { sessionProfileId }, { organizationId, apiKey })).toStrictEqual(shown)
  expect(await found('get_session_profile', { sessionProfileId }, { organizationId })).toStrictEqual(shown)
})

test('an unknown or foreign profile is 404', async () => {
  const { organizationId, apiKey } = await server.createOrganization()
  const ask = { organizationId, apiKey }
  const text = `there is no session profile ${sessionProfileId} in this organization`
  expectRefused(await query('get_session_profile', { sessionProfileId }, ask), 404, text)
  expectRefused(await query('get_session_profile', { sessionProfileId: absentId }), 404, 'there is no session profile')
})
