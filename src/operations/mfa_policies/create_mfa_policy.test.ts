import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newApiKey,
  newMfaPolicy,
  type Parameters,
  repeated,
  startOrganization,
  timestamp,
  uuid,
} from '../../../test/support/organization.ts'

const { server, rootUserId, submit, found, done, anotherUser, subOrganization } = await startOrganization()
const steps = (...methods: readonly object[]) => ({ requiredAuthenticationMethods: [{ any: methods }] })
const [apiKey] = (await found('get_api_keys', { userId: rootUserId })).apiKeys
const { sessionProfileId } = await done('create_session_profile', { sessionProfileName: 'p', scope: 'true' })

test('a policy is kept as it was given and shown with its user', async () => {
  const { userId } = await anotherUser()
  const [{ apiKeyId }] = (await found('get_api_keys', { userId })).apiKeys
  const policy = newMfaPolicy({
    condition: "activity.resource == 'AUTH'",
    requiredAuthenticationMethods: [
      {
        any: [
          { type: 'AUTHENTICATION_TYPE_EMAIL_OTP' },
          { type: 'AUTHENTICATION_TYPE_API_KEY', id: apiKeyId.toUpperCase() },
        ],
      },
      { any: [{ type: 'AUTHENTICATION_TYPE_SESSION', id: sessionProfileId }] },
    ],
    order: -3,
    notes: '',
  })
  const { mfaPolicyId } = await done('create_mfa_policy', { userId, ...policy })
  expect(mfaPolicyId).toEqual(uuid)
  const mfaPolicies = [
    {
      ...policy,
      mfaPolicyId,
      requiredAuthenticationMethods: [
        { any: [{ type: 'AUTHENTICATION_TYPE_EMAIL_OTP' }, { type: 'AUTHENTICATION_TYPE_API_KEY', id: apiKeyId }] },
        { any: [{ type: 'AUTHENTICATION_TYPE_SESSION', id: sessionProfileId }] },
      ],
      createdAt: timestamp,
      updatedAt: timestamp,
    },
  ]
  expect((await found('get_user', { userId })).user.mfaPolicies).toStrictEqual(mfaPolicies)
  expect((await found('get_user', { userId: rootUserId })).user.mfaPolicies).toStrictEqual([])
  const { users } = await found('list_users')
  expect(users.find((user: { userId: string }) => user.userId === userId).mfaPolicies).toStrictEqual(mfaPolicies)
  const { organizationData } = await found('get_organization')
  expect(organizationData.users).toStrictEqual(users)
})

test('a vote shows its user with the policies', async () => {
  const { userId, apiKey: usersKey } = await anotherUser()
  const { mfaPolicyId } = await done('create_mfa_policy', { userId, ...newMfaPolicy() })
  const { body } = await submit('create_api_keys', { userId, apiKeys: [newApiKey()] }, { apiKey: usersKey })
  expect(body.activity.votes[0].user.mfaPolicies).toMatchObject([{ mfaPolicyId }])
})

describe('invalid requests are refused', () => {
  test.each<[string, Parameters, number, string]>([
    ['no steps', { requiredAuthenticationMethods: [] }, 400, 'requiredAuthenticationMethods must be a list of 1 to 10'],
    ['a step without methods', steps(), 400, 'requiredAuthenticationMethods[0].any must be a list of 1 to 10'],
    [
      'eleven steps',
      { requiredAuthenticationMethods: repeated(11, () => ({ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }] })) },
      400,
      'a list of 1 to 10',
    ],
    [
      'an unknown type',
      steps({ type: 'AUTHENTICATION_TYPE_PASSWORD' }),
      400,
      'any[0].type must be one of AUTHENTICATION_TYPE_EMAIL_OTP',
    ],
    [
      'an id for a passcode',
      steps({ type: 'AUTHENTICATION_TYPE_SMS_OTP', id: absentId }),
      400,
      'any[0].id must be left out for AUTHENTICATION_TYPE_SMS_OTP',
    ],
    [
      'an unknown key',
      steps({ type: 'AUTHENTICATION_TYPE_SESSION' }, { type: 'AUTHENTICATION_TYPE_API_KEY', id: absentId }),
      404,
      `requiredAuthenticationMethods[0].any[1].id: there is no api key of this user ${absentId}`,
    ],
    [
      'an unknown session profile',
      steps({ type: 'AUTHENTICATION_TYPE_SESSION', id: absentId }),
      404,
      `there is no session profile in this organization ${absentId}`,
    ],
    [
      'an unknown passkey',
      steps({ type: 'AUTHENTICATION_TYPE_PASSKEY', id: absentId }),
      404,
      `there is no authenticator of this user ${absentId}`,
    ],
    [
      'an unknown provider',
      steps({ type: 'AUTHENTICATION_TYPE_OAUTH', id: absentId }),
      404,
      `there is no OAuth provider of this user ${absentId}`,
    ],
    ['an order with a fraction', { order: 0.5 }, 400, 'parameters.order must be a whole number'],
    ['an order beyond the integers', { order: 2 ** 53 }, 400, 'parameters.order must be a whole number'],
    ['no condition', { condition: '' }, 400, 'parameters.condition must be an expression of 1 to 5000 characters'],
    [
      'a condition that is too long',
      { condition: 'x'.repeat(5_001) },
      400,
      'parameters.condition must be an expression of 1 to 5000',
    ],
    [
      'notes that are too long',
      { notes: 'x'.repeat(2_001) },
      400,
      'parameters.notes must be a text of at most 2000 characters',
    ],
    ['an unknown user', { userId: absentId }, 404, `there is no user ${absentId} in this organization`],
  ])('%s', async (_name, change, status, text) => {
    expectRefused(await submit('create_mfa_policy', { userId: rootUserId, ...newMfaPolicy(change) }), status, text)
  })

  test('the key of another user', async () => {
    const { userId } = await anotherUser()
    const change = steps({ type: 'AUTHENTICATION_TYPE_API_KEY', id: apiKey.apiKeyId })
    expectRefused(
      await submit('create_mfa_policy', { userId, ...newMfaPolicy(change) }),
      404,
      'no api key of this user',
    )
  })

  test('a user of another organization', async () => {
    const { userId } = await server.createOrganization()
    expectRefused(await submit('create_mfa_policy', { userId, ...newMfaPolicy() }), 404, `there is no user ${userId}`)
  })

  test('an eleventh policy', async () => {
    const { userId } = await anotherUser()
    for (let count = 0; count < 10; count += 1) await done('create_mfa_policy', { userId, ...newMfaPolicy() })
    const answer = await submit('create_mfa_policy', { userId, ...newMfaPolicy() })
    expectRefused(answer, 429, 'a user has at most 10 MFA policies')
  })

  test('a request by a user outside of the root quorum, also for that user', async () => {
    const { userId, apiKey: usersKey } = await anotherUser()
    expectRefused(await submit('create_mfa_policy', { userId, ...newMfaPolicy() }, { apiKey: usersKey }), 403)
  })
})

test('a step may ask for a session without a profile, or with a profile of the parent', async () => {
  const methods = steps(
    { type: 'AUTHENTICATION_TYPE_SESSION', id: '00000000-0000-0000-0000-000000000000' },
    { type: 'AUTHENTICATION_TYPE_SESSION', id: sessionProfileId.toUpperCase() },
  )
  const sub = await subOrganization()
  const ask = { apiKey: sub.apiKey, organizationId: sub.organizationId }
  const { mfaPolicyId } = await done('create_mfa_policy', { userId: sub.rootUserId, ...newMfaPolicy(methods) }, ask)
  const { mfaPolicies } = await found('get_mfa_policies', { userId: sub.rootUserId }, ask)
  expect(mfaPolicies).toMatchObject([{ mfaPolicyId }])
})
