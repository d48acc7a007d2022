import { describe, expect, test } from 'vitest'
import { signingOf } from '../../../test/support/client.ts'
import {
  absentId,
  expectRefused,
  newPrivateKey,
  repeated,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'

const { clock, server, submit, done, found, anotherUser } = await startOrganization()
const keyOf = async (privateKeyId: string) => (await found('get_private_key', { privateKeyId })).privateKey
let count = 0
async function newKeys(howMany: number, given: object = {}): Promise<string[]> {
  const privateKeys = repeated(howMany, () => newPrivateKey({ privateKeyName: `key ${++count}`, ...given }))
  const made = (await done('create_private_keys', { privateKeys })).privateKeys
  return made.map(({ privateKeyId }: { privateKeyId: string }) => privateKeyId)
}

test('the named keys get the tag, stay the same otherwise and sign as before', async () => {
  const [first = '', second = '', other = ''] = await newKeys(3)
  const before = await keyOf(first)
  const signature = await done('sign_raw_payload', signingOf(first, 'text'))
  clock.nowMs += 5_000
  const parameters = { privateKeyTagName: 'hot', privateKeyIds: [second, first.toUpperCase(), first] }
  const result = await done('create_private_key_tag', parameters)
  expect(result).toStrictEqual({ privateKeyTagId: uuid, privateKeyIds: [second, first] })

  const { privateKeyTagId } = result
  const after = await keyOf(first)
  expect(after).toEqual({ ...before, privateKeyTags: [privateKeyTagId], updatedAt: after.updatedAt })
  expect(after.updatedAt).not.toEqual(before.updatedAt)
  expect((await keyOf(second)).privateKeyTags).toEqual([privateKeyTagId])
  expect((await keyOf(other)).privateKeyTags).toEqual([])
  expect(await done('sign_raw_payload', signingOf(first, 'text'))).toEqual(signature)
})

test('a key may have several tags, and a new key may have existing tags', async () => {
  const ids: string[] = []
  const [privateKeyId = ''] = await newKeys(1)
  for (const privateKeyTagName of ['one', 'two']) {
    ids.push(
      (await done('create_private_key_tag', { privateKeyTagName, privateKeyIds: [privateKeyId] })).privateKeyTagId,
    )
  }
  expect((await keyOf(privateKeyId)).privateKeyTags).toEqual(ids)
  const [made = ''] = await newKeys(1, { privateKeyTags: [...ids, ids[0]?.toUpperCase()] })
  expect((await keyOf(made)).privateKeyTags).toEqual(ids)
})

test('a hundred keys get the tag at once', async () => {
  const privateKeyIds = await newKeys(100)
  const { privateKeyTagId } = await done('create_private_key_tag', { privateKeyTagName: 'all', privateKeyIds })
  const { privateKeys } = await found('list_private_keys')
  const tagged = privateKeys.filter(({ privateKeyTags }: { privateKeyTags: string[] }) => {
    return privateKeyTags.includes(privateKeyTagId)
  })
  expect(tagged.map(({ privateKeyId }: { privateKeyId: string }) => privateKeyId)).toEqual(privateKeyIds)
})

describe('invalid tags are refused', async () => {
  const [privateKeyId = ''] = await newKeys(1)
  const { userId } = await server.createOrganization()
  await done('create_private_key_tag', { privateKeyTagName: 'taken', privateKeyIds: [] })
  await done('create_user_tag', { userTagName: 'taken by users', userIds: [] })
  const tooMany = repeated(101, () => privateKeyId)
  for (const [claim, change, status, text] of [
    ['an empty name', { privateKeyTagName: '' }, 400, 'parameters.privateKeyTagName must be a text of 1 to 256'],
    ['101 keys', { privateKeyIds: tooMany }, 400, 'parameters.privateKeyIds must be a list of at most 100'],
    [
      'an unknown key',
      { privateKeyIds: [privateKeyId, absentId] },
      404,
      `parameters.privateKeyIds[1]: there is no private key ${absentId} in this organization`,
    ],
    ["another organization's id", { privateKeyIds: [userId] }, 404, `privateKeyIds[0]: there is no private key`],
    ['the name of another tag', { privateKeyTagName: 'taken' }, 400, 'already in use: parameters.privateKeyTagName'],
    [
      'the name of a user tag',
      { privateKeyTagName: 'taken by users' },
      400,
      'already in use: parameters.privateKeyTagName',
    ],
  ] as const) {
    test(claim, async () => {
      const parameters = { privateKeyTagName: 'new', privateKeyIds: [privateKeyId], ...change }
      expectRefused(await submit('create_private_key_tag', parameters), status, text)
      expect((await keyOf(privateKeyId)).privateKeyTags).toEqual([])
    })
  }
})

test('a user outside of the root quorum may not create tags', async () => {
  const { apiKey } = await anotherUser()
  const parameters = { privateKeyTagName: 'mine', privateKeyIds: [] }
  expectRefused(await submit('create_private_key_tag', parameters, { apiKey }), 403)
})
