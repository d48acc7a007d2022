import { expect, test } from 'vitest'
import {
  type Ask,
  absentId,
  expectRefused,
  newApiKey,
  newAuthenticator,
  newUser,
  repeated,
  startOrganization,
} from '../../../test/support/organization.ts'
import { newPasskey } from '../../../test/support/passkeys.ts'
import { type ApiKeyPair, generateApiKey } from '../../../test/support/stamping.ts'
import { plainLines } from '../../contract/explanation/texts/plain_lines.ts'

const organization = await startOrganization()
const { rootUserId, rootKey, submit, query, done, found, anotherUser } = organization

async function newHolder() {
  const { userId, apiKey } = await anotherUser()
  const passkey = newPasskey('ES256')
  const authenticators = [newAuthenticator({ passkey }), newAuthenticator()]
  const { authenticatorIds } = await done('create_authenticators', { userId, authenticators })
  return { userId, apiKey, passkey, authenticatorIds }
}

async function idsOf(userId: string): Promise<readonly string[]> {
  const { authenticators } = await found('get_authenticators', { userId })
  return authenticators.map(({ authenticatorId }: { authenticatorId: string }) => authenticatorId)
}

test('removed passkeys stamp nothing, and an id given twice counts once', async () => {
  const { userId, passkey, authenticatorIds } = await newHolder()
  const [first, second] = authenticatorIds
  const parameters = { userId, authenticatorIds: [first.toUpperCase(), first] }
  expect(await done('delete_authenticators', parameters)).toStrictEqual({ authenticatorIds: [first] })
  expect(await idsOf(userId)).toEqual([second])
  const answer = await query('whoami', {}, { passkey })
  expectRefused(answer, 401, 'credential ID could not be found in organization or its parent organization')
  expect(answer.body.turnkeyErrorCode).toBe('CREDENTIAL_NOT_FOUND')
})

async function openedBy(ask: Ask) {
  const session = generateApiKey()
  await done('stamp_login', { publicKey: session.publicKey }, ask)
  return session
}
const statusOf = async (apiKey: ApiKeyPair) => (await query('whoami', {}, { apiKey })).status

test('a removed passkey ends the sessions that it opened, and those that these opened, and no others', async () => {
  const { userId, apiKey, passkey, authenticatorIds } = await newHolder()
  const first = await openedBy({ passkey })
  const renewed = await openedBy({ apiKey: await openedBy({ apiKey: first }) })
  const byKey = await openedBy({ apiKey })
  await done('delete_authenticators', { userId, authenticatorIds: [authenticatorIds[1]] })
  expect(await Promise.all([first, renewed, byKey].map(statusOf))).toEqual([200, 200, 200])
  await done('delete_authenticators', { userId, authenticatorIds: [authenticatorIds[0]] }, { apiKey: renewed })
  expect(await Promise.all([first, renewed, byKey, apiKey].map(statusOf))).toEqual([401, 401, 200, 200])
})

test('whoever is asked to approve a removal sees the sessions that end by it', async () => {
  const { userId, passkey, authenticatorIds } = await newHolder()
  const session = await openedBy({ passkey })
  const second = await anotherUser('second')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  const { body } = await submit('delete_authenticators', { userId, authenticatorIds })
  const { id: activityId, fingerprint } = body.activity
  const { explanation } = await found('explain_activity', { activityId })
  expect(plainLines(explanation).join('\n')).toContain(`sessions that end: “session ${session.publicKey}”`)
  await submit('approve_activity', { fingerprint }, { apiKey: second.apiKey })
  expect(await statusOf(session)).toBe(401)
  const back = await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId] })
  await submit('approve_activity', { fingerprint: back.body.activity.fingerprint }, { apiKey: second.apiKey })
})

test('a removed passkey may be given to another user', async () => {
  const { userId, passkey, authenticatorIds } = await newHolder()
  await done('delete_authenticators', { userId, authenticatorIds })
  const other = await anotherUser()
  await done('create_authenticators', { userId: other.userId, authenticators: [newAuthenticator({ passkey })] })
  expect((await found('whoami', {}, { passkey })).userId).toBe(other.userId)
})

test('users may remove their own passkeys and nobody else’s', async () => {
  const [{ userId, apiKey, authenticatorIds }, other] = [await newHolder(), await newHolder()]
  const foreign = { userId: other.userId, authenticatorIds: other.authenticatorIds }
  expectRefused(await submit('delete_authenticators', foreign, { apiKey }), 403)
  await done('delete_authenticators', { userId, authenticatorIds }, { apiKey })
  expect(await idsOf(userId)).toEqual([])
})

test('invalid removals are refused', async () => {
  const { userId, authenticatorIds: own } = await newHolder()
  const { authenticatorIds: others } = await newHolder()
  for (const [change, status, text] of [
    [{ authenticatorIds: [] }, 400, 'parameters.authenticatorIds must be a list of 1 to 100'],
    [{ authenticatorIds: repeated(101, () => absentId) }, 400, 'parameters.authenticatorIds must be a list of 1 to'],
    [{ authenticatorIds: repeated(100, () => absentId) }, 404, `there is no authenticator ${absentId} of this user`],
    [{ authenticatorIds: [...own, ...others] }, 404, `there is no authenticator ${others[0]} of this user`],
    [{ userId: absentId }, 404, `there is no user ${absentId} in this organization`],
  ] as const) {
    expectRefused(await submit('delete_authenticators', { userId, authenticatorIds: own, ...change }), status, text)
  }
  expect(await idsOf(userId)).toEqual(own)
})

test('the last lasting credential of the quorum stays, key or passkey', async () => {
  const text = 'this would leave the root quorum without enough members who have a credential; add one first'
  const [{ apiKeyId: keyId }] = (await found('get_api_keys', { userId: rootUserId })).apiKeys
  const passkey = newPasskey('ES256')
  const authenticators = [newAuthenticator({ passkey })]
  const { authenticatorIds } = await done('create_authenticators', { userId: rootUserId, authenticators })
  const session = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: session.publicKey, expirationSeconds: '900' })]
  const { apiKeyIds: sessionIds } = await done('create_api_keys', { userId: rootUserId, apiKeys })

  await done('delete_api_keys', { userId: rootUserId, apiKeyIds: [keyId] })
  const last = { userId: rootUserId, authenticatorIds }
  const refused = await submit('delete_authenticators', last, { apiKey: session })
  expectRefused(refused, 400, `parameters.authenticatorIds: ${text}`)
  // A session expires, so the quorum does not rest on it and its key may be removed.
  await done('delete_api_keys', { userId: rootUserId, apiKeyIds: sessionIds }, { passkey })

  const back = [newApiKey({ publicKey: rootKey.publicKey })]
  const { apiKeyIds } = await done('create_api_keys', { userId: rootUserId, apiKeys: back }, { passkey })
  await done('delete_authenticators', last)
  const answer = await submit('delete_api_keys', { userId: rootUserId, apiKeyIds })
  expectRefused(answer, 400, `parameters.apiKeyIds: ${text}`)
})

test('a member that the threshold does not need may lose its last credential', async () => {
  const authenticators = [newAuthenticator()]
  const { userIds } = await done('create_users', { users: [newUser({ authenticators })] })
  const [userId] = userIds
  const quorum = [rootUserId, userId]
  await done('update_root_quorum', { threshold: 1, userIds: quorum })
  await done('delete_authenticators', { userId, authenticatorIds: await idsOf(userId) })
  expectRefused(
    await submit('update_root_quorum', { threshold: 1, userIds: quorum }),
    400,
    `user missing valid credential: ${userId}`,
  )
})
