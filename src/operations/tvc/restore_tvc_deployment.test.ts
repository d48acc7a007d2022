import { expect, test } from 'vitest'
import { absentId, expectRefused } from '../../../test/support/organization.ts'
import { startTvc } from '../../../test/support/tvc.ts'

const { submit, done, deploy, approve, deploymentOf, liveId } = await startTvc()

test('a restored deployment is as it was, with its approvals, and not live', async () => {
  const [live, other] = [await deploy(), await deploy()]
  await approve(live)
  await approve(other)
  const { updatedAt: _, ...before } = await deploymentOf(other)
  await done('delete_tvc_deployment', { deploymentId: other })
  expect(await done('restore_tvc_deployment', { deploymentId: other })).toEqual({ deploymentId: other })
  expect(await deploymentOf(other)).toMatchObject({ ...before, delete: false })
  expect(await liveId()).toBe(live)
  // Nothing to restore: nothing changes.
  await done('restore_tvc_deployment', { deploymentId: live })
  expect(await liveId()).toBe(live)
})

test('a deployment that does not exist is 404', async () => {
  expectRefused(await submit('restore_tvc_deployment', { deploymentId: absentId }), 404, 'not found')
})
