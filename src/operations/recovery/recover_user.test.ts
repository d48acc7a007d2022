import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newApiKey,
  newAuthenticator,
  newUser,
  type Parameters,
  repeated,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'
import { newPasskey } from '../../../test/support/passkeys.ts'
import { recover } from '../../../test/support/recovery.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganization()
const { server, clock, rootUserId, rootKey, submit, query, done, found } = organization

let users = 0
/** A user outside the quorum with a key, a passkey, and a recovery that was started. */
async function newLoser(given: Parameters = {}) {
  users += 1
  const email = `user-${users}@example.com`
  const apiKey = generateApiKey()
  const passkey = newPasskey('ES256')
  const credentials = {
    apiKeys: [newApiKey({ publicKey: apiKey.publicKey })],
    authenticators: [newAuthenticator({ passkey })],
  }
  await done('create_users', { users: [newUser({ userEmail: email, ...credentials })] })
  return { email, apiKey, passkey, ...(await recover(organization, { email, ...given })) }
}

const authenticator = (given: Parameters = {}) => newAuthenticator({ authenticatorName: 'new phone', ...given })

async function passkeysOf(userId: string): Promise<number> {
  return (await found('get_authenticators', { userId })).authenticators.length
}

test("the passkey is added to the user's credentials, and the recovery credential is used up", async () => {
  const { userId, recoveryKey, apiKey, passkey: lost } = await newLoser()
  expect(await found('whoami', {}, { apiKey: recoveryKey })).toMatchObject({ userId })
  const passkey = newPasskey('ES256')
  const parameters = { userId: userId.toUpperCase(), authenticator: authenticator({ passkey }) }
  const { status, body } = await submit('recover_user', parameters, { apiKey: recoveryKey })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.activity).toMatchObject({
    type: 'ACTIVITY_TYPE_RECOVER_USER',
    status: 'ACTIVITY_STATUS_COMPLETED',
    votes: [{ userId, publicKey: recoveryKey.publicKey }],
  })
  expect(body.activity.intent).toStrictEqual({ recoverUserIntent: parameters })
  expect(body.activity.result).toStrictEqual({ recoverUserResult: { authenticatorId: [uuid] } })

  for (const ask of [{ passkey }, { passkey: lost }, { apiKey }]) {
    expect(await found('whoami', {}, ask)).toMatchObject({ userId })
  }
  const [authenticatorId] = body.activity.result.recoverUserResult.authenticatorId
  expect((await found('get_authenticator', { authenticatorId })).authenticator.authenticatorName).toBe('new phone')

  expectRefused(await query('whoami', {}, { apiKey: recoveryKey }), 401, 'could not find public key in organization')
  const another = { userId, authenticator: authenticator() }
  expectRefused(await submit('recover_user', another, { apiKey: recoveryKey }), 401)
  // Only the bytes that succeeded are answered, for a client that lost the answer.
  const { message } = body.activity.votes[0]
  const again = await server.post('/public/v1/submit/recover_user', message, recoveryKey)
  expect([again.status, again.body.activity.id]).toEqual([200, body.activity.id])
  expect(await passkeysOf(userId)).toBe(2)
})

test('every other recovery of the user ends too, and no recovery of another user', async () => {
  const [one, other] = [await newLoser(), await newLoser()]
  const { recoveryKey: second } = await recover(organization, { email: one.email })
  await done('recover_user', { userId: one.userId, authenticator: authenticator() }, { apiKey: second })
  for (const apiKey of [one.recoveryKey, second]) expectRefused(await query('whoami', {}, { apiKey }), 401)
  expect((await found('whoami', {}, { apiKey: other.recoveryKey })).userId).toBe(other.userId)
})

test('one of two simultaneous requests with one credential adds its passkey', async () => {
  const { userId, recoveryKey } = await newLoser()
  const asked = repeated(2, () =>
    submit('recover_user', { userId, authenticator: authenticator() }, { apiKey: recoveryKey }),
  )
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 401])
  expect(await passkeysOf(userId)).toBe(2)
})

test('the credential is refused from its expiry on', async () => {
  const { userId, recoveryKey } = await newLoser({ expirationSeconds: '60' })
  const parameters = { userId, authenticator: authenticator() }
  clock.nowMs += 60_000
  const answer = await submit('recover_user', parameters, { apiKey: recoveryKey })
  expectRefused(answer, 401, 'expired api key publicKey')
  expect(answer.body.turnkeyErrorCode).toBe('API_KEY_EXPIRED')
  expectRefused(await query('whoami', {}, { apiKey: recoveryKey }), 401)
  expect(await passkeysOf(userId)).toBe(1)
})

describe('anybody else is refused', () => {
  const text = 'only a recovery credential of this user may stamp this'

  test('the user with another credential', async () => {
    const { userId, apiKey, passkey, recoveryKey } = await newLoser()
    const session = generateApiKey()
    const apiKeys = [newApiKey({ publicKey: session.publicKey, expirationSeconds: '900' })]
    await done('create_api_keys', { userId, apiKeys })
    const parameters = { userId, authenticator: authenticator() }
    for (const ask of [{ apiKey }, { passkey }, { apiKey: session }]) {
      expectRefused(await submit('recover_user', parameters, ask), 403, text)
    }
    await done('recover_user', parameters, { apiKey: recoveryKey })
  })

  test('a root user, and another user with a recovery', async () => {
    const { userId } = await newLoser()
    const other = await newLoser()
    const parameters = { userId, authenticator: authenticator() }
    expectRefused(await submit('recover_user', parameters), 403, text)
    expectRefused(await submit('recover_user', { ...parameters, userId: rootUserId }), 403, text)
    for (const apiKey of [other.recoveryKey, other.apiKey]) {
      expectRefused(await submit('recover_user', parameters, { apiKey }), 403, text)
    }
    expect(await passkeysOf(userId)).toBe(1)
  })

  test('a root user of a quorum of two, whose own recovery needs no second vote', async () => {
    const { userId } = await newLoser()
    const root = await newLoser()
    await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, root.userId] })
    const parameters = { userId, authenticator: authenticator() }
    expectRefused(await submit('recover_user', parameters, { apiKey: root.recoveryKey }), 403, text)
    expectRefused(await submit('recover_user', parameters), 403, text)
    // The user's own recovery needs no second vote.
    const own = { userId: root.userId, authenticator: authenticator() }
    await done('recover_user', own, { apiKey: root.recoveryKey })

    const waiting = await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId] })
    const { fingerprint } = waiting.body.activity
    expect((await submit('approve_activity', { fingerprint }, { apiKey: root.apiKey })).status).toBe(200)
  })

  test('a user of another organization', async () => {
    const { userId, recoveryKey } = await newLoser()
    const other = await server.createOrganization()
    const elsewhere = { organizationId: other.organizationId, apiKey: recoveryKey }
    const parameters = { userId, authenticator: authenticator() }
    expectRefused(await submit('recover_user', parameters, elsewhere), 401)
    const apiKeys = [newApiKey()]
    const rootUsers = [{ userName: 'c', userEmail: 'c@example.com', apiKeys, authenticators: [], oauthProviders: [] }]
    const sub = { subOrganizationName: 'sub', rootUsers, rootQuorumThreshold: 1 }
    const { subOrganizationId: organizationId, rootUserIds } = await done('create_sub_organization', sub)
    const ofChild = { userId: rootUserIds[0], authenticator: authenticator() }
    for (const apiKey of [recoveryKey, rootKey]) {
      expectRefused(await submit('recover_user', ofChild, { organizationId, apiKey }), 400, 'organization mismatch')
    }
    const child = await recover(organization, { email: 'c@example.com' }, { organizationId })
    // The credential belongs to the sub-organization, which the parent's id does not stand for here.
    expectRefused(await submit('recover_user', ofChild, { apiKey: child.recoveryKey }), 401)
    expect(await done('recover_user', ofChild, { organizationId, apiKey: child.recoveryKey })).toEqual({
      authenticatorId: [uuid],
    })
  })
})

describe('a refused request leaves the credential unchanged', () => {
  const at = 'parameters.authenticator'
  const taken = newPasskey('ES256')
  for (const [claim, change, status, text] of [
    ['an unknown user', { userId: absentId }, 404, `there is no user ${absentId} in this organization`],
    ['a list of passkeys', { authenticator: [authenticator()] }, 400, `${at} must be an object`],
    ['no name', { authenticator: authenticator({ authenticatorName: '' }) }, 400, `${at}.authenticatorName must be`],
    ['another challenge', { authenticator: authenticator({ challenge: 'AAAA' }) }, 400, `${at}.challenge must be the`],
    [
      'a passkey that a user already has',
      { authenticator: authenticator({ passkey: taken }) },
      400,
      `already in use: ${at}.attestation.credentialId`,
    ],
  ] as const) {
    test(claim, async () => {
      const [{ userId, recoveryKey }, other] = [await newLoser(), await newLoser()]
      if (claim === 'a passkey that a user already has') {
        const authenticators = [newAuthenticator({ passkey: taken })]
        await done('create_authenticators', { userId: other.userId, authenticators })
      }
      const parameters = { userId, authenticator: authenticator() }
      const refused = await submit('recover_user', { ...parameters, ...change }, { apiKey: recoveryKey })
      expectRefused(refused, status, text)
      expect(await done('recover_user', parameters, { apiKey: recoveryKey })).toEqual({ authenticatorId: [uuid] })
    })
  }

  test('an eleventh passkey, until one of the ten is removed', async () => {
    const { userId, recoveryKey } = await newLoser()
    const authenticators = repeated(9, () => newAuthenticator())
    const { authenticatorIds } = await done('create_authenticators', { userId, authenticators })
    const parameters = { userId, authenticator: authenticator() }
    const refused = await submit('recover_user', parameters, { apiKey: recoveryKey })
    expectRefused(refused, 429, 'user has exceeded maximum authenticators (10)')
    await done('delete_authenticators', { userId, authenticatorIds: authenticatorIds.slice(0, 1) })
    await done('recover_user', parameters, { apiKey: recoveryKey })
  })
})
