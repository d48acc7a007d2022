import { describe, expect, test } from 'vitest'
import { loginsOf } from '../../../test/support/logins.ts'
import { expectRefused, newApiKey, type Parameters, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganization()
const { query, submit, done, found, rootUserId } = organization
const { tokenFor } = await loginsOf(organization)
const listed = async (filterType: string, filterValue: string) =>
  (await found('list_verified_suborgs', { filterType, filterValue })).organizationIds

async function newSubOrganization(subOrganizationName: string, userEmail?: string) {
  const apiKey = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: apiKey.publicKey })]
  const contact = userEmail === undefined ? {} : { userEmail }
  const rootUsers = [{ userName: 'Ada', ...contact, apiKeys, authenticators: [], oauthProviders: [] }]
  const made = await done('create_sub_organization', { subOrganizationName, rootQuorumThreshold: 1, rootUsers })
  return { userId: made.rootUserIds[0], inside: { organizationId: made.subOrganizationId, apiKey } }
}
const { userId, inside } = await newSubOrganization('sub', 'Ada@example.org')
const subOrganizationId = inside.organizationId

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
  // Somebody else may read the mailbox by now.
  await done('update_user_email', { userId, userEmail: 'Ada@example.org' }, inside)
  expect(await listed('EMAIL', 'ada@example.org')).toEqual([])
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

test('a filter has a type and a value', async () => {
  for (const [parameters, text] of [
    [{ filterType: 'EMAIL' }, 'filterValue must be present'],
    [{ filterValue: 'ada@example.org' }, 'filterType must be present'],
    [{ filterType: 'NAME', filterValue: 'sub' }, 'filterType must be one of EMAIL, PHONE_NUMBER'],
    [{ filterType: 'EMAIL', filterValue: '' }, 'filterValue must be a text of 1 to 512 characters'],
    [{ paginationOptions: { after: subOrganizationId, before: subOrganizationId } }, '`before` or `after`, not both'],
  ] as const) {
    expectRefused(await query('list_verified_suborgs', parameters), 400, text)
  }
})

describe('without a filter', () => {
  const all = async (paginationOptions = {}) =>
    (await found('list_verified_suborgs', { paginationOptions })).organizationIds

  test('a sub-organization is listed once, as long as a user of it has a verified contact', async () => {
    expect(await all()).toEqual([])
    const phone = '+14155550124'
    const verify = async (contact: string, given: Parameters = {}) => tokenFor(contact, generateApiKey(), given)
    const email = { userId, userEmail: 'both@example.org', verificationToken: await verify('both@example.org') }
    await done('update_user_email', email, inside)
    const verificationToken = await verify(phone, { otpType: 'OTP_TYPE_SMS' })
    await done('update_user_phone_number', { userId, userPhoneNumber: phone, verificationToken }, inside)
    expect(await all()).toEqual([subOrganizationId])
    await done('update_user_email', { userId, userEmail: 'other@example.org' }, inside)
    expect(await all()).toEqual([subOrganizationId])
    await done('update_user_phone_number', { userId, userPhoneNumber: '' }, inside)
    expect(await all()).toEqual([])
  })

  test('pages are those of a filter, oldest first', async () => {
    const ids: string[] = []
    for (const name of ['one', 'two', 'three']) {
      const contact = `${name}@example.org`
      const own = await newSubOrganization(name)
      const verificationToken = await tokenFor(contact, generateApiKey())
      await done('update_user_email', { userId: own.userId, userEmail: contact, verificationToken }, own.inside)
      ids.push(own.inside.organizationId)
    }
    expect(await all()).toEqual(ids)
    expect(await all({ limit: '2' })).toEqual(ids.slice(0, 2))
    expect(await all({ after: ids[1] })).toEqual(ids.slice(2))
    expect(await all({ before: ids[2], limit: '1' })).toEqual(ids.slice(1, 2))
    expectRefused(
      await query('list_verified_suborgs', { paginationOptions: { after: subOrganizationId } }),
      400,
      'cursor',
    )
  })
})
