import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'

const { found, done, subOrganization } = await startOrganization()

test('all profiles are listed in order of creation, here and in sub-organizations', async () => {
  expect(await found('get_session_profiles')).toStrictEqual({ sessionProfiles: [] })
  const sessionProfiles = []
  for (const sessionProfileName of ['b', 'a', 'c']) {
    const { sessionProfileId } = await done('create_session_profile', { sessionProfileName, scope: 'true' })
    sessionProfiles.push((await found('get_session_profile', { sessionProfileId })).sessionProfile)
  }
  expect(await found('get_session_profiles')).toStrictEqual({ sessionProfiles })
  const { organizationId, apiKey } = await subOrganization()
  expect(await found('get_session_profiles', {}, { organizationId, apiKey })).toStrictEqual({ sessionProfiles })
})
