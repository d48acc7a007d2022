import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { type Client, clientOf, ethereumAccount, p256, signingOf } from '../support/client.ts'
import { type ApiKeyPair, type Server, startInProcess } from '../support/in_process.ts'
import { newAuthenticator } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'
import { makeChild, resultOf } from '../support/two_organizations.ts'

/** Reads and changes across organizations: a parent, its sub-organizations and strangers. */

const path = "m/44'/60'/0'/0/0"
const missingId = '00000000-0000-4000-8000-000000000000'

let server: Server
let parent: Furnished
let stranger: Furnished
let child: Furnished
let childKey: ApiKeyPair
/** Registered in two sub-organizations. */
let sharedKey: ApiKeyPair
/** Registered in the parent and in a sub-organization. */
let doubleKey: ApiKeyPair
let doubleChildId: string

beforeAll(async () => {
  server = await startInProcess()
  const [first, second] = [await server.createOrganization(), await server.createOrganization()]
  parent = await furnish(clientOf(server, first), first.userId)
  stranger = await furnish(clientOf(server, second), second.userId)
  childKey = generateApiKey()
  const made = await makeChild(parent.client, 'child', childKey)
  child = await furnish(clientOf(server, { ...made, apiKey: childKey }), made.userId)
  sharedKey = generateApiKey()
  await makeChild(parent.client, 'twin', sharedKey)
  await makeChild(parent.client, 'twin', sharedKey)
  doubleKey = generateApiKey()
  doubleChildId = (await makeChild(parent.client, 'double', doubleKey)).organizationId
  await resultOf(parent.client.activity('create_api_keys', { userId: parent.userId, apiKeys: [p256(doubleKey)] }))
})
afterAll(async () => {
  await server.close()
  expect(server.incidents).toEqual([])
})

type Reference = Omit<Furnished, 'client' | 'organizationId'>
type Question = { readonly name: string; readonly parametersOf: (ids: Reference) => Record<string, unknown> }

const activities: readonly Question[] = [
  { name: 'sign_raw_payload', parametersOf: ({ address }) => signingOf(address, 'a') },
  { name: 'sign_raw_payload', parametersOf: ({ privateKeyId }) => signingOf(privateKeyId, 'a') },
  {
    name: 'sign_raw_payloads',
    parametersOf: ({ privateKeyId }) => {
      const { payload, ...rest } = signingOf(privateKeyId, 'a')
      return { ...rest, payloads: [payload] }
    },
  },
  { name: 'create_wallet', parametersOf: () => ({ walletName: 'new', accounts: [] }) },
  {
    name: 'create_wallet_accounts',
    parametersOf: ({ walletId }) => ({ walletId, accounts: [ethereumAccount('m/9')] }),
  },
  { name: 'update_wallet', parametersOf: ({ walletId }) => ({ walletId, walletName: 'new' }) },
  { name: 'update_organization_name', parametersOf: () => ({ organizationName: 'New' }) },
  { name: 'create_api_keys', parametersOf: ({ userId }) => ({ userId, apiKeys: [p256(generateApiKey())] }) },
  { name: 'delete_api_keys', parametersOf: ({ userId, apiKeyId }) => ({ userId, apiKeyIds: [apiKeyId] }) },
  {
    name: 'create_users',
    parametersOf: ({ userTagId }) => ({ users: [{ userName: 'n', ...noCredentials, userTags: [userTagId] }] }),
  },
  {
    name: 'create_private_keys',
    parametersOf: ({ privateKeyTagId }) => ({
      privateKeys: [{ ...privateKey, privateKeyName: 'tagged', privateKeyTags: [privateKeyTagId] }],
    }),
  },
  { name: 'update_user', parametersOf: ({ userId, userTagId }) => ({ userId, userTagIds: [userTagId] }) },
  { name: 'update_user_name', parametersOf: ({ userId }) => ({ userId, userName: 'new' }) },
  { name: 'update_user_email', parametersOf: ({ userId }) => ({ userId, userEmail: 'new@example.com' }) },
  { name: 'update_user_phone_number', parametersOf: ({ userId }) => ({ userId, userPhoneNumber: '+14155550123' }) },
  { name: 'delete_users', parametersOf: ({ userId }) => ({ userIds: [userId] }) },
  { name: 'create_user_tag', parametersOf: ({ userId }) => ({ userTagName: 'new', userIds: [userId] }) },
  {
    name: 'update_user_tag',
    parametersOf: ({ userTagId, userId }) => ({ userTagId, addUserIds: [userId], removeUserIds: [] }),
  },
  {
    name: 'update_user_tag',
    parametersOf: ({ userTagId, userId }) => ({ userTagId, addUserIds: [], removeUserIds: [userId] }),
  },
  { name: 'delete_user_tags', parametersOf: ({ userTagId }) => ({ userTagIds: [userTagId] }) },
  {
    name: 'create_private_key_tag',
    parametersOf: ({ privateKeyId }) => ({ privateKeyTagName: 'new', privateKeyIds: [privateKeyId] }),
  },
  {
    name: 'update_private_key_tag',
    parametersOf: ({ privateKeyTagId, privateKeyId }) => ({
      privateKeyTagId,
      addPrivateKeyIds: [privateKeyId],
      removePrivateKeyIds: [],
    }),
  },
  {
    name: 'update_private_key_tag',
    parametersOf: ({ privateKeyTagId, privateKeyId }) => ({
      privateKeyTagId,
      addPrivateKeyIds: [],
      removePrivateKeyIds: [privateKeyId],
    }),
  },
  {
    name: 'delete_private_key_tags',
    parametersOf: ({ privateKeyTagId }) => ({ privateKeyTagIds: [privateKeyTagId] }),
  },
  { name: 'create_authenticators', parametersOf: ({ userId }) => ({ userId, authenticators: [newAuthenticator()] }) },
  {
    name: 'delete_authenticators',
    parametersOf: ({ userId, authenticatorId }) => ({ userId, authenticatorIds: [authenticatorId] }),
  },
]
const privateKey = { privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }
const noCredentials = { apiKeys: [], authenticators: [], oauthProviders: [] }

describe('a parent', () => {
  test('is itself when it asks who it is with the id of a sub-organization', async () => {
    const reading = clientOf(server, { organizationId: child.organizationId, apiKey: parent.client.apiKey })
    const who = await resultOf(reading.query('whoami'))
    expect(who).toMatchObject({ organizationId: parent.organizationId, userId: parent.userId })
  })

  for (const { name, parametersOf } of activities) {
    test(`does not write its sub-organization by ${name}`, async () => {
      const writing = clientOf(server, { organizationId: child.organizationId, apiKey: parent.client.apiKey })
      const before = await child.client.query('get_organization')
      const answer = await writing.activity(name, parametersOf(child))
      expect(answer).toMatchObject({
        status: 400,
        body: {
          code: 3,
          message: `organization mismatch: request is targeting organization ("${child.organizationId}"), but voters are in organization ("${parent.organizationId}")`,
          turnkeyErrorCode: 'ORGANIZATION_MISMATCH',
        },
      })
      expect(await child.client.query('get_organization')).toEqual(before)
    })
  }

  test('reaches a sub-organization by no activity except logins of its users', async () => {
    const writing = clientOf(server, { organizationId: child.organizationId, apiKey: parent.client.apiKey })
    const open: string[] = []
    for (const { name, kind } of operations) {
      if (kind === 'query') continue
      const { status, body } = await writing.activity(name, {})
      expect(status, name).toBeGreaterThanOrEqual(400)
      if (body.turnkeyErrorCode !== 'ORGANIZATION_MISMATCH') open.push(name)
    }
    const votes = ['approve_activity', 'reject_activity'] // on what waits in the sub-organization, by its own quorum only
    const logins = ['init_otp', 'verify_otp', 'otp_login', 'oauth_login', 'init_user_email_recovery']
    expect(open.sort()).toEqual([...votes, ...logins, 'create_oauth_providers'].sort())
  })
})

describe("a sub-organization's user", () => {
  for (const { name, kind, resolvesSubOrganization } of operations) {
    if (kind === 'activity' || resolvesSubOrganization) continue
    test(`does not read the parent by ${name}`, async () => {
      expectUnknownKey(await clientOf(server, { ...parent, apiKey: childKey }).query(name, {}))
    })
  }

  for (const { name, parametersOf } of activities) {
    test(`does not write the parent by ${name}`, async () => {
      const answer = await clientOf(server, { ...parent, apiKey: childKey }).activity(name, parametersOf(parent))
      expectUnknownKey(answer)
    })
  }

  test('reads and writes neither a sibling nor a stranger', async () => {
    for (const organizationId of [doubleChildId, stranger.organizationId]) {
      const client = clientOf(server, { organizationId, apiKey: childKey })
      expectUnknownKey(await client.query('whoami'))
      expectUnknownKey(await client.query('get_organization'))
      expectUnknownKey(await client.activity('create_wallet', { walletName: 'x', accounts: [] }))
    }
  })

  test("learns its own organization from whoami with the parent's id, and not from another organization's", async () => {
    const who = await clientOf(server, { ...parent, apiKey: childKey }).query('whoami')
    expect(who).toMatchObject({ status: 200, body: { organizationId: child.organizationId, userId: child.userId } })
    expectUnknownKey(await clientOf(server, { ...stranger, apiKey: childKey }).query('whoami'))
  })

  test("with a key of two sub-organizations is not told apart by the parent's id: 401", async () => {
    const who = await clientOf(server, { ...parent, apiKey: sharedKey }).query('whoami')
    expect(who).toMatchObject({
      status: 401,
      body: { message: 'more than one suborg associated with a public key', turnkeyErrorCode: 'CREDENTIAL_CONFLICT' },
    })
  })

  test('with a key of both parent and sub-organization is the user of the organization that the id names', async () => {
    const inParent = await clientOf(server, { ...parent, apiKey: doubleKey }).query('whoami')
    expect(inParent).toMatchObject({ status: 200, body: { userId: parent.userId } })
    const inChild = clientOf(server, { organizationId: doubleChildId, apiKey: doubleKey })
    expect(await inChild.query('whoami')).toMatchObject({ status: 200, body: { organizationId: doubleChildId } })
    expect((await inChild.activity('create_wallet', { walletName: 'own', accounts: [] })).status).toBe(200)
  })
})

/** All other fields are tested in foreign_ids.test.ts. */
describe('an id of another organization', () => {
  test('as a cursor is answered like one that does not exist', async () => {
    const pages = [
      ['list_wallet_accounts', 'accountId', {}],
      ['list_activities', 'activityId', {}],
      ['list_suborgs', 'activityId', {}],
    ] as const
    for (const [name, field, parameters] of pages) {
      for (const side of ['after', 'before']) {
        const ask = (id: string) => parent.client.query(name, { ...parameters, paginationOptions: { [side]: id } })
        const expected = await ask(missingId)
        expect(expected.status).toBe(400)
        for (const foreign of [child, stranger]) expect(await ask(foreign[field])).toEqual(expected)
      }
    }
  })

  test("as organizationId is a 404 when nothing has it and a 401 when it is another one's: that one is not the caller's", async () => {
    const nowhere = clientOf(server, { organizationId: missingId, apiKey: parent.client.apiKey })
    expect(await nowhere.query('whoami')).toMatchObject({
      status: 404,
      body: {
        message: `no organization found with the given ID: ${missingId}`,
        turnkeyErrorCode: 'ORGANIZATION_NOT_FOUND',
      },
    })
    expect(await nowhere.activity('create_wallet', { walletName: 'x', accounts: [] })).toMatchObject({
      status: 404,
      body: { message: `no organization found with the given ID: ${missingId}` },
    })
    expectUnknownKey(await clientOf(server, { ...stranger, apiKey: parent.client.apiKey }).query('whoami'))
  })
})

describe('list_suborgs', () => {
  test('finds by every filter the sub-organizations of the organization and no others', async () => {
    const found = async (client: Client, filterType: string, filterValue: string) =>
      (await resultOf(client.query('list_suborgs', { filterType, filterValue }))).organizationIds
    const filters = [
      ['NAME', 'child'],
      ['PUBLIC_KEY', childKey.publicKey],
      ['WALLET_ACCOUNT_ADDRESS', child.address],
    ] as const
    for (const [filterType, filterValue] of filters) {
      expect(await found(parent.client, filterType, filterValue)).toEqual([child.organizationId])
      expect(await found(stranger.client, filterType, filterValue)).toEqual([])
      expect(await found(child.client, filterType, filterValue)).toEqual([])
    }
    expect((await found(parent.client, 'NAME', 'twin')).length).toBe(2)
    expect((await found(parent.client, 'PUBLIC_KEY', sharedKey.publicKey)).length).toBe(2)
    expect(await found(parent.client, 'PUBLIC_KEY', stranger.client.apiKey.publicKey)).toEqual([])
  })
})

type Furnished = {
  readonly client: Client
  readonly organizationId: string
  readonly userId: string
  readonly apiKeyId: string
  readonly authenticatorId: string
  readonly walletId: string
  readonly accountId: string
  readonly address: string
  readonly privateKeyId: string
  readonly activityId: string
  readonly userTagId: string
  readonly privateKeyTagId: string
}

/**
 * Makes a second key, a passkey, a wallet, a private key, tags and an activity for the root user of an organization.
 */
async function furnish(client: Client, userId: string): Promise<Furnished> {
  const apiKeys = [p256(generateApiKey())]
  const added = await resultOf(client.activity('create_api_keys', { userId, apiKeys }))
  const authenticators = [newAuthenticator()]
  const registered = await resultOf(client.activity('create_authenticators', { userId, authenticators }))
  const wallet = await resultOf(
    client.activity('create_wallet', { walletName: 'w', accounts: [ethereumAccount(path)] }),
  )
  const { walletId, addresses } = wallet.activity.result.createWalletResult
  const listed = await resultOf(client.query('list_wallet_accounts', { walletId }))
  const made = await resultOf(client.activity('create_private_keys', { privateKeys: [privateKey] }))
  const userTag = await resultOf(client.activity('create_user_tag', { userTagName: 'u', userIds: [userId] }))
  const keyTag = await resultOf(
    client.activity('create_private_key_tag', { privateKeyTagName: 'k', privateKeyIds: [] }),
  )
  return {
    client,
    organizationId: client.organizationId,
    userId,
    apiKeyId: added.activity.result.createApiKeysResult.apiKeyIds[0],
    authenticatorId: registered.activity.result.createAuthenticatorsResult.authenticatorIds[0],
    walletId,
    accountId: listed.accounts[0].walletAccountId,
    address: addresses[0],
    privateKeyId: made.activity.result.createPrivateKeysResultV2.privateKeys[0].privateKeyId,
    activityId: wallet.activity.id,
    userTagId: userTag.activity.result.createUserTagResult.userTagId,
    privateKeyTagId: keyTag.activity.result.createPrivateKeyTagResult.privateKeyTagId,
  }
}

function expectUnknownKey(answer: Awaited<ReturnType<Server['post']>>): void {
  expect(answer).toMatchObject({ status: 401, body: { code: 16, turnkeyErrorCode: 'PUBLIC_KEY_NOT_FOUND' } })
  expect(answer.body.message).toContain('could not find public key in organization or its parent organization')
}
