import { expect, test } from 'vitest'
import { absentId, expectRefused } from '../../../test/support/organization.ts'
import { newDeployment, startTvc } from '../../../test/support/tvc.ts'

const deploymentsMax = 3
const tvc = await startTvc({ tvcDeploymentsMax: deploymentsMax })
const { appId, clock, submit, done, deploy, approvalOf, approve, deploymentOf, liveId, deploymentIds } = tvc
const first = await deploy()

test('a deleted deployment is shown as such, takes no approvals and does not become live', async () => {
  expect(await done('delete_tvc_deployment', { deploymentId: first })).toEqual({ deploymentId: first })
  expect((await deploymentOf(first)).delete).toBe(true)
  const text = 'parameters.manifestId must be one that is not deleted: restore it first'
  expectRefused(await submit('create_tvc_manifest_approvals', await approvalOf(first)), 400, text)
  expect(await liveId()).toBeUndefined()
})

test('a live deployment is not deleted', async () => {
  const second = await deploy()
  await approve(second)
  expect(await liveId()).toBe(second)
  const refused = await submit('delete_tvc_deployment', { deploymentId: second })
  expectRefused(refused, 400, 'parameters.deploymentId must be one that is not live')
})

test('a deleted deployment gives its place to a new one when the limit is reached, the one deleted first', async () => {
  const [, second] = await deploymentIds()
  const third = await deploy()
  expect(await deploymentIds()).toEqual([first, second, third])
  clock.nowMs += 1_000
  await done('delete_tvc_deployment', { deploymentId: third })
  const fourth = await deploy()
  expect(await deploymentIds()).toEqual([second, third, fourth])
  const fifth = await deploy()
  expect(await deploymentIds()).toEqual([second, fourth, fifth])
  const full = await submit('create_tvc_deployment', newDeployment(appId, { nonce: 100 }))
  expectRefused(full, 429, `at most ${deploymentsMax}`)
  expectRefused(await submit('restore_tvc_deployment', { deploymentId: third }), 404, 'not found')
})

test('a deployment that does not exist is 404', async () => {
  expectRefused(await submit('delete_tvc_deployment', { deploymentId: absentId }), 404, 'not found')
})
