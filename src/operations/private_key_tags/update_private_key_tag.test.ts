import { describe, expect, test } from 'vitest'
import { signingOf } from '../../../test/support/client.ts'
import {
  absentId,
  expectRefused,
  newPrivateKey,
  repeated,
  startOrganization,
} from '../../../test/support/organization.ts'

const { clock, rootUserId, submit, done, found, anotherUser } = await startOrganization()
const made = await done('create_private_keys', {
  privateKeys: repeated(2, (index) => newPrivateKey({ privateKeyName: `key ${index}` })),
})
const [first, second] = made.privateKeys.map(({ privateKeyId }: { privateKeyId: string }) => privateKeyId)
const { privateKeyTagId } = await done('create_private_key_tag', {
  privateKeyTagName: 'before',
  privateKeyIds: [first],
})
const { privateKeyTagId: otherTagId } = await done('create_private_key_tag', {
  privateKeyTagName: 'taken',
  privateKeyIds: [first, second],
})
await done('create_user_tag', { userTagName: 'taken by users', userIds: [] })
const nothing = { addPrivateKeyIds: [], removePrivateKeyIds: [] }

const keyOf = async (privateKeyId: string) => (await found('get_private_key', { privateKeyId })).privateKey
const tagOf = async () => (await found('list_private_key_tags')).privateKeyTags[0]

test('keys are added and removed; they keep their other tags and sign as before', async () => {
  const signature = await done('sign_raw_payload', signingOf(first, 'text'))
  const result = await done('update_private_key_tag', {
    privateKeyTagId: privateKeyTagId.toUpperCase(),
    addPrivateKeyIds: [second.toUpperCase(), second],
    removePrivateKeyIds: [first],
  })
  expect(result).toStrictEqual({ privateKeyTagId })
  expect((await keyOf(first)).privateKeyTags).toEqual([otherTagId])
  expect((await keyOf(second)).privateKeyTags).toEqual([otherTagId, privateKeyTagId])
  expect(await done('sign_raw_payload', signingOf(first, 'text'))).toEqual(signature)
})

test('adding keys with the tag and removing keys without it changes nothing', async () => {
  const before = await found('list_private_keys')
  clock.nowMs += 5_000
  const parameters = { privateKeyTagId, addPrivateKeyIds: [second], removePrivateKeyIds: [first] }
  await done('update_private_key_tag', parameters)
  expect(await found('list_private_keys')).toEqual(before)
})

test('the tag is renamed; without a name it keeps its own', async () => {
  const before = await tagOf()
  clock.nowMs += 5_000
  await done('update_private_key_tag', { privateKeyTagId, ...nothing })
  expect(await tagOf()).toEqual(before)
  for (const newPrivateKeyTagName of ['after', 'after']) {
    await done('update_private_key_tag', { privateKeyTagId, newPrivateKeyTagName, ...nothing })
  }
  const after = await tagOf()
  expect(after).toEqual({ ...before, tagName: 'after', updatedAt: after.updatedAt })
  expect(after.updatedAt).not.toEqual(before.updatedAt)
  await done('create_user_tag', { userTagName: 'before', userIds: [] })
})

describe('invalid requests are refused', () => {
  const tooMany = repeated(101, () => first)
  for (const [claim, change, status, text] of [
    ['the name of another tag', { newPrivateKeyTagName: 'taken' }, 400, 'in use: parameters.newPrivateKeyTagName'],
    [
      'the name of a user tag',
      { newPrivateKeyTagName: 'taken by users' },
      400,
      'in use: parameters.newPrivateKeyTagName',
    ],
    ['an empty name', { newPrivateKeyTagName: '' }, 400, 'parameters.newPrivateKeyTagName must be a text of 1 to 256'],
    ['an unknown tag', { privateKeyTagId: absentId }, 404, `there is no private key tag ${absentId}`],
    ['the id of a user', { privateKeyTagId: rootUserId }, 404, `there is no private key tag ${rootUserId}`],
    ['an unknown key to add', { addPrivateKeyIds: [absentId] }, 404, 'addPrivateKeyIds[0]: there is no private key'],
    [
      'an unknown key to remove',
      { removePrivateKeyIds: [absentId] },
      404,
      'removePrivateKeyIds[0]: there is no private',
    ],
    ['101 keys to add', { addPrivateKeyIds: tooMany }, 400, 'addPrivateKeyIds must be a list of at most 100'],
    ['101 keys to remove', { removePrivateKeyIds: tooMany }, 400, 'removePrivateKeyIds must be a list of at most 100'],
    [
      'one key both to add and to remove',
      { addPrivateKeyIds: [second, first], removePrivateKeyIds: [first] },
      400,
      'parameters.removePrivateKeyIds[0]: the same id is to be added and to be removed',
    ],
  ] as const) {
    test(claim, async () => {
      const before = await found('get_organization')
      const parameters = { privateKeyTagId, newPrivateKeyTagName: 'never', ...nothing, ...change }
      expectRefused(await submit('update_private_key_tag', parameters), status, text)
      expect(await found('get_organization')).toEqual(before)
    })
  }
})

test('a user outside of the root quorum may not change a tag', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('update_private_key_tag', { privateKeyTagId, ...nothing }, { apiKey }), 403)
})
