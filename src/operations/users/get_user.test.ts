import { expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newUser,
  startOrganization,
  timestamp,
  uuid,
} from '../../../test/support/organization.ts'

const { rootUserId, rootKey, query, found, done } = await startOrganization()

test('a user is shown with every field that it has', async () => {
  expect(await found('get_user', { userId: rootUserId })).toStrictEqual({
    user: {
      userId: rootUserId,
      userName: 'root',
      authenticators: [],
      apiKeys: [
        {
          credential: { publicKey: rootKey.publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' },
          apiKeyId: uuid,
          apiKeyName: 'root key',
          createdAt: timestamp,
          updatedAt: timestamp,
        },
      ],
      userTags: [],
      oauthProviders: [],
      mfaPolicies: [],
      createdAt: timestamp,
      updatedAt: timestamp,
    },
  })
})

test('e-mail address and phone number are shown as they were given', async () => {
  const contacts = { userEmail: 'Ada@Example.com', userPhoneNumber: '+14155550123' }
  const { userIds } = await done('create_users', { users: [newUser(contacts)] })
  expect((await found('get_user', { userId: userIds[0] })).user).toMatchObject(contacts)
})

test('an id may be in capitals', async () => {
  expect((await found('get_user', { userId: rootUserId.toUpperCase() })).user.userId).toBe(rootUserId)
})

test('an unknown id is 404', async () => {
  expectRefused(await query('get_user', { userId: absentId }), 404, `there is no user ${absentId} in this organization`)
})
