import { expect, test } from 'vitest'
import { absentId, expectRefused } from '../../../test/support/organization.ts'
import { startTvc } from '../../../test/support/tvc.ts'

const { submit, done, deploy, approve, liveId } = await startTvc()

test('an approved deployment takes the place of the live one', async () => {
  const [first, second] = [await deploy(), await deploy()]
  await approve(first)
  const unapproved = await submit('set_tvc_app_live_deployment', { deploymentId: second })
  expectRefused(unapproved, 400, 'parameters.deploymentId must be one whose manifest has enough approvals')
  await approve(second)
  expect(await liveId()).toBe(first)
  expect(await done('set_tvc_app_live_deployment', { deploymentId: second })).toEqual({})
  expect(await liveId()).toBe(second)

  await done('delete_tvc_deployment', { deploymentId: first })
  const deleted = await submit('set_tvc_app_live_deployment', { deploymentId: first })
  expectRefused(deleted, 400, 'parameters.deploymentId must be one that is not deleted: restore it first')
})

test('a deployment that does not exist is 404', async () => {
  expectRefused(await submit('set_tvc_app_live_deployment', { deploymentId: absentId }), 404, 'not found')
})
