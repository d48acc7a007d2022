import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newAuthenticator,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'
import { linkIn } from '../../../test/support/passkey_links.ts'
import { newPasskey } from '../../../test/support/passkeys.ts'
import { takeMails } from '../../../test/support/recovery.ts'
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

describe('with sendEmail the vault mails the link', async () => {
  const { server, clock, organizationId, rootUserId, submit, query, done, found, anotherUser } =
    await startOrganization()
  const userEmail = 'ada@example.org'
  async function userWithMail(userEmail: string) {
    const { userId } = await anotherUser('Ada')
    await done('update_user_email', { userId, userEmail })
    await takeMails(server)
    return userId
  }

  test('to the address of the record, and no answer has it', async () => {
    const userId = await userWithMail(userEmail)
    const { body } = await submit('create_passkey_link', { userId, sendEmail: true })
    const [mail, ...others] = await takeMails(server)
    expect(others).toEqual([])
    expect(mail).toMatchObject({ to: userEmail, subject: 'Register a passkey at First' })
    expect(mail?.text).toContain(
      '“root” asked for this link. It adds a passkey of your device to your user “Ada” in “First”.',
    )
    expect(mail?.text).toContain('This link works once, within 10 minutes.')
    const { link, linkKey, ...named } = linkIn(mail)
    expect(link).toMatch(/^https:\/\/keys\.example\/#\/passkey\//)
    expect(named).toEqual({ organizationId, userId })
    expect(JSON.stringify(body)).not.toContain(linkKey.publicKey)

    expect((await found('whoami', {}, { apiKey: linkKey })).userId).toBe(userId)
    const passkey = newPasskey('ES256')
    await done('recover_user', { userId, authenticator: newAuthenticator({ passkey }) }, { apiKey: linkKey })
    expect((await found('whoami', {}, { passkey })).userId).toBe(userId)
    expectRefused(await query('whoami', {}, { apiKey: linkKey }), 401)
  })

  test('at most three times in three minutes', async () => {
    const userId = await userWithMail('thrice@example.org')
    for (let count = 0; count < 3; count += 1) await done('create_passkey_link', { userId, sendEmail: true })
    expectRefused(await submit('create_passkey_link', { userId, sendEmail: true }), 400, 'Max number of OTPs')
    expect(await takeMails(server)).toHaveLength(3)
  })

  test('also to a mailbox of several users, and however it is spelled', async () => {
    const spellings = ['same@example.org', 'SAME@example.org', 'same@EXAMPLE.org.', 'Same@Example.Org']
    const userIds = []
    for (const spelling of spellings) userIds.push(await userWithMail(spelling))
    const last = userIds.pop()
    for (const userId of userIds) await done('create_passkey_link', { userId, sendEmail: true })
    expectRefused(await submit('create_passkey_link', { userId: last, sendEmail: true }), 400, 'Max number of OTPs')
    expect(await takeMails(server)).toHaveLength(3)
    clock.nowMs += 180_000
    await done('create_passkey_link', { userId: last, sendEmail: true })
    await takeMails(server)
  })

  test('once the second of the quorum has approved', async () => {
    const userEmail = 'approved@example.org'
    const userId = await userWithMail(userEmail)
    const second = await anotherUser('second')
    await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
    const waiting = await submit('create_passkey_link', { userId, sendEmail: true })
    expect(await takeMails(server)).toEqual([])
    const approve = ({ body }: typeof waiting) =>
      submit('approve_activity', { fingerprint: body.activity.fingerprint }, { apiKey: second.apiKey })
    expect((await approve(waiting)).status).toBe(200)
    expect(await takeMails(server)).toMatchObject([{ to: userEmail }])
    await approve(await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId] }))
  })

  test('unless recoveries by mail are switched off, which a link that was mailed before minds too', async () => {
    const place = await startOrganization()
    const { userId } = await place.anotherUser('Ada')
    await place.done('update_user_email', { userId, userEmail })
    await place.done('create_passkey_link', { userId, sendEmail: true })
    const { linkKey } = linkIn((await takeMails(place.server)).at(-1))
    await place.done('remove_organization_feature', { name: 'FEATURE_NAME_EMAIL_RECOVERY' })
    expectRefused(await place.submit('create_passkey_link', { userId, sendEmail: true }), 403, 'is switched off')
    const parameters = { userId, authenticator: newAuthenticator() }
    expectRefused(await place.submit('recover_user', parameters, { apiKey: linkKey }), 403, 'is switched off')
    expect(await takeMails(place.server)).toEqual([])
  })

  test('and makes no key for a user without an address, nor on a server without its own', async () => {
    const { userId } = await anotherUser()
    expectRefused(await submit('create_passkey_link', { userId, sendEmail: true }), 400, 'has no e-mail address')
    expect((await found('get_api_keys', { userId })).apiKeys).toHaveLength(1)
    const nameless = await startOrganization({ ownIssuer: null })
    const parameters = { userId: nameless.rootUserId, sendEmail: true }
    const { status, body } = await nameless.submit('create_passkey_link', parameters)
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining('ask its operator to set CLAVIGER_PUBLIC_URL'),
    ])
  })
})

describe('invalid requests are refused', () => {
  const { publicKey } = generateApiKey()
  for (const [claim, change, status, text] of [
    ['an unknown user', { userId: absentId }, 404, `there is no user ${absentId}`],
    ['a key that is no point', { publicKey: '00'.repeat(33) }, 400, 'parameters.publicKey must be a compressed point'],
    ['a key of Ed25519', { publicKey: '00'.repeat(32) }, 400, 'parameters.publicKey must be a compressed point'],
    ['no key', { publicKey: undefined }, 400, 'unless sendEmail is true'],
    ['a key beside a mail', { sendEmail: true }, 400, 'left out with sendEmail: the vault makes the key'],
    ['a key in use', { publicKey: organization.rootKey.publicKey }, 400, 'already in use: parameters.publicKey'],
    ['more than a day', { expirationSeconds: '86401' }, 400, 'parameters.expirationSeconds must be a number'],
  ] as const) {
    test(claim, async () => {
      const parameters = { userId: rootUserId, publicKey, ...change }
      expectRefused(await submit('create_passkey_link', parameters), status, text)
    })
  }
})
