import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { activityRequest, type Client, clientOf, p256, signingOf } from '../support/client.ts'
import { withDatabase } from '../support/database.ts'
import type { ApiKeyPair, Server } from '../support/in_process.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { resultOf } from '../support/two_organizations.ts'

/** A key signs nothing after its deletion was acknowledged, on any node, also by requests in flight. */

const signaturesInFlight = 50
const workers = 8
const signaturesPerWorkerMax = 400

for (const nodeCount of [1, 2]) {
  describe(`on ${nodeCount} ${nodeCount === 1 ? 'node' : 'nodes'}`, () => {
    test(`of ${signaturesInFlight} signatures in flight while a key is deleted, none is committed after the deletion`, async () => {
      const revoking = await startNodes(nodeCount)
      const early = signMany(revoking, { from: 0, count: signaturesInFlight / 2 })
      const deletion = deleteLeaked(revoking)
      const late = signMany(revoking, { from: signaturesInFlight / 2, count: signaturesInFlight / 2 })
      const deleted = await deletion
      const afterwards = signMany(revoking, { from: signaturesInFlight, count: 10 })

      expectRefused(await Promise.all(afterwards))
      const inFlight = await Promise.all([...early, ...late])
      for (const { status } of inFlight) expect([200, 401]).toContain(status)
      expectCommittedBefore(revoking, inFlight, deleted)
    })

    test('a key that signs all the time signs nothing from its deletion on', async () => {
      const revoking = await startNodes(nodeCount)
      let acknowledged = false
      let deletion: Promise<Answer> | undefined
      const signed: Answer[] = []

      async function work(worker: number): Promise<void> {
        for (let turn = 0; turn < signaturesPerWorkerMax; turn += 1) {
          const startedAfterwards = acknowledged
          const [asked] = signMany(revoking, { from: worker * signaturesPerWorkerMax + turn, count: 1 })
          const answer = await asked
          if (answer === undefined) throw new Error('a signature was asked for')
          expect([200, 401], JSON.stringify(answer.body)).toContain(answer.status)
          if (startedAfterwards) expect(answer.status).toBe(401)
          if (answer.status === 401) return
          signed.push(answer)
          if (signed.length === workers * 3) {
            deletion = deleteLeaked(revoking).then((deleted) => {
              acknowledged = true
              return deleted
            })
          }
        }
        throw new Error('the key was never refused')
      }

      await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
      if (deletion === undefined) throw new Error('the key was never deleted')
      expectCommittedBefore(revoking, signed, await deletion)
    })

    test('a deleted key is unknown: for queries, changes and bytes that it had sent before, after a restart', async () => {
      const { nodes, leaked, root, userId, privateKeyId } = await startNodes(nodeCount)
      const request = activityRequest('sign_raw_payload', {
        organizationId: root.organizationId,
        parameters: signingOf(privateKeyId, 'before'),
        timestampMs: Date.now(),
      })
      expect((await nodes[0].post(request.path, request.body, leaked.apiKey)).status).toBe(200)
      for (const node of nodes) expect((await leakedOn(node, leaked).query('whoami')).status).toBe(200)
      await resultOf(root.activity('delete_api_keys', { userId, apiKeyIds: [await leakedIdOf(root, userId)] }))
      const expectNobody = async (node: Server) => {
        const client = leakedOn(node, leaked)
        expectRefused([
          await client.query('whoami'),
          await client.query('get_organization'),
          await client.activity('create_wallet', { walletName: 'w', accounts: [] }),
          await client.activity('create_api_keys', { userId, apiKeys: [p256(generateApiKey())] }),
          await node.post(request.path, request.body, leaked.apiKey),
        ])
      }
      for (const node of nodes) await expectNobody(node)
      for (const node of nodes) await node.close()
      await expectNobody(await start({ folder: nodes[0].folder }))
    })
  })
}

test('a deleted user is unknown, on every node, for bytes that he had sent before, after a restart', async () => {
  const { nodes, root } = await startNodes(2)
  const gone = { organizationId: root.organizationId, apiKey: generateApiKey() }
  const users = [{ userName: 'u', apiKeys: [p256(gone.apiKey)], authenticators: [], oauthProviders: [], userTags: [] }]
  const made = await resultOf(root.activity('create_users', { users }))
  const [userId] = made.activity.result.createUsersResult.userIds
  const request = activityRequest('create_api_keys', {
    organizationId: root.organizationId,
    parameters: { userId, apiKeys: [p256(generateApiKey())] },
    timestampMs: Date.now(),
  })
  expect((await nodes[0].post(request.path, request.body, gone.apiKey)).status).toBe(200)
  for (const node of nodes) expect((await leakedOn(node, gone).query('whoami')).status).toBe(200)
  await resultOf(root.activity('delete_users', { userIds: [userId] }))
  const expectNobody = async (node: Server) => {
    const client = leakedOn(node, gone)
    expectRefused([
      await client.query('whoami'),
      await client.activity('create_api_keys', { userId, apiKeys: [p256(generateApiKey())] }),
      await node.post(request.path, request.body, gone.apiKey),
    ])
  }
  for (const node of nodes) await expectNobody(node)
  for (const node of nodes) await node.close()
  await expectNobody(await start({ folder: nodes[0].folder }))
})

for (const [laterMs, status] of [
  [9_999, 200],
  [10_000, 401],
] as const) {
  test(`a key of 10 seconds, used after ${laterMs} ms, is answered ${status}`, async () => {
    const clock = { nowMs: 1_800_000_000_000 }
    const server = await start({ nowMs: () => clock.nowMs })
    const { organizationId, userId, apiKey } = await server.createOrganization()
    const expiring = generateApiKey()
    const nowMs = () => clock.nowMs
    const root = clientOf(server, { organizationId, apiKey, nowMs })
    const apiKeys = [{ ...p256(expiring), expirationSeconds: '10' }]
    await resultOf(root.activity('create_api_keys', { userId, apiKeys }))
    clock.nowMs += laterMs
    const client = clientOf(server, { organizationId, apiKey: expiring, nowMs })
    for (const answer of [
      await client.query('whoami'),
      await client.activity('create_wallet', { walletName: 'w', accounts: [] }),
    ]) {
      expect(answer.status).toBe(status)
      if (status === 401) expect(answer.body.message).toContain('expired api key publicKey')
    }
  })
}

type Answer = Awaited<ReturnType<Server['post']>>
type Revoking = Awaited<ReturnType<typeof startNodes>>

/** Starts nodes of an organization whose root user has a second key, which is about to be deleted. */
async function startNodes(nodeCount: number) {
  const first = await start()
  const others = Array.from({ length: nodeCount - 1 }, (_, index) =>
    start({ folder: first.folder, journalDirectory: join(first.folder, `mark ${index}`) }),
  )
  const nodes = [first, ...(await Promise.all(others))] as const
  const { organizationId, userId, apiKey } = await first.createOrganization()
  const root = clientOf(first, { organizationId, apiKey })
  const leaked = { organizationId, apiKey: generateApiKey() }
  await resultOf(root.activity('create_api_keys', { userId, apiKeys: [p256(leaked.apiKey)] }))
  const privateKeys = [{ privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }]
  const made = await resultOf(root.activity('create_private_keys', { privateKeys }))
  const [{ privateKeyId }] = made.activity.result.createPrivateKeysResultV2.privateKeys
  const leakedId = await leakedIdOf(root, userId)
  return { nodes, root, userId, leaked, leakedId, privateKeyId: String(privateKeyId) }
}

async function leakedIdOf(root: Client, userId: string): Promise<string> {
  const { apiKeys } = await resultOf(root.query('get_api_keys', { userId }))
  return apiKeys[1].apiKeyId
}

const leakedOn = (node: Server, leaked: { organizationId: string; apiKey: ApiKeyPair }) => clientOf(node, leaked)

/** Signatures by the leaked key, spread over the nodes, each of another text. */
function signMany({ nodes, leaked, privateKeyId }: Revoking, { from, count }: { from: number; count: number }) {
  return Array.from({ length: count }, (_, index) => {
    const node = nodes[(from + index) % nodes.length] ?? nodes[0]
    return leakedOn(node, leaked).activity('sign_raw_payload', signingOf(privateKeyId, `text ${from + index}`))
  })
}

function deleteLeaked({ root, userId, leakedId }: Revoking): Promise<Answer> {
  return root.activity('delete_api_keys', { userId, apiKeyIds: [leakedId] })
}

function expectRefused(answers: readonly Answer[]): void {
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 401, body: { code: 16, turnkeyErrorCode: 'PUBLIC_KEY_NOT_FOUND' } })
  }
}

/**
 * Expects that no signature was committed after the deletion, that every acknowledged signature is in the database, and
 * that no refused one is. Sequences have the order of commits, which answers need not have.
 */
function expectCommittedBefore({ nodes }: Revoking, answers: readonly Answer[], deleted: Answer): void {
  expect(deleted.status, JSON.stringify(deleted.body)).toBe(200)
  const signed = answers.filter(({ status }) => status === 200)
  withDatabase(nodes[0].folder, (hand) => {
    const { sequence } = hand.one({ table: 'activities', where: { activity_id: deleted.body.activity.id } })
    const rows = hand.read({ table: 'activities', where: { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' } })
    expect(new Set(rows.map((row) => row.activity_id))).toEqual(new Set(signed.map(({ body }) => body.activity.id)))
    for (const row of rows) expect(row.sequence).toBeLessThan(Number(sequence))
  })
}
