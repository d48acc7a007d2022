import { beforeAll, expect, test } from 'vitest'
import { explaining, warningsOf } from '../support/explanations.ts'
import {
  newApiKey,
  newAuthenticator,
  newMfaPolicy,
  newUser,
  type Parameters,
  startOrganization,
} from '../support/organization.ts'
import { newPasskey } from '../support/passkeys.ts'

/** Whether a user can take the steps of an MFA policy, and whether steps are as strong as others, goes by factors. */

const organization = await startOrganization()
const { done, found, anotherUser, rootUserId, clock } = organization
const { userId: grace } = await anotherUser('Grace')
const passkey = () => newAuthenticator({ passkey: newPasskey('ES256') })
const stepsBy = (...types: string[]) => types.map((type) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] }))

async function newOwner(userName: string, given: Parameters = {}): Promise<string> {
  const authenticators = [passkey(), passkey()]
  const users = [newUser({ userName, apiKeys: [newApiKey()], authenticators, ...given })]
  return (await done('create_users', { users })).userIds[0]
}
const policyOf = (userId: string, order: number, ...types: string[]) => ({
  userId,
  ...newMfaPolicy({ order, requiredAuthenticationMethods: stepsBy(...types) }),
})

const coded = await newOwner('Coded', { userPhoneNumber: '+4915112345678' })
const expiring = await newOwner('Expiring', { apiKeys: [newApiKey({ expirationSeconds: '60' })], authenticators: [] })
const twice = await newOwner('Twice')
await done('create_mfa_policy', policyOf(twice, 0, 'PASSKEY', 'PASSKEY'))
const mixed = await newOwner('Mixed')
await done('create_mfa_policy', policyOf(mixed, 0, 'PASSKEY', 'API_KEY'))

beforeAll(() => done('update_root_quorum', { threshold: 2, userIds: [rootUserId, grace] }))

const codesOf = async (name: string, parameters: Parameters) =>
  warningsOf((await explaining(organization)(name, parameters)).explanation)
const isBlocked = async (userId: string, ...types: string[]) =>
  (await codesOf('create_mfa_policy', policyOf(userId, 1, ...types))).includes('stepImpossible')
const isBehind = async (userId: string, ...types: string[]) =>
  (await codesOf('create_mfa_policy', policyOf(userId, 1, ...types))).includes('stepsAfterOthers')

test('a user takes as many steps by passkeys as there are passkeys', async () => {
  expect(await isBlocked(twice, 'PASSKEY', 'PASSKEY', 'API_KEY')).toBe(false)
  expect(await isBlocked(twice, 'PASSKEY', 'PASSKEY', 'PASSKEY')).toBe(true)
})

test('a session takes no step beside the credential that opened it, but beside a code', async () => {
  expect(await isBlocked(twice, 'API_KEY', 'SESSION')).toBe(false)
  expect(await isBlocked(twice, 'API_KEY', 'PASSKEY', 'PASSKEY', 'SESSION')).toBe(true)
  expect(await isBlocked(coded, 'API_KEY', 'PASSKEY', 'PASSKEY', 'SESSION', 'SMS_OTP')).toBe(false)
})

test('a request that takes one of two passkeys blocks the second of two steps', async () => {
  const isBlockedAfter = async (userId: string) => {
    const [{ authenticatorId }] = (await found('get_user', { userId })).user.authenticators
    const removal = { userId, authenticatorIds: [authenticatorId] }
    return (await codesOf('delete_authenticators', removal)).includes('stepImpossible')
  }
  expect(await isBlockedAfter(twice)).toBe(true)
  expect(await isBlockedAfter(mixed)).toBe(false)
})

test('steps by a passkey and an API key are less than steps by two passkeys', async () => {
  expect(await isBehind(mixed, 'PASSKEY', 'PASSKEY')).toBe(true)
  expect(await isBehind(mixed, 'API_KEY', 'PASSKEY')).toBe(false)
  expect(await isBehind(twice, 'PASSKEY', 'API_KEY')).toBe(true)
  expect(await isBehind(twice, 'PASSKEY')).toBe(false)
})

test('an API key that has expired takes no step, and opens no session for one', async () => {
  for (const type of ['API_KEY', 'SESSION']) expect(await isBlocked(expiring, type)).toBe(false)
  clock.nowMs += 61_000
  for (const type of ['API_KEY', 'SESSION']) expect(await isBlocked(expiring, type)).toBe(true)
})
