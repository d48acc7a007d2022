import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'

const { organizationId, rootUserId, found, anotherUser } = await startOrganization()

test('the user whose key stamped the request is shown', async () => {
  const { userId, apiKey } = await anotherUser('Ada')
  const organization = { organizationId, organizationName: 'First' }
  expect(await found('whoami')).toStrictEqual({ ...organization, userId: rootUserId, username: 'root' })
  expect(await found('whoami', {}, { apiKey })).toStrictEqual({ ...organization, userId, username: 'Ada' })
})
