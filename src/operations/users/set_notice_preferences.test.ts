import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { submit, done, anotherUser, found } = await startOrganization()

test('changes no other part of the user', async () => {
  const { userId } = await anotherUser()
  const before = await found('get_user', { userId })
  for (const receivesNotices of [false, true]) {
    expect(await done('set_notice_preferences', { userId, receivesNotices })).toEqual({ userId })
    const { user } = await found('get_user', { userId })
    expect({ ...user, updatedAt: 0 }).toEqual({ ...before.user, updatedAt: 0 })
  }
})

test('a user sets the own preferences only', async () => {
  const [one, other] = [await anotherUser('one'), await anotherUser('other')]
  const set = (userId: string) => submit('set_notice_preferences', { userId, receivesNotices: false }, one)
  expect((await set(one.userId)).status).toBe(200)
  expectRefused(await set(other.userId), 403, 'sufficient permission')
})

test('an unknown user is not found', async () => {
  expectRefused(await submit('set_notice_preferences', { userId: absentId, receivesNotices: true }), 404, absentId)
})
