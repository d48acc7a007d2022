import { expect, test } from 'vitest'
import { absentId, expectRefused } from '../../../test/support/organization.ts'
import { newApp, newDeployment, startTvc } from '../../../test/support/tvc.ts'

const { appId, operator, submit, done, found, deploy, approve } = await startTvc({ tvcDeploymentsMax: 2 })

test('an app goes with all its deployments, frees their places and leaves other apps alone', async () => {
  await approve(await deploy())
  const other = await done('create_tvc_app', newApp([operator], { name: 'other' }))
  const kept = await deploy(other.appId)
  expectRefused(await submit('create_tvc_deployment', newDeployment(other.appId)), 429, 'at most 2')

  expect(await done('delete_tvc_app_and_deployments', { appId })).toEqual({ appId })
  const { tvcApps } = await found('list_tvc_apps')
  expect(tvcApps.map(({ id }: { id: string }) => id)).toEqual([other.appId])
  expectRefused(await submit('create_tvc_deployment', newDeployment(appId)), 404, 'not found')
  const { tvcDeployments } = await found('list_tvc_app_deployments', { appId: other.appId })
  expect(tvcDeployments.map(({ id }: { id: string }) => id)).toEqual([kept])
  await deploy(other.appId)
})

test('an app that does not exist is 404', async () => {
  expectRefused(await submit('delete_tvc_app_and_deployments', { appId: absentId }), 404, 'not found')
})
