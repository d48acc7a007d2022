import { expect, test } from 'vitest'
import { startOrganization, timestamp, uuid } from '../../../test/support/organization.ts'

const { done, found, anotherUser } = await startOrganization()

test('a new organization has no tags', async () => {
  expect(await found('list_private_key_tags')).toStrictEqual({ privateKeyTags: [] })
})

test('private key tags alone are listed in order of creation, for every user of the organization', async () => {
  await done('create_private_key_tag', { privateKeyTagName: 'first', privateKeyIds: [] })
  await done('create_user_tag', { userTagName: 'of users', userIds: [] })
  await done('create_private_key_tag', { privateKeyTagName: 'second', privateKeyIds: [] })
  const rest = { tagId: uuid, tagType: 'TAG_TYPE_PRIVATE_KEY', createdAt: timestamp, updatedAt: timestamp }
  const { apiKey } = await anotherUser()
  expect(await found('list_private_key_tags', {}, { apiKey })).toStrictEqual({
    privateKeyTags: [
      { tagName: 'first', ...rest },
      { tagName: 'second', ...rest },
    ],
  })
})
