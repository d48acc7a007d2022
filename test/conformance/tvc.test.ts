import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects, serverClient } from '../support/clients.ts'
import { borshManifestHash } from '../support/manifest_hash.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'
import { newOperator } from '../support/tvc.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startRunningServer()
})
afterAll(() => server.stop())

describe.each(dialects)('@turnkey/sdk-server against the base URL of the dialect %s', (dialect) => {
  test('create_tvc_manifest_approvals: an app is deployed, a hosted operator and a local one approve its manifest, and it is live', async () => {
    const client = serverClient(server, dialect)
    const account = (index: number) =>
      ({
        curve: 'CURVE_P256',
        pathFormat: 'PATH_FORMAT_BIP32',
        path: `m/5527107'/0'/0'/${index}`,
        addressFormat: 'ADDRESS_FORMAT_UNCOMPRESSED',
      }) as const
    const { addresses } = await client.createWallet({
      walletName: `${dialect} operator`,
      accounts: [account(0), account(1)],
    })
    const local = newOperator('local')
    const shares = [newOperator('share 1'), newOperator('share 2')]
    const made = await client.createTvcApp({
      name: `${dialect} app`,
      quorumPublicKey: newOperator('quorum').publicKey,
      manifestSetParams: {
        name: 'approvers',
        newOperators: [{ name: 'hosted', publicKey: addresses.join('') }, local].map(({ name, publicKey }) => ({
          name,
          publicKey,
        })),
        threshold: 2,
      },
      shareSetParams: {
        name: 'holders',
        newOperators: shares.map(({ name, publicKey }) => ({ name, publicKey })),
        threshold: 2,
      },
    })
    const { appId, manifestSetOperatorIds } = made
    const { deploymentId } = await client.createTvcDeployment({
      appId,
      qosVersion: 'v0.5.0',
      pivotContainerImageUrl: 'registry.example/app:latest',
      pivotPath: '/app',
      pivotArgs: [],
      expectedPivotDigest: 'ab'.repeat(32),
      healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP',
      healthCheckPort: 3000,
      publicIngressPort: 3000,
    })
    const { tvcDeployment } = await client.getTvcDeployment({ deploymentId })
    const manifest = JSON.parse(Buffer.from(tvcDeployment.manifest.manifest, 'base64').toString('utf8'))
    const { r, s } = await client.signRawPayload({
      signWith: addresses[1] ?? '',
      payload: borshManifestHash(manifest).toString('hex'),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_SHA256',
    })
    const [hostedId = '', localId = ''] = manifestSetOperatorIds
    const { approvalIds } = await client.createTvcManifestApprovals({
      manifestId: tvcDeployment.manifest.id,
      approvals: [
        { operatorId: hostedId, signature: r + s },
        { operatorId: localId, signature: local.sign(manifest) },
      ],
    })
    expect((await client.getTvcApp({ tvcAppId: appId })).tvcApp.liveDeploymentId).toBe(deploymentId)
    expect((await client.getTvcApps({})).tvcApps.map(({ id }) => id)).toContain(appId)
    const { tvcDeployments } = await client.getTvcAppDeployments({ appId })
    expect(tvcDeployments.map(({ id, manifestApprovals }) => [id, manifestApprovals.map((one) => one.id)])).toEqual([
      [deploymentId, approvalIds],
    ])
  })
})
