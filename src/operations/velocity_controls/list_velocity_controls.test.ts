import { expect, test } from 'vitest'
import { newVelocityControl, startOrganization } from '../../../test/support/organization.ts'

const { found, done, subOrganization } = await startOrganization()

test('controls are listed in order of creation, each organization with its own', async () => {
  expect(await found('list_velocity_controls')).toStrictEqual({ velocityControls: [] })
  const velocityControls = []
  for (const identifier of ['b', 'a', 'C']) {
    const { velocityControlId } = await done('create_velocity_control', newVelocityControl({ identifier }))
    velocityControls.push((await found('get_velocity_control', { velocityControlId })).velocityControl)
  }
  expect(await found('list_velocity_controls')).toStrictEqual({ velocityControls })
  const { organizationId, apiKey } = await subOrganization()
  expect(await found('list_velocity_controls', {}, { organizationId, apiKey })).toStrictEqual({ velocityControls: [] })
})
