import { describe, expect, test } from 'vitest'
import { signingOf } from '../../../test/support/client.ts'
import {
  absentId,
  expectRefused,
  newPrivateKey,
  repeated,
  startOrganization,
} from '../../../test/support/organization.ts'

const { clock, submit, done, found, anotherUser } = await startOrganization()
const tagNamed = async (privateKeyTagName: string, privateKeyIds: readonly string[] = []): Promise<string> =>
  (await done('create_private_key_tag', { privateKeyTagName, privateKeyIds })).privateKeyTagId
const keyOf = async (privateKeyId: string) => (await found('get_private_key', { privateKeyId })).privateKey
let count = 0
async function newKeys(howMany: number, given: object = {}): Promise<string[]> {
  const privateKeys = repeated(howMany, () => newPrivateKey({ privateKeyName: `key ${++count}`, ...given }))
  const made = (await done('create_private_keys', { privateKeys })).privateKeys
  return made.map(({ privateKeyId }: { privateKeyId: string }) => privateKeyId)
}

test('tags are deleted and taken from their keys; the result has each of these keys once', async () => {
  const keys = await newKeys(3)
  const [one = '', two = '', three = ''] = keys
  const [first, second, kept] = [await tagNamed('a', [one, two]), await tagNamed('b', [one]), await tagNamed('c', keys)]
  const untouched = await keyOf(three)
  const signature = await done('sign_raw_payload', signingOf(one, 'text'))
  clock.nowMs += 5_000
  const result = await done('delete_private_key_tags', { privateKeyTagIds: [second, first.toUpperCase(), first] })
  expect(result).toStrictEqual({ privateKeyTagIds: [second, first], privateKeyIds: [one, two] })

  for (const privateKeyId of keys) expect((await keyOf(privateKeyId)).privateKeyTags).toEqual([kept])
  expect(await keyOf(three)).toEqual(untouched)
  expect(await done('sign_raw_payload', signingOf(one, 'text'))).toEqual(signature)
  const left = (await found('list_private_key_tags')).privateKeyTags.map(({ tagId }: { tagId: string }) => tagId)
  expect([first, second, kept].filter((tagId) => left.includes(tagId))).toEqual([kept])
  await tagNamed('a')
})

test('a tag of hundreds of keys is deleted in one request, whether the keys were read before or not', async () => {
  const [tag, other] = [await tagNamed('many'), await tagNamed('as many')]
  const given = { privateKeyTags: [tag, other] }
  const ids = [...(await newKeys(100, given)), ...(await newKeys(100, given)), ...(await newKeys(100, given))]
  for (const privateKeyTagId of [tag, other]) {
    const { privateKeyIds } = await done('delete_private_key_tags', { privateKeyTagIds: [privateKeyTagId] })
    expect(privateKeyIds).toEqual(ids)
    const { privateKeys } = await found('list_private_keys')
    for (const { privateKeyTags } of privateKeys) expect(privateKeyTags).not.toContain(privateKeyTagId)
  }
})

describe('invalid requests are refused', async () => {
  const [privateKeyId = ''] = await newKeys(1)
  const tagId = await tagNamed('stays', [privateKeyId])
  const { userTagId } = await done('create_user_tag', { userTagName: 'of users', userIds: [] })
  for (const [claim, privateKeyTagIds, status, text] of [
    ['no tag', [], 400, 'parameters.privateKeyTagIds must be a list of 1 to 100'],
    ['101 tags', repeated(101, () => tagId), 400, 'parameters.privateKeyTagIds must be a list of 1 to 100'],
    ['an unknown tag', [tagId, absentId], 404, `privateKeyTagIds[1]: there is no private key tag ${absentId}`],
    ['a user tag', [userTagId], 404, `privateKeyTagIds[0]: there is no private key tag ${userTagId}`],
    [
      'the id of a private key',
      [privateKeyId],
      404,
      `privateKeyTagIds[0]: there is no private key tag ${privateKeyId}`,
    ],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('delete_private_key_tags', { privateKeyTagIds }), status, text)
      expect((await keyOf(privateKeyId)).privateKeyTags).toEqual([tagId])
    })
  }

  test('a deletion by a user outside of the root quorum', async () => {
    const { apiKey } = await anotherUser()
    expectRefused(await submit('delete_private_key_tags', { privateKeyTagIds: [tagId] }, { apiKey }), 403)
  })
})

test('one of two simultaneous deletions of a tag succeeds, the other finds no tag', async () => {
  const privateKeyTagIds = [await tagNamed('contended', await newKeys(2))]
  const answers = await Promise.all(repeated(2, () => submit('delete_private_key_tags', { privateKeyTagIds })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
})
