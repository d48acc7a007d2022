import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization, timestamp, uuid } from '../../../test/support/organization.ts'
import { newApp, newOperator, newSet } from '../../../test/support/tvc.ts'

const { server, organizationId, query, found, done } = await startOrganization()

test('an app is shown with every field', async () => {
  const operators = [newOperator('Ada'), newOperator('Ben')]
  const shares = [newOperator('Cem'), newOperator('Dan'), newOperator('Eve')]
  const times = { createdAt: timestamp, updatedAt: timestamp }
  const given = newApp(operators, {
    name: 'My app',
    shareSetParams: newSet(shares, { name: 'holders', threshold: 3 }),
    enableEgress: true,
    enableDebugModeDeployments: true,
  })
  const made = await done('create_tvc_app', given)
  const shown = ({ name, publicKey }: { name: string; publicKey: string }) => ({
    ...{ id: uuid, name, publicKey, ...times },
    ...{ encryptPublicKey: publicKey.slice(0, 130), signPublicKey: publicKey.slice(130) },
  })
  const tvcApp = {
    id: made.appId,
    organizationId,
    name: 'My app',
    quorumPublicKey: given.quorumPublicKey,
    manifestSet: {
      id: made.manifestSetId,
      name: 'set',
      organizationId,
      operators: operators.map(shown),
      threshold: 2,
      ...times,
    },
    shareSet: {
      id: made.shareSetId,
      name: 'holders',
      organizationId,
      operators: shares.map(shown),
      threshold: 3,
      ...times,
    },
    enableEgress: true,
    ...times,
    publicDomain: '',
    enableDebugModeDeployments: true,
  }
  expect(await found('get_tvc_app', { tvcAppId: made.appId })).toStrictEqual({ tvcApp })
  expect(await found('get_tvc_app', { tvcAppId: made.appId.toUpperCase() })).toStrictEqual({ tvcApp })
})

test('egress and debug mode are off unless they are asked for', async () => {
  const { appId } = await done('create_tvc_app', newApp([newOperator('Ada')]))
  const { tvcApp } = await found('get_tvc_app', { tvcAppId: appId })
  expect(tvcApp).toMatchObject({ enableEgress: false, enableDebugModeDeployments: false })
})

test('an unknown or foreign id is 404', async () => {
  const other = await server.createOrganization()
  const ask = { apiKey: other.apiKey, organizationId: other.organizationId }
  const { appId } = await done('create_tvc_app', newApp([newOperator('Foreign')]), ask)
  for (const tvcAppId of [absentId, appId]) {
    const text = `there is no tvc app ${tvcAppId} in this organization`
    expectRefused(await query('get_tvc_app', { tvcAppId }), 404, text)
  }
})
