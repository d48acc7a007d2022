import { describe, expect, test } from 'vitest'
import { plainLines } from '../../src/contract/explanation/texts/plain_lines.ts'
import { proxyOf } from '../support/auth_proxy.ts'
import { clientOf } from '../support/client.ts'
import { publishing, settledSize } from '../support/log_proofs.ts'
import { loginsOf, messagesOf } from '../support/logins.ts'
import { expectRefused, newApiKey, newMfaPolicy, newPolicy, startOrganization } from '../support/organization.ts'
import { linkIn } from '../support/passkey_links.ts'
import { newPasskey, registrationOf } from '../support/passkeys.ts'
import { historyOf, verifiedHistory } from '../support/recorded_history.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** The client chooses the key of an attested stamp: that of a credential of its user says nothing about the stamp. */

const organization = await startOrganization()
const { server, clock, organizationId, rootUserId, rootKey, submit, done, found } = organization
const { newMailUser, tokenFor, loginFor } = await loginsOf(organization)
const { attested } = proxyOf(organization)

/** Time for one more code to the same contact. */
const laterMs = 181_000

/** A stamp by a code to the contact and this key. */
async function byCode(contact: string, key: ApiKeyPair, name: string, parameters: object, given: object = {}) {
  clock.nowMs += laterMs
  return attested(name, { ...parameters }, { token: await tokenFor(contact, key), key, ...given })
}

async function keyOf(userId: string, given: object = {}): Promise<ApiKeyPair & { readonly apiKeyId: string }> {
  const key = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: key.publicKey, ...given })]
  return { ...key, apiKeyId: (await done('create_api_keys', { userId, apiKeys })).apiKeyIds[0] }
}

const newAuthenticator = () => {
  const { attestation, ...registration } = registrationOf(newPasskey('ES256'))
  return { authenticatorName: 'passkey', ...registration, attestation: { ...attestation, transports: [] } }
}

/** Keys of the root user and of another, of each kind. */
const contact = 'root@example.org'
await done('update_user_email', { userId: rootUserId, userEmail: contact })
const profile = await done('create_session_profile', {
  ...{ sessionProfileName: 'reads', scope: "activity.action == 'READ'", notes: '' },
})

const kinds: Readonly<Record<string, () => Promise<ApiKeyPair>>> = {
  'an API key': () => keyOf(rootUserId),
  'an expired API key': () => keyOf(rootUserId, { expirationSeconds: '60' }),
  async 'a session that is only claimed'() {
    const key = generateApiKey()
    await done('stamp_login', { publicKey: key.publicKey, expirationSeconds: '86400' })
    return key
  },
  async 'a session with a profile'() {
    const { sessionProfileId } = profile
    const key = generateApiKey()
    await done('stamp_login', { publicKey: key.publicKey, expirationSeconds: '86400', sessionProfileId })
    return key
  },
  async 'an open link'() {
    const key = generateApiKey()
    const { publicKey } = key
    await done('create_passkey_link', { userId: rootUserId, publicKey, expirationSeconds: '86400' })
    return key
  },
  async 'an expired link'() {
    const key = generateApiKey()
    const { publicKey } = key
    await done('create_passkey_link', { userId: rootUserId, publicKey, expirationSeconds: '60' })
    return key
  },
  async 'a mailed link'() {
    await done('create_passkey_link', { userId: rootUserId, sendEmail: true, expirationSeconds: '86400' })
    return linkIn((await messagesOf(server)).findLast(({ text }) => text.includes('/#/passkey/'))).linkKey
  },
  'a credential of another user': async () => (await organization.anotherUser('other')).apiKey,
}

const deeds: Readonly<Record<string, (n: string) => object>> = {
  create_user_tag: (n) => ({ userTagName: n, userIds: [] }),
  update_user_name: (n) => ({ userId: rootUserId, userName: n }),
  create_api_keys: () => ({ userId: rootUserId, apiKeys: [newApiKey()] }),
  create_passkey_link: () => ({ userId: rootUserId, publicKey: generateApiKey().publicKey }),
  stamp_login: () => ({ publicKey: generateApiKey().publicKey }),
  recover_user: () => ({ userId: rootUserId, authenticator: newAuthenticator() }),
}

describe('a stamp by the key of', () => {
  test.each(Object.entries(kinds))('%s is that of a key that nobody has', async (kind, make) => {
    const answers = async (key: ApiKeyPair) => {
      const told: unknown[] = []
      for (const [name, parametersOf] of Object.entries(deeds)) {
        const { status, body } = await byCode(contact, key, name, parametersOf(`${kind} ${name} ${clock.nowMs}`))
        told.push([name, status, body.activity?.status ?? body.message])
      }
      return told
    }
    expect(await answers(await make())).toEqual(await answers(generateApiKey()))
  })
})

describe('the key of an attested stamp is no credential of its user', () => {
  const wallet = { walletName: 'w', accounts: [] }

  test('that a consensus counts', async () => {
    const { userId, contact } = await newMailUser()
    const [key, live] = [await keyOf(userId, { expirationSeconds: '60' }), await keyOf(userId)]
    const ofUser = `c.user_id == '${userId}'`
    for (const consensus of [
      `credentials.any(c, c.id == '${key.apiKeyId}')`,
      `credentials.filter(c, ${ofUser}).count() > 1`,
      `credentials.any(c, ${ofUser} && c.type == 'CREDENTIAL_TYPE_API_KEY_P256')`,
    ]) {
      await done(
        'create_policy',
        newPolicy({
          policyName: consensus,
          effect: 'EFFECT_ALLOW',
          consensus,
          condition: "activity.kind == 'CREATE_WALLET'",
        }),
      )
    }
    clock.nowMs += 60_000
    for (const one of [generateApiKey(), key, live]) {
      const { body } = await byCode(contact, one, 'create_wallet', wallet)
      expect(body.activity?.status).not.toBe('ACTIVITY_STATUS_COMPLETED')
    }
    const byKey = await submit('create_wallet', wallet, { apiKey: live })
    expect(byKey.body.activity?.status, byKey.body.message).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('that has an IP allowlist', async () => {
    const { userId, contact } = await newMailUser()
    const key = await keyOf(userId)
    const [rules, sourceAddress] = [[{ cidr: '203.0.113.0/24' }], '203.0.113.7']
    const list = { rules, onEvaluationError: 'DENY', allowLockout: true }
    const login = { publicKey: generateApiKey().publicKey }
    clock.nowMs += laterMs
    const token = await tokenFor(contact, key)
    await done('set_ip_allowlist', { ...list, publicKey: key.publicKey })
    await done('set_ip_allowlist', { ...list, enabled: true, rules: [{ cidr: '127.0.0.1/32' }] })
    const answer = await attested('stamp_login', login, { token, key, sourceAddress })
    const byKey = await submit('stamp_login', login, { apiKey: key, sourceAddress })
    await done('remove_ip_allowlist', {})
    expectRefused(answer, 403, 'is not in the IP allowlist')
    expect(byKey.status).toBe(200)
  })

  test('that recovers the user, as a link does', async () => {
    const { userId, contact } = await newMailUser()
    const key = generateApiKey()
    const recovering = { userId, authenticator: newAuthenticator() }
    await done('create_passkey_link', { userId, publicKey: key.publicKey, expirationSeconds: '86400' })
    expectRefused(await byCode(contact, key, 'recover_user', recovering), 403, 'only a recovery credential')
    clock.nowMs += 86_400_000
    expectRefused(await byCode(contact, key, 'recover_user', recovering), 403, 'only a recovery credential')
    expect((await found('get_authenticators', { userId })).authenticators).toEqual([])
  })

  test('that stays when the contact goes to which its code went', async () => {
    const { userId, contact } = await newMailUser()
    clock.nowMs += laterMs
    const { sessionKey, parameters } = await loginFor(contact, { expirationSeconds: '86400' })
    await done('otp_login', parameters)
    await done('create_policy', {
      ...newPolicy({ effect: 'EFFECT_ALLOW', consensus: `approvers.any(u, u.id == '${userId}')` }),
      condition: "activity.kind == 'UPDATE_USER_EMAIL'",
    })
    const changing = { userId, userEmail: 'another@example.org' }
    const { body } = await byCode(contact, sessionKey, 'update_user_email', changing)
    expect(body.activity?.status, body.message).toBe('ACTIVITY_STATUS_COMPLETED')
    expectRefused(await submit('stamp_login', { publicKey: generateApiKey().publicKey }, { apiKey: sessionKey }), 401)
  })

  test('that is a step of an MFA policy beside the code, by the same bytes', async () => {
    const { userId, contact } = await newMailUser()
    const [first, key] = [await keyOf(userId), await keyOf(userId, { apiKeyName: 'of the user' })]
    const methods = ['API_KEY', 'EMAIL_OTP', 'API_KEY'].map((one) => ({
      any: [{ type: `AUTHENTICATION_TYPE_${one}` }],
    }))
    const asked = { condition: "activity.resource == 'CREDENTIAL'", requiredAuthenticationMethods: methods }
    await done('create_mfa_policy', { userId, ...newMfaPolicy(asked) })
    const { body } = await submit('create_api_keys', { userId, apiKeys: [newApiKey()] }, { apiKey: first })
    const { id: activityId, fingerprint } = body.activity
    const voted = await byCode(contact, key, 'approve_activity', { fingerprint })
    expect(voted.body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    const [, { message }] = voted.body.activity.votes
    const explained = plainLines((await found('explain_activity', { activityId })).explanation).join('\n')
    expect(explained).not.toContain('of the user')
    const stepped = await server.post('/public/v1/submit/approve_activity', message, key)
    expect(stepped.body.activity?.status, stepped.body.message).toBe('ACTIVITY_STATUS_COMPLETED')
  })
})

test('an auditor decides and runs again as the vault did', async () => {
  publishing(server)
  const size = await settledSize(server)
  const told = await historyOf(server, clientOf(server, { organizationId, apiKey: rootKey }), size)
  const { chain, stamps, rules, results, changes } = await verifiedHistory(told)
  expect([chain, stamps, rules, results, changes].map(({ findings }) => findings)).toEqual([[], [], [], [], []])
  expect(rules.checked).toBeGreaterThan(80)
}, 60_000)
