import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'

const { found } = await startOrganization()

test('there are no versions of QuorumOS to choose from', async () => {
  expect(await found('get_tvc_qos_versions')).toEqual({ availableVersions: [], latestVersion: '' })
})
