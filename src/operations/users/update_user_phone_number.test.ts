import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, newApiKey, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { clock, rootUserId, submit, done, found, anotherUser } = await startOrganization()
const userOf = async (userId: string) => (await found('get_user', { userId })).user

test('a number is set, changed and removed; everything else stays', async () => {
  const { userId } = await anotherUser()
  const before = await userOf(userId)
  expect(before).not.toHaveProperty('userPhoneNumber')
  for (const userPhoneNumber of ['+14155550123', '+14155550124']) {
    clock.nowMs += 5_000
    const parameters = { userId: userId.toUpperCase(), userPhoneNumber }
    expect(await done('update_user_phone_number', parameters)).toStrictEqual({ userId })
    const after = await userOf(userId)
    expect(after).toEqual({ ...before, userPhoneNumber, updatedAt: after.updatedAt })
    expect(after.updatedAt).not.toEqual(before.updatedAt)
  }
  for (let time = 0; time < 2; time += 1) {
    await done('update_user_phone_number', { userId, userPhoneNumber: '' })
    expect(await userOf(userId)).not.toHaveProperty('userPhoneNumber')
  }
})

test('a sub-organization is found by the present number of its user', async () => {
  const apiKey = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: apiKey.publicKey })]
  const { subOrganizationId, rootUserIds } = await done('create_sub_organization', {
    subOrganizationName: 'sub',
    rootQuorumThreshold: 1,
    rootUsers: [{ userName: 'c', userPhoneNumber: '+14155550100', apiKeys, authenticators: [], oauthProviders: [] }],
  })
  const holders = async (filterValue: string) =>
    (await found('list_suborgs', { filterType: 'PHONE_NUMBER', filterValue })).organizationIds
  const update = (userPhoneNumber: string) => {
    const parameters = { userId: rootUserIds[0], userPhoneNumber }
    return done('update_user_phone_number', parameters, { organizationId: subOrganizationId, apiKey })
  }
  expect(await holders('+14155550100')).toEqual([subOrganizationId])
  await update('+14155550101')
  expect([await holders('+14155550100'), await holders('+14155550101')]).toEqual([[], [subOrganizationId]])
  await update('')
  expect(await holders('+14155550101')).toEqual([])
})

describe('invalid requests are refused', () => {
  for (const [claim, change, status, text] of [
    ['a local number', { userPhoneNumber: '0123' }, 400, 'parameters.userPhoneNumber must be a phone number'],
    ['a blank', { userPhoneNumber: ' ' }, 400, 'parameters.userPhoneNumber must be a phone number'],
    ['null', { userPhoneNumber: null }, 400, 'parameters.userPhoneNumber must be present'],
    ['a token', { verificationToken: 'e30.e30.' }, 400, 'parameters.verificationToken'],
    ['an unknown user', { userId: absentId }, 404, `there is no user ${absentId} in this organization`],
  ] as const) {
    test(claim, async () => {
      const before = await userOf(rootUserId)
      const parameters = { userId: rootUserId, userPhoneNumber: '+14155550123', ...change }
      expectRefused(await submit('update_user_phone_number', parameters), status, text)
      expect(await userOf(rootUserId)).toEqual(before)
    })
  }
})

test('users outside of the root quorum may not change numbers, not even their own', async () => {
  const { userId, apiKey } = await anotherUser()
  const parameters = { userId, userPhoneNumber: '+14155550123' }
  expectRefused(await submit('update_user_phone_number', parameters, { apiKey }), 403)
})
