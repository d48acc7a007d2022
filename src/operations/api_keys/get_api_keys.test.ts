import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { rootUserId, query, found, anotherUser } = await startOrganization()
const { userId } = await anotherUser()

const keysOf = async (id: string) => (await found('get_user', { userId: id })).user.apiKeys

test('the keys of one user or of all users are listed', async () => {
  const [roots, others] = [await keysOf(rootUserId), await keysOf(userId)]
  expect(await found('get_api_keys', { userId: userId.toUpperCase() })).toStrictEqual({ apiKeys: others })
  expect(await found('get_api_keys')).toStrictEqual({ apiKeys: [...roots, ...others] })
  expect(await found('get_api_keys', { userId: null })).toStrictEqual({ apiKeys: [...roots, ...others] })
})

test('an unknown user is 404', async () => {
  expectRefused(
    await query('get_api_keys', { userId: absentId }),
    404,
    `there is no user ${absentId} in this organization`,
  )
})
