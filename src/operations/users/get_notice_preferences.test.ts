import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { query, done, anotherUser, found } = await startOrganization()

test('shows what was set; a new user receives notices', async () => {
  const { userId } = await anotherUser()
  const shown = () => found('get_notice_preferences', { userId })
  expect(await shown()).toStrictEqual({ userId, receivesNotices: true })
  for (const receivesNotices of [false, true]) {
    await done('set_notice_preferences', { userId, receivesNotices })
    expect(await shown()).toStrictEqual({ userId, receivesNotices })
  }
})

test('an unknown user is not found', async () => {
  expectRefused(await query('get_notice_preferences', { userId: absentId }), 404, absentId)
})
