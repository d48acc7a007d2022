import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization, timestamp, uuid } from '../../../test/support/organization.ts'
import { manifestOf, newApp, newDeployment, newOperator } from '../../../test/support/tvc.ts'

const organization = await startOrganization()
const { server, organizationId, query, found, done, submit } = organization

test('a deployment is shown with every field, approvals included', async () => {
  const [ada, ben] = [newOperator('Ada'), newOperator('Ben')]
  const { appId, manifestSetOperatorIds } = await done('create_tvc_app', newApp([ada, ben]))
  const { tvcApp } = await found('get_tvc_app', { tvcAppId: appId })
  const given = newDeployment(appId, {
    healthCheckType: 'TVC_HEALTH_CHECK_TYPE_GRPC',
    healthCheckPort: 3001,
    pivotContainerEncryptedPullSecret: 'c2VjcmV0',
    replicas: 3,
    instanceSizeCpus: 2,
    instanceSizeRam: 16,
  })
  const { deploymentId } = await done('create_tvc_deployment', given)
  const signature = ben.sign(await manifestOf(organization, deploymentId))
  const approvals = [{ operatorId: manifestSetOperatorIds[1], signature }]
  const [approvalId] = (await done('create_tvc_manifest_approvals', { manifestId: deploymentId, approvals }))
    .approvalIds

  const times = { createdAt: timestamp, updatedAt: timestamp }
  const shown = await found('get_tvc_deployment', { deploymentId })
  const tvcDeployment = {
    id: deploymentId,
    organizationId,
    appId,
    manifestSet: tvcApp.manifestSet,
    shareSet: tvcApp.shareSet,
    manifest: { id: deploymentId, manifest: expect.stringMatching(/^[A-Za-z0-9+/]+={0,2}$/), ...times },
    manifestApprovals: [
      {
        id: approvalId,
        manifestId: deploymentId,
        operator: tvcApp.manifestSet.operators[1],
        approval: Buffer.from(signature, 'hex').toString('base64'),
        ...times,
      },
    ],
    qosVersion: 'v0.5.0',
    pivotContainer: {
      containerUrl: given.pivotContainerImageUrl,
      path: '/app',
      args: ['--port', '3000'],
      hasPullSecret: true,
      healthCheckType: 'TVC_HEALTH_CHECK_TYPE_GRPC',
      healthCheckPort: 3001,
      publicIngressPort: 3000,
    },
    ...times,
    delete: false,
    debugMode: false,
    instanceSizeCpus: 2,
    instanceSizeRam: 16,
  }
  expect(shown).toStrictEqual({ tvcDeployment })
  expect(approvalId).toEqual(uuid)
  const { createdAt, updatedAt, manifest } = shown.tvcDeployment
  expect(Number(updatedAt.nanos)).toBeGreaterThan(Number(createdAt.nanos))
  expect(manifest.updatedAt).toEqual(createdAt)
})

test('an unknown or foreign id is 404', async () => {
  const other = await server.createOrganization()
  const ask = { apiKey: other.apiKey, organizationId: other.organizationId }
  const { appId } = await done('create_tvc_app', newApp([newOperator('Foreign')]), ask)
  const foreign = await done('create_tvc_deployment', newDeployment(appId), ask)
  for (const deploymentId of [absentId, foreign.deploymentId]) {
    const text = `there is no tvc deployment ${deploymentId} in this organization`
    expectRefused(await query('get_tvc_deployment', { deploymentId }), 404, text)
  }
  expectRefused(await submit('create_tvc_deployment', newDeployment(appId)), 404)
})
