import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { server, clock, rootUserId, submit, done, found, anotherUser } = await startOrganization()
const userOf = async (userId: string) => (await found('get_user', { userId })).user

test('a user is renamed and keeps everything else; two users may have one name', async () => {
  const { userId, apiKey } = await anotherUser('before')
  const before = await userOf(userId)
  for (const userName of ['after', (await userOf(rootUserId)).userName]) {
    clock.nowMs += 5_000
    expect(await done('update_user_name', { userId: userId.toUpperCase(), userName })).toStrictEqual({ userId })
    const after = await userOf(userId)
    expect(after).toEqual({ ...before, userName, updatedAt: after.updatedAt })
    expect(after.updatedAt).not.toEqual(before.updatedAt)
    expect((await found('whoami', {}, { apiKey })).username).toBe(userName)
  }
})

describe('invalid requests are refused', async () => {
  const other = await server.createOrganization()
  for (const [claim, change, status, text] of [
    ['an empty name', { userName: '' }, 400, 'parameters.userName must be a text of 1 to 256'],
    ['no name', { userName: null }, 400, 'parameters.userName must be present'],
    ['an unknown user', { userId: absentId }, 404, `there is no user ${absentId} in this organization`],
    ["another organization's user", { userId: other.userId }, 404, `there is no user ${other.userId} in this`],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('update_user_name', { userId: rootUserId, userName: 'x', ...change }), status, text)
    })
  }
})

test('users outside of the root quorum may change neither their own name nor another', async () => {
  const { userId, apiKey } = await anotherUser('own')
  for (const named of [userId, rootUserId]) {
    expectRefused(await submit('update_user_name', { userId: named, userName: 'root' }, { apiKey }), 403)
  }
  expect((await userOf(userId)).userName).toBe('own')
})
