import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'

const { rootUserId, found, anotherUser } = await startOrganization()

test('users are listed in order of creation, each as `get_user` shows it', async () => {
  const userIds = [rootUserId, (await anotherUser('Ada')).userId, (await anotherUser('Bob')).userId]
  const users = await Promise.all(userIds.map(async (userId) => (await found('get_user', { userId })).user))
  expect(await found('list_users')).toStrictEqual({ users })
})
