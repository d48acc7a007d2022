import { createPublicKey, verify } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ManifestV1 } from '../../src/protocol/tvc/tvc_manifest.ts'
import { dialects, serverClient } from '../support/clients.ts'
import { borshManifestHash } from '../support/manifest_hash.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'
import { newOperator } from '../support/tvc.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

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
    const manifest: ManifestV1 = JSON.parse(Buffer.from(tvcDeployment.manifest.manifest, 'base64').toString('utf8'))
    const { r, s } = await client.signRawPayload({
      signWith: addresses[1] ?? '',
      payload: borshManifestHash(manifest).toString('hex'),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_SHA256',
    })
    const [hostedId = '', localId = ''] = manifestSetOperatorIds
    const approve = (approvals: { operatorId: string; signature: string }[]) =>
      client.createTvcManifestApprovals({ manifestId: tvcDeployment.manifest.id, approvals })
    const liveDeployment = async () => (await client.getTvcApp({ tvcAppId: appId })).tvcApp.liveDeploymentId
    const byHosted = { operatorId: hostedId, signature: r + s }
    const byLocal = { operatorId: localId, signature: local.sign(manifest) }
    for (const approvals of [
      [
        byHosted,
        { operatorId: localId, signature: local.sign({ ...manifest, namespace: { ...manifest.namespace, nonce: 1 } }) },
      ],
      [byHosted, { operatorId: localId, signature: r + s }],
    ]) {
      await expect(approve(approvals)).rejects.toThrow(
        'Turnkey error 3: invalid request: parameters.approvals[1].signature',
      )
    }
    const [hostedApproval] = (await approve([byHosted])).approvalIds
    expect(await liveDeployment()).toBeUndefined()
    const { approvalIds } = await approve([byHosted, byLocal])
    expect(approvalIds[0]).toBe(hostedApproval)
    expect(await liveDeployment()).toBe(deploymentId)
    expect((await client.getTvcApps({})).tvcApps.map(({ id }) => id)).toContain(appId)
    const { tvcDeployments } = await client.getTvcAppDeployments({ appId })
    expect(tvcDeployments.map(({ id, manifestApprovals }) => [id, manifestApprovals.map((one) => one.id)])).toEqual([
      [deploymentId, approvalIds],
    ])
    // Whoever boots the app verifies the approvals, by the operators in the manifest.
    const keyOf = new Map<string, string>(manifest.manifestSet.members.map(({ alias, pubKey }) => [alias, pubKey]))
    for (const { operator, approval } of tvcDeployments[0]?.manifestApprovals ?? []) {
      const signature = Buffer.from(approval, 'base64')
      const publicKey = keyOf.get(operator.name) ?? ''
      expect(verified({ publicKey, message: borshManifestHash(manifest), signature }), operator.name).toBe(true)
    }
  })
})

/** By Node's own cryptography: the second half of an operator's key signs. */
function verified({
  publicKey,
  message,
  signature,
}: {
  publicKey: string
  message: Buffer
  signature: Buffer
}): boolean {
  const point = Buffer.from(publicKey, 'hex').subarray(-64)
  const [x, y] = [point.subarray(0, 32), point.subarray(32)].map((half) => half.toString('base64url'))
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' } })
  return verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature)
}
