import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { activityRequest, ethereumAccount, p256, signingOf } from '../support/client.ts'
import { patiently, startCluster } from '../support/cluster.ts'
import { faultyNetwork, holdsCommit, type Line } from '../support/postgres/faulty_network.ts'
import { queryPostgres } from '../support/postgres/postgres.ts'
import { generateApiKey } from '../support/stamping.ts'
import { resultOf } from '../support/two_organizations.ts'

const beginsToWrite = (bytes: Buffer) => bytes.includes('read committed read write')

/** Holds the beginning or the commit of the next transaction that writes. Resolves when it is held. */
function holding(network: Awaited<ReturnType<typeof faultyNetwork>>, part: 'beginning' | 'commit') {
  const { promise, resolve } = Promise.withResolvers<Line>()
  const writing = new Set<Line>()
  network.watch((bytes, line) => {
    if (beginsToWrite(bytes)) writing.add(line)
    const isHeld = writing.has(line) && (part === 'beginning' || holdsCommit(bytes))
    if (!isHeld) return 'pass'
    network.watch(() => 'pass')
    resolve(line)
    return 'hold'
  })
  return promise
}

/** A cluster with a node behind a network of its own, a key that signs, and a second API key of the root user. */
async function clusterWithFarNode() {
  const cluster = await startCluster()
  const { nodes, on, organizationId, userId } = cluster
  const network = await faultyNetwork(cluster.databaseUrl)
  const far = await cluster.addNode({ databaseUrl: network.url })
  const second = generateApiKey()
  const made = await resultOf(on(nodes[0]).activity('create_api_keys', { userId, apiKeys: [p256(second)] }))
  const [apiKeyId] = made.activity.result.createApiKeysResult.apiKeyIds
  const accounts = [ethereumAccount("m/44'/60'/0'/0/0")]
  const wallet = await resultOf(on(nodes[0]).activity('create_wallet', { walletName: 'w', accounts }))
  const [signWith] = wallet.activity.result.createWalletResult.addresses
  const rows = (text: string) => queryPostgres(cluster.databaseUrl, text)
  const request = (name: string, parameters: Readonly<Record<string, unknown>>) =>
    activityRequest(name, { organizationId, parameters, timestampMs: Date.now() })
  const sign = (text: string) => request('sign_raw_payload', signingOf(signWith, text))
  const revoke = () => on(nodes[0]).activity('delete_api_keys', { userId, apiKeyIds: [apiKeyId] })
  return { ...cluster, network, far, second, rows, request, sign, revoke }
}

const incidentsOf = ({ incidents }: { readonly incidents: readonly unknown[] }) =>
  incidents.filter((one) => JSON.stringify(one).includes('internal server error'))

test('a COMMIT that lands after its client lost the connection is one activity and no incident', async () => {
  const { network, far, apiKey, rows, request, sign } = await clusterWithFarNode()
  const requests = [request('create_user_tag', { userTagName: 'late', userIds: [] }), sign('late')]
  for (const { path, body } of requests) {
    const held = holding(network, 'commit')
    const first = far.post(path, body, apiKey)
    const line = await held
    line.cutClient()
    expect((await first).status).toBe(503)
    // The transaction is open and holds its locks when the same bytes come again.
    const again = patiently(() => far.post(path, body, apiKey))
    await setTimeout(300)
    line.deliver()
    const answer = await again
    expect(answer.status).toBe(200)
    const ids = await rows(`select activity_id as id from activities where type = '${JSON.parse(body).type}'`)
    expect(ids).toEqual([{ id: answer.body.activity.id }])
  }
  expect(incidentsOf(far)).toEqual([])
})

test('a signature that was decided before its key was revoked elsewhere is not committed afterwards', async () => {
  const { network, far, second, rows, sign, revoke } = await clusterWithFarNode()
  const { path, body } = sign('before')
  expect((await far.post(path, body, second)).status).toBe(200)

  // Decided, and on the way to the locks.
  const held = holding(network, 'beginning')
  const late = sign('late')
  const signing = far.post(late.path, late.body, second)
  const line = await held
  expect((await revoke()).status).toBe(200)
  line.deliver()
  expect((await signing).status).toBe(401)
  const types = await rows('select type from activities order by sequence desc limit 1')
  expect(types).toEqual([{ type: 'ACTIVITY_TYPE_DELETE_API_KEYS' }])
  expect(incidentsOf(far)).toEqual([])
})

test('a signature that has its locks and checks is committed before the revocation, which waits for it', async () => {
  const { network, far, second, rows, sign, revoke } = await clusterWithFarNode()
  const held = holding(network, 'commit')
  const { path, body } = sign('early')
  const signing = far.post(path, body, second)
  const line = await held
  const revoking = revoke()
  await setTimeout(300)
  line.deliver()
  const [signed, revoked] = await Promise.all([signing, revoking])
  expect([signed.status, revoked.status]).toEqual([200, 200])
  const last = await rows('select activity_id as id from activities order by sequence desc limit 2')
  expect(last).toEqual([{ id: revoked.body.activity.id }, { id: signed.body.activity.id }])
})
