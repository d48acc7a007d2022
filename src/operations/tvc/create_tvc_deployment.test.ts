import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, repeated, startOrganization, uuid } from '../../../test/support/organization.ts'
import { manifestOf, newApp, newDeployment, newOperator } from '../../../test/support/tvc.ts'

const organization = await startOrganization({ limits: { tvcDeploymentsMax: 30 } })
const { server, clock, submit, done, found, anotherUser } = organization
const [ada, ben] = [newOperator('Ada'), newOperator('Ben')]
const given = newApp([ada, ben])
const { appId } = await done('create_tvc_app', given)

test('a deployment has one manifest, which says what is to run and who approves', async () => {
  const made = await done('create_tvc_deployment', newDeployment(appId, { publicIngressPort: 8080 }))
  expect(made).toStrictEqual({ deploymentId: uuid, manifestId: made.deploymentId })
  const { tvcApp } = await found('get_tvc_app', { tvcAppId: appId })
  const shares = tvcApp.shareSet.operators.map(({ name, publicKey }: { name: string; publicKey: string }) => ({
    alias: name,
    pubKey: publicKey,
  }))
  expect(await manifestOf(organization, made.deploymentId)).toStrictEqual({
    namespace: {
      name: `claviger/tvc/${appId}`,
      nonce: Math.floor(clock.nowMs / 1000),
      quorumKey: given.quorumPublicKey,
    },
    pivot: {
      hash: 'cd'.repeat(32),
      restart: 'Always',
      bridgeConfig: [{ type: 'server', port: 8080, host: '0.0.0.0' }],
      debugMode: false,
      args: ['--port', '3000'],
    },
    manifestSet: {
      threshold: 2,
      members: [
        { alias: 'Ada', pubKey: ada.publicKey },
        { alias: 'Ben', pubKey: ben.publicKey },
      ],
    },
    shareSet: { threshold: 2, members: shares },
    enclave: { pcr0: '', pcr1: '', pcr2: '', pcr3: '', awsRootCertificate: '', qosCommit: '' },
    patchSet: { threshold: 2, members: shares.map(({ pubKey }: { pubKey: string }) => ({ pubKey })) },
  })
})

test('a given nonce is used, 0 and the largest too', async () => {
  for (const nonce of [0, 2 ** 32 - 1]) {
    const { deploymentId } = await done('create_tvc_deployment', newDeployment(appId, { nonce }))
    expect((await manifestOf(organization, deploymentId)).namespace.nonce).toBe(nonce)
  }
})

test('the digest is kept in lower case', async () => {
  const expectedPivotDigest = 'CD'.repeat(32)
  const { deploymentId } = await done('create_tvc_deployment', newDeployment(appId, { expectedPivotDigest }))
  expect((await manifestOf(organization, deploymentId)).pivot.hash).toBe('cd'.repeat(32))
})

test('debug mode is for apps that allow it', async () => {
  const refused = await submit('create_tvc_deployment', newDeployment(appId, { debugMode: true }))
  expectRefused(refused, 400, 'parameters.debugMode must be false: the app was made without')
  const app = await done('create_tvc_app', newApp([ada], { enableDebugModeDeployments: true }))
  const { deploymentId } = await done('create_tvc_deployment', newDeployment(app.appId, { debugMode: true }))
  expect((await manifestOf(organization, deploymentId)).pivot.debugMode).toBe(true)
  expect((await found('get_tvc_deployment', { deploymentId })).tvcDeployment.debugMode).toBe(true)
})

describe('invalid deployments are refused', () => {
  const long = 'x'.repeat(16_384)
  for (const [claim, fields, status, text] of [
    ['of an unknown app', { appId: absentId }, 404, `there is no tvc app ${absentId} in this organization`],
    ['without a version', { qosVersion: '' }, 400, 'parameters.qosVersion must be a text of 1 to 256'],
    ['without an image', { pivotContainerImageUrl: '' }, 400, 'pivotContainerImageUrl must be a text of 1 to 1024'],
    ['with a path of two lines', { pivotPath: '/a\n/b' }, 400, 'parameters.pivotPath must be a text of 1 to 1024'],
    ['with an argument that reverses text', { pivotArgs: ['\u202e'] }, 400, 'parameters.pivotArgs[0] must be a text'],
    ['with 101 arguments', { pivotArgs: repeated(101, () => '') }, 400, 'pivotArgs must be a list of at most 100'],
    ['with long arguments', { pivotArgs: [long, 'x'] }, 400, 'pivotArgs must be a list of texts with at most 16384'],
    ['with half a digest', { expectedPivotDigest: 'cd'.repeat(16) }, 400, 'expectedPivotDigest must be a SHA-256'],
    ['with a nonce below 0', { nonce: -1 }, 400, 'parameters.nonce must be a whole number from 0 to 4294967295'],
    ['with a nonce of 33 bits', { nonce: 2 ** 32 }, 400, 'parameters.nonce must be a whole number'],
    ['with port 0', { healthCheckPort: 0 }, 400, 'parameters.healthCheckPort must be a port'],
    ['with port 65536', { publicIngressPort: 65_536 }, 400, 'parameters.publicIngressPort must be a port'],
    ['with no replica', { replicas: 0 }, 400, 'parameters.replicas must be a whole number from 1'],
    [
      'with an unknown health check',
      { healthCheckType: 'TCP' },
      400,
      'healthCheckType must be one of TVC_HEALTH_CHECK_TYPE',
    ],
    ['with an empty secret', { pivotContainerEncryptedPullSecret: '' }, 400, 'PullSecret must be a text of 1 to 65536'],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('create_tvc_deployment', newDeployment(appId, fields)), status, text)
    })
  }
})

test('arguments may be empty, have blanks, and be as long as all may be together', async () => {
  const pivotArgs = ['', ' ', 'x'.repeat(16_383)]
  const { deploymentId } = await done('create_tvc_deployment', newDeployment(appId, { pivotArgs }))
  expect((await manifestOf(organization, deploymentId)).pivot.args).toEqual(pivotArgs)
})

test('an app of another organization does not exist here', async () => {
  const other = await server.createOrganization()
  const ask = { apiKey: other.apiKey, organizationId: other.organizationId }
  const foreign = await done('create_tvc_app', newApp([ada]), ask)
  const answer = await submit('create_tvc_deployment', newDeployment(foreign.appId))
  expectRefused(answer, 404, `there is no tvc app ${foreign.appId} in this organization`)
})

test('a user outside of the root quorum may not deploy', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_tvc_deployment', newDeployment(appId), { apiKey }), 403)
})

test('an organization has at most as many deployments as its limit', async () => {
  const statuses = new Set<number>()
  for (let turn = 0; turn < 30; turn += 1) {
    statuses.add((await submit('create_tvc_deployment', newDeployment(appId))).status)
  }
  expect([...statuses]).toEqual([200, 429])
  const answer = await submit('create_tvc_deployment', newDeployment(appId))
  expectRefused(answer, 429, 'an organization has at most 30 deployments of verifiable apps')
})
