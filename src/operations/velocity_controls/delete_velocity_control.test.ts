import { expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newPolicy,
  newVelocityControl,
  startOrganization,
} from '../../../test/support/organization.ts'

const { submit, done, found, anotherUser } = await startOrganization()
const { velocityControlId } = await done('create_velocity_control', newVelocityControl())

test('a control that a policy names stays, and the refusal names the policy', async () => {
  const { policyId } = await done('create_policy', newPolicy({ condition: '!controls.daily', effect: 'EFFECT_DENY' }))
  const answer = await submit('delete_velocity_control', { velocityControlId })
  expectRefused(answer, 400, `these policies name controls.daily; change or delete them first: ${policyId}`)
  await done('update_policy', { policyId, policyCondition: "activity.kind == 'SIGN_TRANSACTION'" })
  const { apiKey } = await anotherUser()
  expectRefused(await submit('delete_velocity_control', { velocityControlId }, { apiKey }), 403)
  expect(await done('delete_velocity_control', { velocityControlId })).toStrictEqual({ velocityControlId })
  expect((await found('list_velocity_controls')).velocityControls).toEqual([])
})

test('a policy that names a control with a typing error is refused with the name that is meant', async () => {
  await done('create_velocity_control', newVelocityControl({ identifier: 'weekly_ether' }))
  const text = "there is no velocity control weekly_eter in this organization; did you mean 'weekly_ether'?"
  expectRefused(
    await submit('create_policy', newPolicy({ policyName: 'weekly', condition: 'controls.weekly_eter' })),
    400,
    text,
  )
})

test('no policy names a control that does not exist', async () => {
  const condition = "activity.action == 'SIGN' && controls.daily"
  const text = 'column 30: there is no velocity control daily in this organization'
  const policy = newPolicy({ policyName: 'new', condition })
  expectRefused(await submit('create_policy', policy), 400, `parameters.condition: ${text}`)
  expectRefused(await submit('create_policies', { policies: [policy] }), 400, `policies[0].condition: ${text}`)
  const { policyId } = await done('create_policy', newPolicy({ policyName: 'other' }))
  const change = { policyId, policyCondition: condition }
  expectRefused(await submit('update_policy', change), 400, `parameters.policyCondition: ${text}`)
})

test('no policy reads a control beside an activity that the control does not count', async () => {
  await done('create_velocity_control', newVelocityControl({ identifier: 'monthly' }))
  const condition = "activity.kind == 'CREATE_USERS' && !controls.monthly"
  const text = 'column 37: controls.monthly counts SIGN_RAW_PAYLOAD, SIGN_RAW_PAYLOADS, SIGN_TRANSACTION'
  const policy = newPolicy({ policyName: 'never', condition, effect: 'EFFECT_DENY' })
  expectRefused(await submit('create_policy', policy), 400, `parameters.condition: ${text}`)
  expectRefused(await submit('create_policies', { policies: [policy] }), 400, `policies[0].condition: ${text}`)
  const { policyId } = await done('create_policy', newPolicy({ policyName: 'right', condition: '!controls.monthly' }))
  const change = { policyId, policyCondition: condition }
  expectRefused(await submit('update_policy', change), 400, `parameters.policyCondition: ${text}`)
})

test('an unknown control is 404', async () => {
  const answer = await submit('delete_velocity_control', { velocityControlId: absentId })
  expectRefused(answer, 404, `there is no velocity control ${absentId}`)
})
