import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { recoverAddress, sha256, toHex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { dialects, httpClient, newUserOf, serverClient } from '../support/clients.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

/** Tags as a second client sees them, which knows nothing of the first but the organization. */

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

describe.each(dialects)('@turnkey/sdk-server against the dialect %s', (dialect) => {
  let client: TurnkeyApiClient
  beforeAll(() => {
    client = serverClient(server, dialect)
  })

  /** A client of the other package, of a user who may read and nothing else. */
  async function newReader(userName: string) {
    const { credentials } = await newUserOf(client, `${dialect} ${userName}`)
    return { organizationId: credentials.organizationId, reader: httpClient(server, dialect, credentials) }
  }

  async function newEthereumKey(name: string, privateKeyTags: string[] = []): Promise<string> {
    const { privateKeys } = await client.createPrivateKeys({
      privateKeys: [
        {
          privateKeyName: `${dialect} ${name}`,
          curve: 'CURVE_SECP256K1',
          privateKeyTags,
          addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
        },
      ],
    })
    return privateKeys[0]?.privateKeyId ?? ''
  }

  test('create_private_key_tag: another client finds the tagged keys by it, and what they sign recovers to them', async () => {
    const first = await newEthereumKey('first hot key')
    const second = await newEthereumKey('second hot key')
    const untagged = await newEthereumKey('cold key')
    const privateKeyTagName = `${dialect} hot`
    const made = await client.createPrivateKeyTag({ privateKeyTagName, privateKeyIds: [first, second] })
    const { privateKeyTagId } = made
    expect(made).toMatchObject({
      privateKeyIds: [first, second],
      activity: { status: 'ACTIVITY_STATUS_COMPLETED', type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG' },
    })

    const { reader, organizationId } = await newReader('Service')
    const tag = (await reader.listPrivateKeyTags({ organizationId })).privateKeyTags.find(
      ({ tagName }) => tagName === privateKeyTagName,
    )
    expect(tag).toMatchObject({ tagId: privateKeyTagId, tagType: 'TAG_TYPE_PRIVATE_KEY' })
    const tagged = async () =>
      (await reader.getPrivateKeys({ organizationId })).privateKeys.filter(({ privateKeyTags }) =>
        privateKeyTags.includes(tag?.tagId ?? ''),
      )
    const hot = await tagged()
    expect(hot.map(({ privateKeyId }) => privateKeyId).toSorted()).toEqual([first, second].toSorted())
    for (const { privateKeyId, addresses } of hot) {
      const { r, s, v } = await client.signRawPayload({
        signWith: privateKeyId,
        payload: 'moved',
        encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
        hashFunction: 'HASH_FUNCTION_SHA256',
      })
      const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } as const
      expect(await recoverAddress({ hash: sha256(toHex('moved')), signature })).toBe(addresses[0]?.address)
    }

    // New keys can be born with it; its name is taken, and it is not put on some of the keys when one does not exist.
    await newEthereumKey('born hot', [privateKeyTagId])
    expect(await tagged()).toHaveLength(3)
    const again = client.createPrivateKeyTag({ privateKeyTagName, privateKeyIds: [] })
    await expect(again).rejects.toMatchObject({ code: 3 })
    const privateKeyIds = [untagged, privateKeyTagId]
    const none = client.createPrivateKeyTag({ privateKeyTagName: `${dialect} none`, privateKeyIds })
    await expect(none).rejects.toMatchObject({ code: 5 })
    expect((await client.getPrivateKey({ privateKeyId: untagged })).privateKey.privateKeyTags).toEqual([])
  })

  test('delete_user_tags: no client sees the tags any more, no user has them, and their names are free', async () => {
    const newUser = { apiKeys: [], authenticators: [], oauthProviders: [] }
    const operators = { userTagName: `${dialect} operators`, userIds: [] }
    const { userTagId: operatorsId } = await client.createUserTag(operators)
    const { userTagId: auditorsId } = await client.createUserTag({ userTagName: `${dialect} auditors`, userIds: [] })
    const { userTagId: keptId } = await client.createUserTag({ userTagName: `${dialect} kept`, userIds: [] })
    const { userIds } = await client.createUsers({
      users: [
        { ...newUser, userName: `${dialect} Ada`, userTags: [operatorsId, keptId] },
        { ...newUser, userName: `${dialect} Grace`, userTags: [operatorsId, auditorsId] },
        { ...newUser, userName: `${dialect} Emmy`, userTags: [keptId] },
      ],
    })
    const { reader, organizationId } = await newReader('Reader')
    const tagIds = async () => (await reader.listUserTags({ organizationId })).userTags.map(({ tagId }) => tagId)
    const tagsOfUsers = async () => {
      const { users } = await reader.getUsers({ organizationId })
      return userIds.map((id) => users.find(({ userId }) => userId === id)?.userTags)
    }
    expect(await tagIds()).toEqual(expect.arrayContaining([operatorsId, auditorsId, keptId]))
    expect(await tagsOfUsers()).toEqual([[operatorsId, keptId], [operatorsId, auditorsId], [keptId]])
    await expect(client.createUserTag(operators)).rejects.toMatchObject({ code: 3 })

    // All of them or none: one that does not exist leaves the others.
    const missing = client.deleteUserTags({ userTagIds: [operatorsId, organizationId] })
    await expect(missing).rejects.toMatchObject({ code: 5 })
    expect(await tagIds()).toContain(operatorsId)
    const deleted = await client.deleteUserTags({ userTagIds: [operatorsId, auditorsId] })
    expect(deleted.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(deleted.userTagIds.toSorted()).toEqual([operatorsId, auditorsId].toSorted())
    expect(deleted.userIds.toSorted()).toEqual(userIds.slice(0, 2).toSorted())

    const left = await tagIds()
    expect(left).toContain(keptId)
    for (const gone of [operatorsId, auditorsId]) expect(left).not.toContain(gone)
    expect(await tagsOfUsers()).toEqual([[keptId], [], [keptId]])
    const [adaId = ''] = userIds
    await expect(client.updateUser({ userId: adaId, userTagIds: [operatorsId] })).rejects.toMatchObject({ code: 5 })
    await expect(client.deleteUserTags({ userTagIds: [operatorsId] })).rejects.toMatchObject({ code: 5 })
    // The name again is another tag: nobody has it from before.
    const { userTagId: newId } = await client.createUserTag(operators)
    expect(newId).not.toBe(operatorsId)
    expect(await tagsOfUsers()).toEqual([[keptId], [], [keptId]])
  })
})
