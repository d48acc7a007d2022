import { expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newVelocityControl,
  startOrganization,
  timestamp,
} from '../../../test/support/organization.ts'

const { server, organizationId, query, found, done } = await startOrganization()

test('a control is shown with every field that it has', async () => {
  const given = newVelocityControl()
  const { velocityControlId } = await done('create_velocity_control', given)
  const times = { createdAt: timestamp, updatedAt: timestamp }
  expect(await found('get_velocity_control', { velocityControlId: velocityControlId.toUpperCase() })).toStrictEqual({
    velocityControl: { ...given, velocityControlId, organizationId, ...times },
  })
  const other = await server.createOrganization()
  const ask = { organizationId: other.organizationId, apiKey: other.apiKey }
  expectRefused(await query('get_velocity_control', { velocityControlId }, ask), 404, 'there is no velocity control')
})

test('an unknown control is 404', async () => {
  const unknown = { velocityControlId: absentId }
  expectRefused(await query('get_velocity_control', unknown), 404, `there is no velocity control ${absentId}`)
})
