import { describe, expect, test } from 'vitest'
import { loginsOf, signUpSignatureOf } from '../../../test/support/logins.ts'
import { absentId, expectRefused, newApiKey, newUser, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganization()
const { clock, rootUserId, submit, done, found, anotherUser } = organization
const userOf = async (userId: string) => (await found('get_user', { userId })).user

test('an address is set, changed and removed; everything else stays', async () => {
  const { userId } = await anotherUser()
  const before = await userOf(userId)
  expect(before).not.toHaveProperty('userEmail')
  for (const userEmail of ['ada@example.com', 'Ada@Example.com']) {
    clock.nowMs += 5_000
    expect(await done('update_user_email', { userId: userId.toUpperCase(), userEmail })).toStrictEqual({ userId })
    const after = await userOf(userId)
    expect(after).toEqual({ ...before, userEmail, updatedAt: after.updatedAt })
    expect(after.updatedAt).not.toEqual(before.updatedAt)
  }
  for (let time = 0; time < 2; time += 1) {
    expect(await done('update_user_email', { userId, userEmail: '' })).toStrictEqual({ userId })
    expect(await userOf(userId)).not.toHaveProperty('userEmail')
  }
})

test('a sub-organization is found by the present address of its user', async () => {
  const apiKey = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: apiKey.publicKey })]
  const { subOrganizationId, rootUserIds } = await done('create_sub_organization', {
    subOrganizationName: 'sub',
    rootQuorumThreshold: 1,
    rootUsers: [{ userName: 'c', userEmail: 'first@example.com', apiKeys, authenticators: [], oauthProviders: [] }],
  })
  const holders = async (filterValue: string) =>
    (await found('list_suborgs', { filterType: 'EMAIL', filterValue })).organizationIds
  const update = (userEmail: string) =>
    done('update_user_email', { userId: rootUserIds[0], userEmail }, { organizationId: subOrganizationId, apiKey })

  expect(await holders('first@example.com')).toEqual([subOrganizationId])
  await update('Second@example.com')
  expect([await holders('first@example.com'), await holders('second@EXAMPLE.com')]).toEqual([[], [subOrganizationId]])
  await update('second@example.com')
  expect(await holders('second@example.com')).toEqual([subOrganizationId])
  await update('')
  expect(await holders('second@example.com')).toEqual([])
})

describe('invalid requests are refused', () => {
  for (const [claim, change, status, text] of [
    [
      'a malformed address',
      { userEmail: 'ada' },
      400,
      'parameters.userEmail must be an e-mail address, or an empty text',
    ],
    ['a blank', { userEmail: ' ' }, 400, 'parameters.userEmail must be an e-mail address'],
    ['two lines', { userEmail: 'ada@example.com\n' }, 400, 'parameters.userEmail must be an e-mail address'],
    ['null', { userEmail: null }, 400, 'parameters.userEmail must be present'],
    ['a token', { verificationToken: 'e30.e30.' }, 400, 'parameters.verificationToken'],
    ['an unknown user', { userId: absentId }, 404, `there is no user ${absentId} in this organization`],
  ] as const) {
    test(claim, async () => {
      const before = await userOf(rootUserId)
      const parameters = { userId: rootUserId, userEmail: 'eve@example.com', ...change }
      expectRefused(await submit('update_user_email', parameters), status, text)
      expect(await userOf(rootUserId)).toEqual(before)
    })
  }
})

test('a null token means no token', async () => {
  const parameters = { userId: rootUserId, userEmail: 'root@example.com', verificationToken: null }
  await done('update_user_email', parameters)
})

test('users outside of the root quorum may not change addresses, not even their own, because mail logs users in', async () => {
  const { userId, apiKey } = await anotherUser()
  for (const of of [userId, rootUserId]) {
    const parameters = { userId: of, userEmail: 'eve@example.com' }
    expectRefused(await submit('update_user_email', parameters, { apiKey }), 403)
  }
})

test('a root user whose only way in is this address keeps one', async () => {
  const made = await done('create_sub_organization', {
    subOrganizationName: 'only',
    rootUsers: [{ ...newUser({ userEmail: 'only@example.com', userTags: undefined }) }],
    rootQuorumThreshold: 1,
  })
  const [userId] = made.rootUserIds
  const sub = { organizationId: made.subOrganizationId }
  const flow = await (await loginsOf(organization)).loginFor('only@example.com')
  const apiKey = flow.sessionKey
  await done('otp_login', flow.parameters, sub)
  const removal = await submit('update_user_email', { userId, userEmail: '' }, { ...sub, apiKey })
  expectRefused(removal, 400, 'without a way to log in')
})

test('the token of a sign-up, which everybody can read in the activities, verifies no further address', async () => {
  const clientKey = generateApiKey()
  const contact = 'signed-up@example.com'
  const verificationToken = await (await loginsOf(organization)).tokenFor(contact, clientKey)
  const { userTags: _, ...rootUser } = newUser({ userEmail: contact })
  await done('create_sub_organization', {
    subOrganizationName: 'signed up',
    rootUsers: [rootUser],
    rootQuorumThreshold: 1,
    verificationToken,
    clientSignature: signUpSignatureOf(verificationToken, clientKey, rootUser),
  })
  const parameters = { userId: rootUserId, userEmail: contact, verificationToken }
  expectRefused(await submit('update_user_email', parameters), 400, 'verificationToken: it was used before')
})
