import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { requestKeyOf } from '../../src/protocol/wire/fingerprint.ts'
import { activityRequest, clientOf, ethereumAccount, p256, signingOf } from '../support/client.ts'
import { withDatabase } from '../support/database.ts'
import type { ApiKeyPair, Server } from '../support/in_process.ts'
import { generateApiKey, stampWith } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { makeChild, resultOf } from '../support/two_organizations.ts'

/** The same bytes are one activity: again, at once, after a restart, on another node. */

const copies = 20

type Request = ReturnType<typeof activityRequest>
type Answer = Awaited<ReturnType<Server['post']>>

const kinds = {
  'a change': ({ organizationId }: Furnished) =>
    activityRequest('create_wallet', {
      organizationId,
      parameters: { walletName: 'once', accounts: [] },
      timestampMs: Date.now(),
    }),
  'a signature': ({ organizationId, privateKeyId }: Furnished) =>
    activityRequest('sign_raw_payload', {
      organizationId,
      parameters: signingOf(privateKeyId, 'once'),
      timestampMs: Date.now(),
    }),
} as const

for (const [kind, requestOf] of Object.entries(kinds)) {
  describe(`the bytes of ${kind}`, () => {
    test('sent again are the activity that exists', async () => {
      const server = await start()
      const furnished = await furnish(server)
      const request = requestOf(furnished)
      const first = await send(server, request, furnished.apiKey)
      const again = await send(server, request, furnished.apiKey)
      expect(first.status).toBe(200)
      expect(again).toEqual(first)
      expect(countOf(server, first)).toBe(1)
    })

    test(`sent ${copies} times at once with one stamp are one activity`, async () => {
      const server = await start()
      const furnished = await furnish(server)
      const { path, body } = requestOf(furnished)
      const bytes = Buffer.from(body)
      const stamps = [{ header: 'x-stamp', value: stampWith(furnished.apiKey, bytes) }] as const
      const answers = await Promise.all(repeat(() => server.submit({ path, body: bytes, stamps, dialect: 'spec' })))
      const parsed = answers.map((answer) => ({ ...answer, body: JSON.parse(Buffer.from(answer.body).toString()) }))
      expectOneActivity(server, parsed)
    })

    test(`sent ${copies} times at once, each with a stamp of its own, are one activity`, async () => {
      const server = await start()
      const furnished = await furnish(server)
      const request = requestOf(furnished)
      expectOneActivity(server, await Promise.all(repeat(() => send(server, request, furnished.apiKey))))
    })

    test('sent again after a restart are the activity that exists', async () => {
      const server = await start()
      const furnished = await furnish(server)
      const request = requestOf(furnished)
      const first = await send(server, request, furnished.apiKey)
      await server.close()
      const restarted = await start({ folder: server.folder })
      expectOneActivity(restarted, [first, await send(restarted, request, furnished.apiKey)])
    })

    test(`sent ${copies} times at once to two nodes are one activity`, async () => {
      const { nodes, furnished } = await startTwoNodes()
      const request = requestOf(furnished)
      const asked = repeat((index) => send(nodes[index % 2 === 0 ? 0 : 1], request, furnished.apiKey))
      expectOneActivity(nodes[0], await Promise.all(asked))
    })
  })
}

test('known bytes are answered after the hour; unknown bytes of the same age are stale', async () => {
  const clock = { nowMs: Date.now() }
  const server = await start({ nowMs: () => clock.nowMs })
  const furnished = await furnish(server)
  const { organizationId, apiKey } = furnished
  const sentMs = clock.nowMs
  const known = kinds['a change'](furnished)
  const first = await send(server, known, apiKey)
  const unknown = (timestampMs: number) =>
    activityRequest('create_wallet', { organizationId, parameters: { walletName: 'late', accounts: [] }, timestampMs })
  for (const laterMs of [60 * 60 * 1000 + 1, 24 * 60 * 60 * 1000]) {
    clock.nowMs = sentMs + laterMs
    expect((await send(server, known, apiKey)).body.activity.id).toBe(first.body.activity.id)
    const stale = { status: 400, body: { turnkeyErrorCode: 'INVALID_TIME' } }
    expect(await send(server, unknown(sentMs), apiKey)).toMatchObject(stale)
  }
})

for (const [aheadMs, status] of [
  [-60 * 60 * 1000, 200],
  [-60 * 60 * 1000 - 1, 400],
  [5 * 60 * 1000, 200],
  [5 * 60 * 1000 + 1, 400],
] as const) {
  test(`a request whose time is ${aheadMs} ms from the vault's is answered ${status}`, async () => {
    const nowMs = 1_800_000_000_000
    const server = await start({ nowMs: () => nowMs })
    const { organizationId, apiKey } = await server.createOrganization()
    const client = clientOf(server, { organizationId, apiKey, nowMs: () => nowMs + aheadMs })
    expect((await client.activity('create_wallet', { walletName: 'w', accounts: [] })).status).toBe(status)
  })
}

test('an activity that was dropped is missed as long as its bytes could be executed again', async () => {
  const clock = { nowMs: 1_800_000_000_000 }
  const server = await start({ nowMs: () => clock.nowMs })
  const { organizationId, apiKey } = await server.createOrganization()
  const timestampMs = clock.nowMs + 5 * 60 * 1000
  const request = activityRequest('create_wallet', {
    organizationId,
    parameters: { walletName: 'w', accounts: [] },
    timestampMs,
  })
  const { body } = await send(server, request, apiKey)
  withDatabase(server.folder, (hand) => hand.remove({ table: 'activities', where: { activity_id: body.activity.id } }))
  clock.nowMs = timestampMs + 60 * 60 * 1000
  expect((await send(server, request, apiKey)).status).toBe(500)
  clock.nowMs += 1
  expect([400, 500]).toContain((await send(server, request, apiKey)).status)
})

test('the same parameters at another time are another activity', async () => {
  const server = await start()
  const { organizationId, privateKeyId, apiKey } = await furnish(server)
  const nowMs = Date.now()
  const [first, second] = await Promise.all(
    [nowMs, nowMs + 1].map((timestampMs) => {
      const parameters = signingOf(privateKeyId, 'twice')
      return send(server, activityRequest('sign_raw_payload', { organizationId, parameters, timestampMs }), apiKey)
    }),
  )
  expect([first?.status, second?.status]).toEqual([200, 200])
  expect(first?.body.activity.id).not.toBe(second?.body.activity.id)
})

describe("another user's copy of the bytes", () => {
  test('is refused and shows nothing', async () => {
    const server = await start()
    const furnished = await furnish(server)
    const { organizationId, apiKey } = furnished
    const other = await makeUser(clientOf(server, { organizationId, apiKey }))
    const request = kinds['a signature'](furnished)
    const first = await send(server, request, apiKey)
    const { status, body } = await send(server, request, other)
    expect(status).toBe(403)
    expect(JSON.stringify(body)).not.toContain(first.body.activity.id)
    expect(JSON.stringify(body)).not.toContain(first.body.activity.result.signRawPayloadResult.s)
    expect(countOf(server, first)).toBe(1)
  })

  test("by the parent's user is refused and shows nothing", async () => {
    const server = await start()
    const { organizationId, apiKey } = await server.createOrganization()
    const childKey = generateApiKey()
    const parent = clientOf(server, { organizationId, apiKey })
    const child = await makeChild(parent, 'child', childKey)
    const request = activityRequest('create_wallet', {
      organizationId: child.organizationId,
      parameters: { walletName: 'w', accounts: [] },
      timestampMs: Date.now(),
    })
    const first = await send(server, request, childKey)
    const { status, body } = await send(server, request, apiKey)
    expect(status).toBe(403)
    expect(JSON.stringify(body)).not.toContain(first.body.activity.id)
  })
})

describe('two nodes on one database', () => {
  test('give one name to one wallet', async () => {
    const { nodes, furnished } = await startTwoNodes()
    const { organizationId, apiKey } = furnished
    for (let round = 0; round < 5; round += 1) {
      const parameters = { walletName: `race ${round}`, accounts: [] }
      const nowMs = Date.now()
      const asked = repeat((index) => {
        const request = activityRequest('create_wallet', { organizationId, parameters, timestampMs: nowMs - index })
        return send(nodes[index % 2 === 0 ? 0 : 1], request, apiKey)
      })
      const answers = await Promise.all(asked)
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([200, ...Array.from({ length: copies - 1 }, () => 400)])
    }
    const { wallets } = await resultOf(clientOf(nodes[1], furnished).query('list_wallets'))
    expect(wallets.length).toBe(5)
    expect(nodes.flatMap(({ incidents }) => incidents)).toEqual([])
  })

  for (const [what, accountOf, refusal] of [
    ['name', (index: number) => ({ ...ethereumAccount(`m/${index}`), name: 'one' }), 400],
    ['path', () => ethereumAccount('m/0'), 409],
  ] as const) {
    test(`give one ${what} to one account of a wallet`, async () => {
      const { nodes, furnished } = await startTwoNodes()
      const wallet = await resultOf(
        clientOf(nodes[0], furnished).activity('create_wallet', { walletName: 'w', accounts: [] }),
      )
      const { walletId } = wallet.activity.result.createWalletResult
      const nowMs = Date.now()
      const answers = await Promise.all(
        repeat((index) => {
          const client = clientOf(nodes[index % 2 === 0 ? 0 : 1], { ...furnished, nowMs: () => nowMs - index })
          return client.activity('create_wallet_accounts', { walletId, accounts: [accountOf(index)] })
        }),
      )
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([200, ...Array.from({ length: copies - 1 }, () => refusal)])
    })
  }

  test('give one public key to one user', async () => {
    const { nodes, furnished } = await startTwoNodes()
    const root = clientOf(nodes[0], furnished)
    const shared = generateApiKey()
    const users = [await userIdOf(root, 'a'), await userIdOf(root, 'b')]
    const answers = await Promise.all(
      users.map((userId, index) =>
        clientOf(nodes[index === 0 ? 0 : 1], furnished).activity('create_api_keys', {
          userId,
          apiKeys: [p256(shared)],
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })
})

type Furnished = { readonly organizationId: string; readonly apiKey: ApiKeyPair; readonly privateKeyId: string }

async function furnish(server: Server): Promise<Furnished> {
  const { organizationId, apiKey } = await server.createOrganization()
  const privateKeys = [{ privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }]
  const made = await resultOf(
    clientOf(server, { organizationId, apiKey }).activity('create_private_keys', { privateKeys }),
  )
  const [{ privateKeyId }] = made.activity.result.createPrivateKeysResultV2.privateKeys
  return { organizationId, apiKey, privateKeyId }
}

/** Starts two services and two vaults on one database and one root key. Each vault has its own journal. */
async function startTwoNodes() {
  const first = await start()
  const second = await start({ folder: first.folder, journalDirectory: join(first.folder, 'second mark') })
  const nodes = [first, second] as const
  return { nodes, furnished: await furnish(first) }
}

async function makeUser(root: ReturnType<typeof clientOf>): Promise<ApiKeyPair> {
  const key = generateApiKey()
  await userIdOf(root, 'ada', [p256(key)])
  return key
}

async function userIdOf(root: ReturnType<typeof clientOf>, userName: string, apiKeys: object[] = []): Promise<string> {
  const users = [{ userName, apiKeys, authenticators: [], oauthProviders: [], userTags: [] }]
  const made = await resultOf(root.activity('create_users', { users }))
  return made.activity.result.createUsersResult.userIds[0]
}

function repeat<T>(make: (index: number) => Promise<T>): Promise<T>[] {
  return Array.from({ length: copies }, (_, index) => make(index))
}

function send(server: Server, { path, body }: Request, apiKey: ApiKeyPair): Promise<Answer> {
  return server.post(path, body, apiKey)
}

function expectOneActivity(server: Server, answers: readonly Pick<Answer, 'status' | 'body'>[]): void {
  const [first] = answers
  if (first === undefined) throw new Error('nothing was sent')
  expect(first.status, JSON.stringify(first.body)).toBe(200)
  for (const { status, body } of answers) {
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.activity.id).toBe(first.body.activity.id)
    expect(body.activity.result).toEqual(first.body.activity.result)
  }
  expect(countOf(server, first)).toBe(1)
  expect(server.incidents).toEqual([])
}

/** The number of rows for the request that became the answer's activity. */
function countOf(server: Server, { body }: Pick<Answer, 'body'>): number {
  const { organizationId, fingerprint, votes } = body.activity
  const { timestampMs } = JSON.parse(votes[0].message)
  const where = { organization_id: organizationId, request_key: requestKeyOf(Number(timestampMs), fingerprint) }
  return withDatabase(server.folder, (hand) => hand.read({ table: 'activities', where }).length)
}
