import { createPublicKey, verify } from 'node:crypto'
import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { recoverAddress, sha256, toHex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { dialects, ethereumAccount, serverClient, solanaAccount } from '../support/clients.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'
import { generateApiKey } from '../support/stamping.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

describe.each(dialects)('@turnkey/sdk-server against the base URL of the dialect %s', (dialect) => {
  let client: TurnkeyApiClient
  beforeAll(() => {
    client = serverClient(server, dialect)
  })

  test('getWhoami, without parameters, names who holds the credentials', async () => {
    const { organizationId, userId } = server.credentials
    expect(await client.getWhoami()).toMatchObject({ organizationId, userId })
  })

  test('createWallet gives the id and one address for each account, and getWallet finds it', async () => {
    const walletName = `${dialect} wallet`
    const { walletId, addresses, activity } = await client.createWallet({
      walletName,
      accounts: [ethereumAccount(), solanaAccount()],
      mnemonicLength: 24,
    })
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(addresses).toEqual([expect.stringMatching(/^0x/), expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)])
    expect((await client.getWallet({ walletId })).wallet).toMatchObject({ walletId, walletName, exported: false })
    expect((await client.getWallets()).wallets.map((wallet) => wallet.walletId)).toContain(walletId)
  })

  test('accounts are added, listed oldest first and in pages, and an exact multiple ends with an empty page', async () => {
    const { walletId } = await client.createWallet({ walletName: `${dialect} many accounts`, accounts: [] })
    const accounts = Array.from({ length: 12 }, (_, index) => ethereumAccount(index))
    const { addresses } = await client.createWalletAccounts({ walletId, accounts })
    expect(new Set(addresses).size).toBe(accounts.length)
    const listed: string[] = []
    const pageSizes: number[] = []
    for (let after: string | undefined; pageSizes.at(-1) !== 0; ) {
      const paginationOptions = { limit: '6', ...(after === undefined ? {} : { after }) }
      const page = await client.getWalletAccounts({ walletId, paginationOptions })
      listed.push(...page.accounts.map(({ address }) => address))
      pageSizes.push(page.accounts.length)
      after = page.accounts.at(-1)?.walletAccountId
    }
    expect(pageSizes).toEqual([6, 6, 0])
    expect(listed).toEqual(addresses)
    expect((await client.getWalletAccounts({ walletId })).accounts).toHaveLength(10)
    const [address = ''] = addresses
    const { account } = await client.getWalletAccount({ walletId, address })
    expect(account).toMatchObject({
      walletId,
      address,
      ...ethereumAccount(0),
      publicKey: expect.stringMatching(/^0[23]/),
    })
  })

  test('a sub-organization with a wallet and a root user is made, found, and used by its own key', async () => {
    const key = generateApiKey()
    const subOrganizationName = `${dialect} sub-organization`
    const made = await client.createSubOrganization({
      subOrganizationName,
      rootQuorumThreshold: 1,
      rootUsers: [
        {
          userName: 'Ada',
          userEmail: `${dialect}@example.com`,
          apiKeys: [{ apiKeyName: 'laptop', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      wallet: { walletName: 'Default', accounts: [ethereumAccount()] },
    })
    const { subOrganizationId: organizationId, rootUserIds: [userId] = [], wallet } = made
    for (const [filterType, filterValue] of [
      ['NAME', subOrganizationName],
      ['EMAIL', `${dialect}@example.com`],
      ['PUBLIC_KEY', key.publicKey],
      ['WALLET_ACCOUNT_ADDRESS', wallet?.addresses[0] ?? ''],
    ] as const) {
      expect((await client.getSubOrgIds({ filterType, filterValue })).organizationIds, filterType).toEqual([
        organizationId,
      ])
    }
    expect((await client.getSubOrgIds()).organizationIds).toContain(organizationId)
    const credentials = { apiPublicKey: key.publicKey, apiPrivateKey: key.privateKeyHex }
    const own = serverClient(server, dialect, { ...credentials, organizationId })
    expect(await own.getWhoami()).toMatchObject({ organizationId, userId, username: 'Ada' })
    // A login that knows the parent only is led to the sub-organization that holds the key.
    const lost = serverClient(server, dialect, { ...credentials, organizationId: server.credentials.organizationId })
    expect(await lost.getWhoami()).toMatchObject({ organizationId, userId })
    expect((await own.createWallet({ walletName: 'Second', accounts: [] })).walletId).toMatch(/-/)
    // The parent reads everything below it and writes nothing there.
    expect((await client.getWallets({ organizationId })).wallets).toHaveLength(2)
    await expect(client.createWallet({ organizationId, walletName: 'Third', accounts: [] })).rejects.toMatchObject({
      name: 'TurnkeyRequestError',
      code: 3,
      message: expect.stringContaining('organization mismatch'),
    })
  })

  test('a user is made with an API key, gets a second one, and loses the first', async () => {
    const [first, second] = [generateApiKey(), generateApiKey()]
    const { userIds } = await client.createUsers({
      users: [
        {
          userName: `${dialect} Grace`,
          apiKeys: [{ apiKeyName: 'first', publicKey: first.publicKey, curveType: 'API_KEY_CURVE_P256' }],
          authenticators: [],
          oauthProviders: [],
          userTags: [],
        },
      ],
    })
    const [userId = ''] = userIds
    const { apiKeyIds } = await client.createApiKeys({
      userId,
      apiKeys: [
        {
          apiKeyName: 'second',
          publicKey: second.publicKey,
          curveType: 'API_KEY_CURVE_P256',
          expirationSeconds: '3600',
        },
      ],
    })
    const [secondId = ''] = apiKeyIds
    const { apiKeys } = await client.getApiKeys({ userId })
    expect(apiKeys.map(({ apiKeyName }) => apiKeyName)).toEqual(['first', 'second'])
    expect((await client.getApiKey({ apiKeyId: secondId })).apiKey).toMatchObject({
      apiKeyId: secondId,
      credential: { publicKey: second.publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' },
      expirationSeconds: '3600',
    })
    const { organizationId } = server.credentials
    const asFirst = serverClient(server, dialect, {
      apiPublicKey: first.publicKey,
      apiPrivateKey: first.privateKeyHex,
      organizationId,
    })
    expect(await asFirst.getWhoami()).toMatchObject({ userId })
    await expect(asFirst.createWallet({ walletName: 'not allowed', accounts: [] })).rejects.toMatchObject({ code: 7 })
    await client.deleteApiKeys({ userId, apiKeyIds: apiKeys.slice(0, 1).map(({ apiKeyId }) => apiKeyId) })
    await expect(asFirst.getWhoami()).rejects.toMatchObject({ code: 16 })
    expect((await client.getUser({ userId })).user.apiKeys.map(({ apiKeyId }) => apiKeyId)).toEqual([secondId])
    expect((await client.getUsers()).users.map((user) => user.userId)).toContain(userId)
  })

  test('users and keys are tagged, a user is changed and deleted, and the tags are deleted', async () => {
    const newUser = { userName: `${dialect} Tagged`, apiKeys: [], authenticators: [], oauthProviders: [] }
    const { userTagId } = await client.createUserTag({ userTagName: `${dialect} operators`, userIds: [] })
    const { userIds } = await client.createUsers({ users: [{ ...newUser, userTags: [userTagId] }] })
    const [userId = ''] = userIds
    const privateKeyName = `${dialect} tagged`
    const made = await client.createPrivateKeys({
      privateKeys: [{ privateKeyName, curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] }],
    })
    const privateKeyIds = made.privateKeys.map(({ privateKeyId = '' }) => privateKeyId)
    const tagged = await client.createPrivateKeyTag({ privateKeyTagName: `${dialect} hot`, privateKeyIds })
    const { privateKeyTagId } = tagged
    expect(tagged.privateKeyIds).toEqual(privateKeyIds)

    expect((await client.getUser({ userId })).user.userTags).toEqual([userTagId])
    const [privateKeyId = ''] = privateKeyIds
    expect((await client.getPrivateKey({ privateKeyId })).privateKey.privateKeyTags).toEqual([privateKeyTagId])
    const tag = { tagId: userTagId, tagName: `${dialect} operators`, tagType: 'TAG_TYPE_USER' }
    expect((await client.listUserTags()).userTags).toContainEqual(expect.objectContaining(tag))
    const keyTag = { tagId: privateKeyTagId, tagName: `${dialect} hot`, tagType: 'TAG_TYPE_PRIVATE_KEY' }
    expect((await client.listPrivateKeyTags({})).privateKeyTags).toContainEqual(expect.objectContaining(keyTag))

    const newUserTagName = `${dialect} former operators`
    await client.updateUserTag({ userTagId, newUserTagName, addUserIds: [], removeUserIds: [userId] })
    await client.updatePrivateKeyTag({ privateKeyTagId, addPrivateKeyIds: [], removePrivateKeyIds: privateKeyIds })
    expect((await client.getPrivateKey({ privateKeyId })).privateKey.privateKeyTags).toEqual([])
    await client.updateUser({ userId, userName: 'Tagged', userTagIds: [userTagId] })
    await client.updateUserName({ userId, userName: `${dialect} Renamed` })
    await client.updateUserEmail({ userId, userEmail: 'tagged@example.com' })
    await client.updateUserPhoneNumber({ userId, userPhoneNumber: '+14155550123' })
    expect((await client.getUser({ userId })).user).toMatchObject({
      userName: `${dialect} Renamed`,
      userEmail: 'tagged@example.com',
      userPhoneNumber: '+14155550123',
      userTags: [userTagId],
    })

    const deleted = await client.deleteUserTags({ userTagIds: [userTagId] })
    expect(deleted).toMatchObject({ userTagIds: [userTagId], userIds: [userId] })
    await client.deletePrivateKeyTags({ privateKeyTagIds: [privateKeyTagId] })
    expect((await client.deleteUsers({ userIds })).userIds).toEqual(userIds)
    await expect(client.getUser({ userId })).rejects.toMatchObject({ code: 5 })
  })

  test('private keys of each curve are made, listed, and sign by id and by address', async () => {
    const { privateKeys } = await client.createPrivateKeys({
      privateKeys: [
        privateKey('secp256k1', 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']),
        privateKey('ed25519', 'CURVE_ED25519', ['ADDRESS_FORMAT_SOLANA']),
        privateKey('p256', 'CURVE_P256', []),
      ],
    })
    expect(privateKeys).toHaveLength(3)
    const [{ privateKeyId = '', addresses = [] } = {}, { privateKeyId: ed25519Id = '' } = {}] = privateKeys
    const address = addresses[0]?.address ?? ''
    const hash = sha256(toHex('to be signed'))
    for (const signWith of [privateKeyId, address]) {
      const { r, s, v } = await client.signRawPayload({
        signWith,
        payload: 'to be signed',
        encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
        hashFunction: 'HASH_FUNCTION_SHA256',
      })
      expect(await recoverAddress({ hash, signature: { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } })).toBe(address)
    }
    const { privateKey: found } = await client.getPrivateKey({ privateKeyId: ed25519Id })
    expect(found).toMatchObject({ privateKeyName: `${dialect} ed25519`, curve: 'CURVE_ED25519' })
    const listed = (await client.getPrivateKeys()).privateKeys.map((key) => key.privateKeyId)
    expect(listed).toEqual(expect.arrayContaining(privateKeys.map((key) => key.privateKeyId)))

    const payloads = ['first', 'second', 'third']
    const { signatures = [] } = await client.signRawPayloads({
      signWith: ed25519Id,
      payloads,
      encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
      hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE',
    })
    const x = Buffer.from(found.publicKey, 'hex').toString('base64url')
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const verified = signatures.map(({ r, s }, index) =>
      verify(null, Buffer.from(payloads[index] ?? ''), publicKey, Buffer.from(r + s, 'hex')),
    )
    expect(verified).toEqual([true, true, true])
  })

  test('accounts, wallets and private keys are deleted, and a sub-organization by its own user', async () => {
    const deleteWithoutExport = true
    const walletName = `${dialect} to be deleted`
    const { walletId } = await client.createWallet({ walletName, accounts: [ethereumAccount(), solanaAccount()] })
    const { accounts } = await client.getWalletAccounts({ walletId })
    const [walletAccountId = '', left = ''] = accounts.map((account) => account.walletAccountId)
    await expect(client.deleteWalletAccounts({ walletAccountIds: [walletAccountId] })).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining('wallet account has not been exported'),
    })
    const removed = await client.deleteWalletAccounts({ walletAccountIds: [walletAccountId], deleteWithoutExport })
    expect(removed.walletAccountIds).toEqual([walletAccountId])
    const listed = (await client.getWalletAccounts({ walletId })).accounts
    expect(listed.map((account) => account.walletAccountId)).toEqual([left])
    await expect(client.deleteWallets({ walletIds: [walletId] })).rejects.toMatchObject({ code: 3 })
    expect((await client.deleteWallets({ walletIds: [walletId], deleteWithoutExport })).walletIds).toEqual([walletId])
    await expect(client.getWallet({ walletId })).rejects.toMatchObject({ code: 5 })

    const { privateKeys } = await client.createPrivateKeys({
      privateKeys: [privateKey('to be deleted', 'CURVE_SECP256K1', [])],
    })
    const privateKeyIds = privateKeys.map(({ privateKeyId = '' }) => privateKeyId)
    const deleted = await client.deletePrivateKeys({ privateKeyIds, deleteWithoutExport })
    expect(deleted.privateKeyIds).toEqual(privateKeyIds)

    const key = generateApiKey()
    const { subOrganizationId } = await client.createSubOrganization({
      subOrganizationName: walletName,
      rootQuorumThreshold: 1,
      rootUsers: [
        {
          userName: 'Ada',
          apiKeys: [{ apiKeyName: 'laptop', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      wallet: { walletName: 'Default', accounts: [ethereumAccount()] },
    })
    const own = serverClient(server, dialect, {
      apiPublicKey: key.publicKey,
      apiPrivateKey: key.privateKeyHex,
      organizationId: subOrganizationId,
    })
    await expect(own.deleteSubOrganization({})).rejects.toMatchObject({ code: 3 })
    const { activity, subOrganizationUuid } = await own.deleteSubOrganization({ deleteWithoutExport })
    expect([activity.status, subOrganizationUuid]).toEqual(['ACTIVITY_STATUS_COMPLETED', subOrganizationId])
    await expect(own.getWhoami()).rejects.toMatchObject({
      code: 5,
      message: expect.stringContaining('no organization found with the given ID'),
    })
    expect((await client.getSubOrgIds()).organizationIds).not.toContain(subOrganizationId)
  })

  test('a name that is taken is refused in the words of the interface, and nothing is made', async () => {
    const walletName = `${dialect} taken`
    await client.createWallet({ walletName, accounts: [] })
    await expect(client.createWallet({ walletName, accounts: [] })).rejects.toMatchObject({
      name: 'TurnkeyRequestError',
      code: 3,
      details: expect.arrayContaining([expect.objectContaining({ turnkeyErrorCode: 'REQUEST_INVALID' })]),
    })
    const named = (await client.getWallets()).wallets.filter((wallet) => wallet.walletName === walletName)
    expect(named).toHaveLength(1)
  })

  test('what the client sends is found again in getActivity and getActivities', async () => {
    const { activity } = await client.updateOrganizationName({ organizationName: 'My organization' })
    expect((await client.getActivity({ activityId: activity.id })).activity).toEqual(activity)
    const { activities } = await client.getActivities({
      filterByType: ['ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME'],
      filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
      paginationOptions: { limit: '1' },
    })
    expect(activities).toEqual([activity])
    expect(typeof activities[0]?.createdAt).toBe(dialect === 'hosted' ? 'object' : 'string')
  })

  function privateKey<const C, const F extends readonly string[]>(name: string, curve: C, addressFormats: F) {
    return {
      privateKeyName: `${dialect} ${name}`,
      curve,
      privateKeyTags: [],
      addressFormats: [...addressFormats] as F[number][],
    }
  }
})
