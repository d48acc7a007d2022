import { expect, test } from 'vitest'
import { loginsOf } from '../../../test/support/logins.ts'
import { expectRefused, newApiKey, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganization()
const { query, submit, done, found, rootUserId } = organization
const { tokenFor } = await loginsOf(organization)
const listed = async (filterType: string, filterValue: string) =>
  (await found('list_verified_suborgs', { filterType, filterValue })).organizationIds

const apiKey = generateApiKey()
const { subOrganizationId, rootUserIds } = await done('create_sub_organization', {
  subOrganizationName: 'sub',
  rootQuorumThreshold: 1,
  rootUsers: [
    {
      userName: 'Ada',
      userEmail: 'Ada@example.org',
      apiKeys: [newApiKey({ publicKey: apiKey.publicKey })],
      authenticators: [],
      oauthProviders: [],
    },
  ],
})
const [userId] = rootUserIds
const inside = { organizationId: subOrganizationId, apiKey }

test("an address counts while it is verified and the user's own", async () => {
  expect(await listed('EMAIL', 'ada@example.org')).toEqual([])
  // A token of the parent is valid in all its sub-organizations.
  const verificationToken = await tokenFor('ada@example.org', generateApiKey())
  const update = { userId, userEmail: 'Ada@example.org', verificationToken }
  await done('update_user_email', update, inside)
  expect(await listed('EMAIL', 'ADA@example.org')).toEqual([subOrganizationId])
  expectRefused(await submit('update_user_email', update, inside), 400, 'it was used before')

  await done('update_user_email', { userId, userEmail: 'new@example.org' }, inside)
  expect([await listed('EMAIL', 'ada@example.org'), await listed('EMAIL', 'new@example.org')]).toEqual([[], []])
})

test("a phone number counts while it is verified and the user's own", async () => {
  const phone = '+14155550123'
  const verificationToken = await tokenFor(phone, generateApiKey(), { otpType: 'OTP_TYPE_SMS' })
  const update = { userId, userPhoneNumber: phone, verificationToken }
  await done('update_user_phone_number', update, inside)
  expect(await listed('PHONE_NUMBER', phone)).toEqual([subOrganizationId])
  await done('update_user_phone_number', { userId, userPhoneNumber: '' }, inside)
  expect(await listed('PHONE_NUMBER', phone)).toEqual([])
})

test('a token about another contact verifies nothing and stays valid', async () => {
  const verificationToken = await tokenFor('root@example.org', generateApiKey())
  const text = 'parameters.verificationToken must be one about the contact in this request'
  for (const [name, contact] of [
    ['update_user_email', { userEmail: 'other@example.org' }],
    ['update_user_email', { userEmail: '' }],
    ['update_user_phone_number', { userPhoneNumber: '+14155550123' }],
  ] as const) {
    expectRefused(await submit(name, { userId: rootUserId, ...contact, verificationToken }), 400, text)
  }
  await done('update_user_email', { userId: rootUserId, userEmail: 'root@example.org', verificationToken })
})

test('a filter is required', async () => {
  for (const [parameters, text] of [
    [{}, 'filterType must be present'],
    [{ filterType: 'EMAIL' }, 'filterValue must be present'],
    [{ filterValue: 'ada@example.org' }, 'filterType must be present'],
    [{ filterType: 'NAME', filterValue: 'sub' }, 'filterType must be one of EMAIL, PHONE_NUMBER'],
    [{ filterType: 'EMAIL', filterValue: '' }, 'filterValue must be a text of 1 to 512 characters'],
  ] as const) {
    expectRefused(await query('list_verified_suborgs', parameters), 400, text)
  }
})
