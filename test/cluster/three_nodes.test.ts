import { setTimeout } from 'node:timers/promises'
import { serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { activityRequest, clientOf, ethereumAccount, p256, signingOf } from '../support/client.ts'
import { type Cluster, patiently, startCluster } from '../support/cluster.ts'
import { passcodeStart, wrongPasscodes } from '../support/guesses.ts'
import type { Server } from '../support/in_process.ts'
import { clientSignatureOf, passcodeFor } from '../support/logins.ts'
import { newUser } from '../support/organization.ts'
import { queryPostgres } from '../support/postgres/postgres.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'
import { resultOf } from '../support/two_organizations.ts'

/** Three nodes on one database: whatever one acknowledged holds on all. */

type Answer = Awaited<ReturnType<Server['post']>>

/** The same bytes, sent again until they are answered. */
function sending(node: Server, request: { readonly path: string; readonly body: string }, apiKey: ApiKeyPair) {
  return patiently(() => node.post(request.path, request.body, apiKey))
}

function requestOf(name: string, organizationId: string, parameters: Readonly<Record<string, unknown>>, type?: string) {
  return activityRequest(name, { organizationId, parameters, timestampMs: Date.now(), ...(type && { type }) })
}

async function result(answering: Promise<Answer>) {
  const { activity } = await resultOf(answering)
  const [found] = Object.values(activity.result) as readonly ReturnType<typeof JSON.parse>[]
  return found
}

async function newKey({ nodes, on }: Cluster): Promise<string> {
  const privateKeys = [{ privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }]
  const made = await result(on(nodes[0]).activity('create_private_keys', { privateKeys }))
  return String(made.privateKeys[0].privateKeyId)
}

async function anotherRoot({ nodes, on }: Cluster, userName: string) {
  const apiKey = generateApiKey()
  const users = [newUser({ userName, apiKeys: [p256(apiKey)] })]
  const { userIds } = await result(on(nodes[0]).activity('create_users', { users }))
  return { userId: String(userIds[0]), apiKey }
}

test('a key that one node deleted signs on no other from the acknowledgement on', async () => {
  const cluster = await startCluster()
  const { nodes, on, organizationId, userId } = cluster
  const privateKeyId = await newKey(cluster)
  const apiKey = generateApiKey()
  await resultOf(on(nodes[0]).activity('create_api_keys', { userId, apiKeys: [p256(apiKey)] }))
  const { apiKeys } = await resultOf(on(nodes[0]).query('get_api_keys', { userId }))
  let isDeleted = false
  const signed: string[] = []

  async function work(worker: number): Promise<void> {
    const node = cluster.nodeAt(worker)
    const client = clientOf(node, { organizationId, apiKey })
    for (let turn = 0; ; turn += 1) {
      const beganAfterwards = isDeleted
      const answer = await client.activity('sign_raw_payload', signingOf(privateKeyId, `${worker} ${turn}`))
      if (answer.status === 503) continue
      if (beganAfterwards || answer.status !== 200) return expect(answer.status).toBe(401)
      signed.push(answer.body.activity.id)
    }
  }

  const working = Promise.all(Array.from({ length: 6 }, (_, worker) => work(worker)))
  while (signed.length < 30) await setTimeout(5)
  const apiKeyIds = [apiKeys[1].apiKeyId]
  const deletion = await patiently(() => on(nodes[1]).activity('delete_api_keys', { userId, apiKeyIds }))
  isDeleted = true
  expect(deletion.status).toBe(200)
  await working

  // In the order of commits, which is that of the sequences.
  const rows = await queryPostgres(cluster.databaseUrl, 'select activity_id as id from activities order by sequence')
  const ids = rows.map(({ id }) => id)
  const deletedAt = ids.indexOf(deletion.body.activity.id)
  for (const id of signed) {
    expect(ids).toContain(id)
    expect(ids.indexOf(id)).toBeLessThan(deletedAt)
  }
})

test('the same bytes sent to all nodes at once are one activity', async () => {
  const cluster = await startCluster()
  const { nodes, organizationId, apiKey } = cluster
  for (let round = 0; round < 5; round += 1) {
    const parameters = { walletName: `wallet ${round}`, accounts: [ethereumAccount("m/44'/60'/0'/0/0")] }
    const request = requestOf('create_wallet', organizationId, parameters)
    const answers = await Promise.all(nodes.map((node) => sending(node, request, apiKey)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.activity.id)).size).toBe(1)
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.activity.result))).size).toBe(1)
  }
  const wallets = await queryPostgres(cluster.databaseUrl, "select 1 from records where kind = 'wallet'")
  expect(wallets).toHaveLength(5)
})

test('two last votes on two nodes run an activity once', async () => {
  const cluster = await startCluster()
  const { nodes, on, organizationId, userId } = cluster
  const [second, third] = [await anotherRoot(cluster, 'second'), await anotherRoot(cluster, 'third')]
  const userIds = [userId, second.userId, third.userId]
  await resultOf(on(nodes[0]).activity('update_root_quorum', { threshold: 2, userIds }))
  for (let round = 0; round < 5; round += 1) {
    const asked = await on(nodes[0]).activity('create_wallet', { walletName: `wallet ${round}`, accounts: [] })
    expect(asked.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    const { fingerprint } = asked.body.activity
    const votes = [second, third].map(({ apiKey }, index) => {
      const request = requestOf('approve_activity', organizationId, { fingerprint })
      return sending(cluster.nodeAt(index + 1), request, apiKey)
    })
    for (const { status } of await Promise.all(votes)) expect([200, 400]).toContain(status)
    const { activity } = await resultOf(on(nodes[0]).query('get_activity', { activityId: asked.body.activity.id }))
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  }
  const { wallets } = await resultOf(on(nodes[2]).query('list_wallets'))
  expect(wallets).toHaveLength(5)
})

test('a passcode is tried as often as its limit says, wherever the guesses go', async () => {
  const cluster = await startCluster()
  const { nodes, on, organizationId, apiKey } = cluster
  const { otpId } = await result(on(nodes[0]).activity('init_otp', passcodeStart))
  const passcode = await passcodeFor(nodes[0], passcodeStart.contact)
  const guesses = wrongPasscodes(passcode, 6).map((otpCode, index) => {
    const request = requestOf('verify_otp', organizationId, { otpId, otpCode }, 'ACTIVITY_TYPE_VERIFY_OTP')
    return sending(cluster.nodeAt(index), request, apiKey)
  })
  for (const { status } of await Promise.all(guesses)) expect(status).not.toBe(200)
  for (const node of nodes) {
    const parameters = { otpId, otpCode: passcode }
    const request = requestOf('verify_otp', organizationId, parameters, 'ACTIVITY_TYPE_VERIFY_OTP')
    expect((await sending(node, request, apiKey)).status).not.toBe(200)
  }
})

test('a verification token logs in once, on whichever node', async () => {
  const cluster = await startCluster()
  const { nodes, on, organizationId, apiKey } = cluster
  const users = [newUser({ userEmail: passcodeStart.contact })]
  await resultOf(on(nodes[0]).activity('create_users', { users }))
  const { otpId } = await result(on(nodes[0]).activity('init_otp', passcodeStart))
  const clientKey = generateApiKey()
  const parameters = {
    otpId,
    otpCode: await passcodeFor(nodes[0], passcodeStart.contact),
    publicKey: clientKey.publicKey,
  }
  const verified = requestOf('verify_otp', organizationId, parameters, 'ACTIVITY_TYPE_VERIFY_OTP')
  const { verificationToken } = await result(sending(nodes[1], verified, apiKey))
  const answers = await Promise.all(
    nodes.map((node) => {
      const { publicKey } = generateApiKey()
      const clientSignature = clientSignatureOf({ verificationToken, clientKey, publicKey })
      const login = requestOf('otp_login', organizationId, { verificationToken, publicKey, clientSignature })
      return sending(node, login, apiKey)
    }),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a spending limit holds over all nodes', async () => {
  const cluster = await startCluster()
  const { nodes, on, organizationId } = cluster
  const spender = await anotherRoot(cluster, 'spender')
  const wallet = { walletName: 'hot', accounts: [ethereumAccount("m/44'/60'/0'/0/0")] }
  const { addresses } = await result(on(nodes[0]).activity('create_wallet', wallet))
  const policy = {
    policyName: 'limit',
    effect: 'EFFECT_ALLOW',
    consensus: `approvers.any(user, user.id == '${spender.userId}')`,
    condition: "spent('eth.tx.value', '24h') + eth.tx.value <= 100",
    notes: '',
  }
  await resultOf(on(nodes[1]).activity('create_policy', policy))
  const answers = await Promise.all(
    Array.from({ length: 9 }, (_, nonce) => {
      const to = `0x${'11'.repeat(20)}` as const
      const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, nonce, value: 30n, to })
      const parameters = { signWith: addresses[0], unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
      const request = requestOf('sign_transaction', organizationId, parameters)
      return sending(cluster.nodeAt(nonce), request, spender.apiKey)
    }),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...Array(6).fill(403)])
})

test('heads with versions in between that a node never saw are taken up', async () => {
  const cluster = await startCluster()
  const { nodes, on } = cluster
  for (let round = 0; round < 4; round += 1) {
    for (const node of [nodes[0], nodes[1]]) {
      for (let change = 0; change < 3; change += 1) {
        await resultOf(on(node).activity('update_organization_name', { organizationName: `${round} ${change}` }))
      }
    }
    const organizationName = `third ${round}`
    await resultOf(on(nodes[2]).activity('update_organization_name', { organizationName }))
    for (const node of nodes) expect((await resultOf(on(node).query('whoami'))).organizationName).toBe(organizationName)
  }
})

test('changes on all nodes at once are each made once, and a node that joins later sees them', async () => {
  const cluster = await startCluster()
  const { nodes, on } = cluster
  const names = Array.from({ length: 24 }, (_, index) => `tag ${index}`)
  const { organizationId, apiKey } = cluster
  const answers = await Promise.all(
    names.map((userTagName, index) => {
      const request = requestOf('create_user_tag', organizationId, { userTagName, userIds: [] })
      return sending(cluster.nodeAt(index), request, apiKey)
    }),
  )
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
  for (const node of [...nodes, await cluster.addNode()]) {
    const { userTags } = await resultOf(on(node).query('list_user_tags'))
    expect(userTags.map(({ tagName }: { tagName: string }) => tagName).sort()).toEqual(names.toSorted())
  }
})
