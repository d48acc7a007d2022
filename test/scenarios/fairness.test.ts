import { expect, test } from 'vitest'
import { createTurns, type Turns } from '../../src/vault/state/turns.ts'
import { activityRequest, clientOf, ethereumAccount, p256, signingOf } from '../support/client.ts'
import { startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { resultOf } from '../support/two_organizations.ts'

test('a user who changes its own keys all the time does not stop others from signing', async () => {
  const server = await start()
  const { organizationId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const userKey = generateApiKey()
  const made = await resultOf(
    root.activity('create_users', {
      users: [{ userName: 'busy', apiKeys: [p256(userKey)], authenticators: [], oauthProviders: [], userTags: [] }],
    }),
  )
  const [userId] = made.activity.result.createUsersResult.userIds
  const wallet = await resultOf(
    root.activity('create_wallet', { walletName: 'w', accounts: [ethereumAccount("m/44'/60'/0'/0/0")] }),
  )
  const [address] = wallet.activity.result.createWalletResult.addresses
  const busy = clientOf(server, { organizationId, apiKey: userKey })

  let stop = false
  const changing = Array.from({ length: 4 }, async () => {
    let changes = 0
    while (!stop) {
      const apiKeys = [{ ...p256(generateApiKey()), expirationSeconds: '900' }]
      expect((await busy.activity('create_api_keys', { userId, apiKeys })).status).toBe(200)
      changes += 1
    }
    return changes
  })
  const statuses: number[] = []
  for (let count = 0; count < 40; count += 1) {
    statuses.push((await root.activity('sign_raw_payload', signingOf(address, `payload ${count}`))).status)
  }
  stop = true
  const changes = (await Promise.all(changing)).reduce((sum, count) => sum + count, 0)
  expect(changes).toBeGreaterThan(0)
  expect(statuses).toEqual(Array.from({ length: 40 }, () => 200))
})

test('a request has turns of the family of its caller, and of its peer until its stamp is verified', async () => {
  const turns = createTurns()
  const families: string[] = []
  const told: Turns = {
    run: (asker, task) =>
      turns.run(asker, ({ pause, takeTurnsOf }) =>
        task({
          pause,
          takeTurnsOf(familyId) {
            families.push(familyId)
            takeTurnsOf(familyId)
          },
        }),
      ),
  }
  const { organizationId, rootUserId, query, subOrganization } = await startOrganization({ turns: told })
  const sub = await subOrganization()
  families.length = 0
  await query('get_user', { userId: rootUserId })
  await query('get_user', { userId: sub.rootUserId }, sub)
  await query('get_user', { userId: sub.rootUserId }, { organizationId: sub.organizationId })
  expect(families).toEqual([organizationId, organizationId, organizationId])
  expect((await query('get_user', { userId: rootUserId }, { apiKey: generateApiKey() })).status).toBe(401)
  expect(families).toHaveLength(3)
})

test('the change of another user does not wait behind all changes of a busy one', async () => {
  const server = await start()
  const { organizationId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const userKey = generateApiKey()
  const made = await resultOf(
    root.activity('create_users', {
      users: [{ userName: 'busy', apiKeys: [p256(userKey)], authenticators: [], oauthProviders: [], userTags: [] }],
    }),
  )
  const [userId] = made.activity.result.createUsersResult.userIds
  let answered = 0
  const requests = Array.from({ length: 200 }, (_, count) => {
    const apiKeys = [{ ...p256(generateApiKey()), expirationSeconds: '900' }]
    const parameters = { userId, apiKeys }
    return activityRequest('create_api_keys', { organizationId, parameters, timestampMs: Date.now() + count })
  })
  const changing = requests.map(async ({ path, body }) => {
    await server.post(path, body, userKey)
    answered += 1
  })
  // Once some are answered, the others wait for their turns.
  await Promise.race(changing)
  expect((await root.activity('delete_users', { userIds: [userId] })).status).toBe(200)
  expect(answered).toBeLessThan(120)
  await Promise.all(changing)
})

test('a page of activities with large bodies is shorter and not an error, and the next page goes on where it ended', async () => {
  const server = await start()
  const { organizationId, userId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  for (let count = 0; count < 16; count += 1) {
    const apiKeys = [{ ...p256(generateApiKey()), expirationSeconds: '900' }]
    const { path, body } = activityRequest('create_api_keys', {
      organizationId,
      parameters: { userId, apiKeys },
      timestampMs: Date.now() + count,
    })
    expect((await server.post(path, body + '\t'.repeat(1_000_000), apiKey)).status).toBe(200)
  }
  const seen: string[] = []
  for (;;) {
    const after = seen.at(-1)
    const paginationOptions = { limit: '100', ...(after === undefined ? {} : { after }) }
    const { activities } = await resultOf(root.query('list_activities', { paginationOptions }))
    if (activities.length === 0) break
    expect(activities.length).toBeLessThan(16)
    seen.push(...activities.map(({ id }: { id: string }) => id))
  }
  expect(new Set(seen).size).toBe(16)
})

test('an account is found by a path at which there are many formats, and twenty named accounts at used paths are made', async () => {
  const server = await start()
  const { organizationId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const formats = ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'].flatMap((form) =>
    ['MAINNET', 'TESTNET', 'SIGNET', 'REGTEST'].map((network) => `ADDRESS_FORMAT_BITCOIN_${network}_${form}`),
  )
  const account = (path: string, addressFormat: string) => ({ ...ethereumAccount(path), addressFormat })
  const wallet = await resultOf(
    root.activity('create_wallet', { walletName: 'w', accounts: formats.map((format) => account('m/0', format)) }),
  )
  const { walletId } = wallet.activity.result.createWalletResult
  expect((await resultOf(root.query('get_wallet_account', { walletId, path: 'm/0' }))).account.path).toBe('m/0')
  const paths = Array.from({ length: 20 }, (_, index) => `m/1/${index}`)
  const first = paths.map((path) => account(path, 'ADDRESS_FORMAT_COMPRESSED'))
  await resultOf(root.activity('create_wallet_accounts', { walletId, accounts: first }))
  const second = paths.map((path, index) => ({ ...account(path, 'ADDRESS_FORMAT_ETHEREUM'), name: `named ${index}` }))
  await resultOf(root.activity('create_wallet_accounts', { walletId, accounts: second }))
})
