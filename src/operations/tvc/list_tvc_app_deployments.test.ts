import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'
import { newApp, newDeployment, newOperator } from '../../../test/support/tvc.ts'

const { server, query, found, done } = await startOrganization()
const { appId } = await done('create_tvc_app', newApp([newOperator('Ada')]))
const other = await done('create_tvc_app', newApp([newOperator('Ben')]))

test('an app without deployments has an empty list', async () => {
  expect(await found('list_tvc_app_deployments', { appId })).toStrictEqual({ tvcDeployments: [] })
})

test('the deployments of the app alone are listed in order of creation, each as `get_tvc_deployment` shows it', async () => {
  const tvcDeployments: unknown[] = []
  for (const qosVersion of ['c', 'a', 'b']) {
    await done('create_tvc_deployment', newDeployment(other.appId))
    const { deploymentId } = await done('create_tvc_deployment', newDeployment(appId, { qosVersion }))
    tvcDeployments.push((await found('get_tvc_deployment', { deploymentId })).tvcDeployment)
  }
  expect(await found('list_tvc_app_deployments', { appId })).toStrictEqual({ tvcDeployments })
  expect(await found('list_tvc_app_deployments', { appId: appId.toUpperCase() })).toStrictEqual({ tvcDeployments })
})

test('an unknown or foreign app is 404', async () => {
  const stranger = await server.createOrganization()
  const ask = { apiKey: stranger.apiKey, organizationId: stranger.organizationId }
  const foreign = await done('create_tvc_app', newApp([newOperator('Foreign')]), ask)
  for (const absent of [absentId, foreign.appId]) {
    const text = `there is no tvc app ${absent} in this organization`
    expectRefused(await query('list_tvc_app_deployments', { appId: absent }), 404, text)
  }
})
