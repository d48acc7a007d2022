import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'

const { rootUserId, found } = await startOrganization()

test('a new organization has no features and its one root user as quorum', async () => {
  const quorum = { threshold: 1, userIds: [rootUserId] }
  expect(await found('get_organization_configs')).toStrictEqual({ configs: { features: [], quorum } })
})
