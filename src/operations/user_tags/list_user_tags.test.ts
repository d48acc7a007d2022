import { expect, test } from 'vitest'
import { expectRefused, startOrganization, timestamp, uuid } from '../../../test/support/organization.ts'

const { rootUserId, query, done, found, anotherUser } = await startOrganization()

test('a new organization has no tags', async () => {
  expect(await found('list_user_tags')).toStrictEqual({ userTags: [] })
})

test('user tags alone are listed in order of creation; the organization shows private key tags too', async () => {
  await done('create_user_tag', { userTagName: 'first', userIds: [rootUserId] })
  await done('create_private_key_tag', { privateKeyTagName: 'of keys', privateKeyIds: [] })
  await done('create_user_tag', { userTagName: 'second', userIds: [] })
  const tagOf = (tagName: string, tagType = 'TAG_TYPE_USER') => {
    return { tagId: uuid, tagName, tagType, createdAt: timestamp, updatedAt: timestamp }
  }
  expect(await found('list_user_tags')).toStrictEqual({ userTags: [tagOf('first'), tagOf('second')] })
  expect((await found('get_organization')).organizationData.tags).toStrictEqual([
    tagOf('first'),
    tagOf('second'),
    tagOf('of keys', 'TAG_TYPE_PRIVATE_KEY'),
  ])
})

test('every user of the organization may read the tags, and the list has no pages', async () => {
  const { apiKey } = await anotherUser()
  expect(await found('list_user_tags', {}, { apiKey })).toEqual(await found('list_user_tags'))
  expectRefused(await query('list_user_tags', { paginationOptions: {} }), 400, 'paginationOptions must be left out')
})
