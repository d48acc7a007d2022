import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newAuthenticator,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'
import { newPasskey } from '../../../test/support/passkeys.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganization()
const { clock, rootUserId, submit, query, done, found, anotherUser } = organization

const authenticatorsOf = async (userId: string) => (await found('get_authenticators', { userId })).authenticators

test('a user adds a passkey of another device without a rule, once', async () => {
  const { userId, apiKey } = await anotherUser()
  const link = generateApiKey()
  const made = await done('create_passkey_link', { userId, publicKey: link.publicKey.toUpperCase() }, { apiKey })
  expect(made).toEqual({ apiKeyId: uuid })
  expect((await found('get_api_key', made)).apiKey).toMatchObject({
    apiKeyName: 'Link to add a passkey',
    credential: { publicKey: link.publicKey, type: 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256' },
    expirationSeconds: '600',
  })
  expect((await found('whoami', {}, { apiKey: link })).userId).toBe(userId)
  expectRefused(await query('get_user', { userId }, { apiKey: link }), 403, 'for recover_user only')

  const passkey = newPasskey('ES256')
  const authenticator = newAuthenticator({ passkey })
  expectRefused(await submit('recover_user', { userId: rootUserId, authenticator }, { apiKey: link }), 403)
  await done('recover_user', { userId, authenticator }, { apiKey: link })
  expect((await found('whoami', {}, { passkey })).userId).toBe(userId)
  expectRefused(await submit('recover_user', { userId, authenticator: newAuthenticator() }, { apiKey: link }), 401)
  expect(await authenticatorsOf(userId)).toHaveLength(1)
  expect((await query('whoami', {}, { apiKey })).status).toBe(200)
})

test('it is no recovery by mail, so the switches of those do not bind it', async () => {
  const { userId, apiKey } = await anotherUser()
  for (const name of ['FEATURE_NAME_EMAIL_RECOVERY', 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY']) {
    await done('remove_organization_feature', { name })
  }
  const link = generateApiKey()
  await done('create_passkey_link', { userId, publicKey: link.publicKey }, { apiKey })
  await done('recover_user', { userId, authenticator: newAuthenticator() }, { apiKey: link })
  expect(await authenticatorsOf(userId)).toHaveLength(1)
})

test('it expires after ten minutes, or after the time that it names', async () => {
  const { userId, apiKey } = await anotherUser()
  for (const [expirationSeconds, seconds] of [
    [undefined, 600],
    ['60', 60],
  ] as const) {
    const link = generateApiKey()
    await done('create_passkey_link', { userId, publicKey: link.publicKey, expirationSeconds }, { apiKey })
    clock.nowMs += seconds * 1_000 - 1
    expect((await query('whoami', {}, { apiKey: link })).status).toBe(200)
    const parameters = { userId, authenticator: newAuthenticator() }
    clock.nowMs += 1
    expectRefused(await submit('recover_user', parameters, { apiKey: link }), 401, 'expired api key')
  }
})

test('for another user the rules decide: with a quorum of two the second approval makes it', async () => {
  const [lost, second] = [await anotherUser('lost'), await anotherUser('second')]
  const link = generateApiKey()
  const parameters = { userId: lost.userId, publicKey: link.publicKey }
  expectRefused(await submit('create_passkey_link', parameters, { apiKey: second.apiKey }), 403)
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  const waiting = await submit('create_passkey_link', parameters)
  expect(waiting.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  expectRefused(await query('whoami', {}, { apiKey: link }), 401)
  const { fingerprint } = waiting.body.activity
  await submit('approve_activity', { fingerprint }, { apiKey: second.apiKey })
  const passkey = newPasskey('ES256')
  await done('recover_user', { userId: lost.userId, authenticator: newAuthenticator({ passkey }) }, { apiKey: link })
  expect((await found('whoami', {}, { passkey })).userId).toBe(lost.userId)
  const back = await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId] })
  await submit('approve_activity', { fingerprint: back.body.activity.fingerprint }, { apiKey: second.apiKey })
})

describe('invalid requests are refused', () => {
  const { publicKey } = generateApiKey()
  for (const [claim, change, status, text] of [
    ['an unknown user', { userId: absentId }, 404, `there is no user ${absentId}`],
    ['a key that is no point', { publicKey: '00'.repeat(33) }, 400, 'parameters.publicKey must be a compressed point'],
    ['a key of Ed25519', { publicKey: '00'.repeat(32) }, 400, 'parameters.publicKey must be a compressed point'],
    ['a key in use', { publicKey: organization.rootKey.publicKey }, 400, 'already in use: parameters.publicKey'],
    ['more than a day', { expirationSeconds: '86401' }, 400, 'parameters.expirationSeconds must be a number'],
  ] as const) {
    test(claim, async () => {
      const parameters = { userId: rootUserId, publicKey, ...change }
      expectRefused(await submit('create_passkey_link', parameters), status, text)
    })
  }
})
