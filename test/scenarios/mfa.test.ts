import { createHash, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { findOperation } from '../../src/operations/catalogue.ts'
import { loginsOf } from '../support/logins.ts'
import {
  type Answer,
  expectRefused,
  newApiKey,
  newAuthenticator,
  newMfaPolicy,
  newUser,
  type Parameters,
  repeated,
} from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { newPasskey, type SoftPasskey, stampWithPasskey } from '../support/passkeys.ts'
import { recover } from '../support/recovery.ts'
import { type ApiKeyPair, apiKeyOf, generateApiKey, stampWith } from '../support/stamping.ts'

/** The steps that users must take before their request or approval goes on. */

const organization = await startOrganizationWithIssuer()
const { server, clock, organizationId, rootUserId, idToken, done, found, submit } = organization
const { tokenFor } = await loginsOf(organization)
const creatingWallets = "activity.resource == 'WALLET' && activity.action == 'CREATE'"
const allowed = { policyName: 'wallets', effect: 'EFFECT_ALLOW', condition: creatingWallets, notes: '' }
await done('create_policy', allowed)

const dayMs = 24 * 60 * 60 * 1000
/** A link of the operator is for the machine of the server. */
const isLocal = true as const
const needed = 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'
const consensus = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
const completed = 'ACTIVITY_STATUS_COMPLETED'

const [apiKey, passkey, session, mail, sms, oauth] = (
  ['API_KEY', 'PASSKEY', 'SESSION', 'EMAIL_OTP', 'SMS_OTP', 'OAUTH'] as const
).map((name) => `AUTHENTICATION_TYPE_${name}`) as [string, string, string, string, string, string]
const step = (...types: readonly string[]) => ({ any: types.map((type) => ({ type })) })

type Stamp = (body: Uint8Array) => {
  readonly header: 'x-stamp' | 'x-stamp-webauthn' | 'x-stamp-attested'
  readonly value: string
}
const byKey =
  (key: ApiKeyPair): Stamp =>
  (body) => ({ header: 'x-stamp', value: stampWith(key, body) })
const byPasskey =
  (key: SoftPasskey): Stamp =>
  (body) => ({ header: 'x-stamp-webauthn', value: stampWithPasskey(key, body) })
const attested =
  (scheme: string, publicKeyAttestation: string, { publicKey, privateKey }: ApiKeyPair): Stamp =>
  (body) => {
    const signature = sign('sha256', body, privateKey).toString('hex')
    return { header: 'x-stamp-attested', value: JSON.stringify({ publicKeyAttestation, scheme, publicKey, signature }) }
  }

const nonceOf = ({ publicKey }: ApiKeyPair) => createHash('sha256').update(publicKey).digest('hex')

let members = 0
/** Makes a user outside the root quorum who has every kind of credential. */
async function newMember() {
  const [key, secondKey, soft, sub] = [generateApiKey(), generateApiKey(), newPasskey('ES256'), `member ${++members}`]
  const [contact, phone] = [`member${members}@example.org`, `+1555010${1000 + members}`]
  const user = newUser({
    userName: sub,
    userEmail: contact,
    userPhoneNumber: phone,
    apiKeys: [key, secondKey].map(({ publicKey }) => newApiKey({ publicKey, apiKeyName: publicKey.slice(0, 9) })),
    authenticators: [newAuthenticator({ passkey: soft })],
    oauthProviders: [{ providerName: 'Issuer', oidcToken: idToken({ sub }) }],
  })
  const [userId] = (await done('create_users', { users: [user] })).userIds
  const shown = (await found('get_user', { userId })).user
  const token = async (to: string, otpType: string): Promise<Stamp> => {
    const clientKey = generateApiKey()
    const verificationToken = await tokenFor(to, clientKey, { otpType })
    return attested('STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN', verificationToken, clientKey)
  }
  return {
    userId: userId as string,
    contact,
    apiKeyId: shown.apiKeys[0].apiKeyId as string,
    authenticatorId: shown.authenticators[0].authenticatorId as string,
    providerId: shown.oauthProviders[0].providerId as string,
    keyPair: key,
    key: byKey(key),
    secondKey: byKey(secondKey),
    passkey: byPasskey(soft),
    soft,
    mail: () => token(contact, 'OTP_TYPE_EMAIL'),
    sms: () => token(phone, 'OTP_TYPE_SMS'),
    idToken: (claims: object = {}) => idToken({ sub, ...claims }),
    oauth(claims: object = {}): Stamp {
      const clientKey = generateApiKey()
      const token = idToken({ sub, nonce: nonceOf(clientKey), ...claims })
      return attested('STAMP_ATTESTED_SCHEME_P256_OIDC', token, clientKey)
    },
    async session(): Promise<Stamp> {
      const own = generateApiKey()
      await done('stamp_login', { publicKey: own.publicKey }, { apiKey: key })
      return byKey(own)
    },
  }
}
type Member = Awaited<ReturnType<typeof newMember>>

function bodyOf(name: string, parameters: Parameters): Buffer {
  const operation = findOperation(`/public/v1/submit/${name}`)
  if (operation?.kind !== 'activity') throw new Error(`${name} is not an activity`)
  clock.nowMs += 1
  const envelope = { type: operation.types[0]?.type, timestampMs: String(clock.nowMs), organizationId, parameters }
  return Buffer.from(JSON.stringify(envelope))
}

async function sendBytes(name: string, body: Buffer, stamp: Stamp): Promise<Answer> {
  const request = {
    path: `/public/v1/submit/${name}`,
    body,
    stamps: [stamp(body)],
    sourceAddress: '127.0.0.1',
    isLocal,
  }
  const answer = await server.submit({ ...request, dialect: 'spec' })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString()) }
}

const send = (name: string, parameters: Parameters, stamp: Stamp) => sendBytes(name, bodyOf(name, parameters), stamp)
const vote =
  (name: string) =>
  ({ fingerprint }: Parameters, stamp: Stamp) =>
    send(name, { fingerprint }, stamp)
const approve = vote('approve_activity')
const reject = vote('reject_activity')
const statusOf = ({ body }: Answer) => body.activity?.status ?? JSON.stringify(body)

let wallets = 0
async function ask(stamp: Stamp, walletName = `wallet ${++wallets}`) {
  const answer = await send('create_wallet', { walletName, accounts: [] }, stamp)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.activity
}

async function policyFor({ userId }: { readonly userId: string }, steps: readonly unknown[], given: Parameters = {}) {
  const policy = newMfaPolicy({ condition: creatingWallets, requiredAuthenticationMethods: steps, ...given })
  return (await done('create_mfa_policy', { userId, ...policy })).mfaPolicyId
}

const mfaStatuses = async (activityId: string, given: Parameters = {}) =>
  (await found('get_mfa_status', { activityId, ...given })).mfaStatuses
const walletNames = async () =>
  (await found('list_wallets')).wallets.map((wallet: { walletName: string }) => wallet.walletName)

describe('each method', () => {
  const combinations: readonly (readonly [string, readonly string[], (member: Member) => Promise<readonly Stamp[]>])[] =
    [
      ['an API key, then a passkey', [apiKey, passkey], async (own) => [own.key, own.passkey]],
      ['a session, then a passkey', [session, passkey], async (own) => [await own.session(), own.passkey]],
      ['a passkey, then a passcode by mail', [passkey, mail], async (own) => [own.passkey, await own.mail()]],
      ['an API key, then a passcode by SMS', [apiKey, sms], async (own) => [own.key, await own.sms()]],
      ['OAuth, then an API key', [oauth, apiKey], async (own) => [own.oauth(), own.key]],
      [
        'an API key, then OAuth, then mail',
        [apiKey, oauth, mail],
        async (own) => [own.key, own.oauth(), await own.mail()],
      ],
      ['mail, then mail', [mail, mail], async (own) => [await own.mail(), await own.mail()]],
    ]
  for (const [name, types, stampsOf] of combinations) {
    test(`takes its step: ${name}`, async () => {
      const member = await newMember()
      const steps = types.map((type) => step(type))
      const mfaPolicyId = await policyFor(member, steps)
      const [first, ...rest] = await stampsOf(member)
      const activity = await ask(first as Stamp)
      expect(activity).toMatchObject({ status: needed, result: {}, canApprove: true, canReject: true })
      for (const [index, stamp] of rest.entries()) {
        const [status] = await mfaStatuses(activity.id)
        expect(status).toMatchObject({ mfaPolicyId, userId: member.userId, satisfied: false, requiredMethods: steps })
        expect(status.satisfiedMethods.map(({ type }: { type: string }) => type)).toEqual(types.slice(0, index + 1))
        const expected = index === rest.length - 1 ? completed : needed
        expect(statusOf(await approve(activity, stamp))).toBe(expected)
      }
      expect(await mfaStatuses(activity.id)).toEqual([])
      const { votes } = (await found('get_activity', { activityId: activity.id })).activity
      expect(votes).toHaveLength(types.length)
    })
  }

  test('is the one that an id names', async () => {
    const member = await newMember()
    const { apiKeyId: id, authenticatorId, providerId } = member
    await policyFor(member, [
      { any: [{ type: apiKey, id }] },
      { any: [{ type: passkey, id: authenticatorId }] },
      { any: [{ type: oauth, id: providerId }] },
    ])
    const activity = await ask(member.secondKey)
    expect(await mfaStatuses(activity.id)).toMatchObject([{ satisfiedMethods: [] }])
    expectRefused(await approve(activity, member.secondKey), 403, `step 1 of 3, ${apiKey} ${id}`)
    expect(statusOf(await approve(activity, member.key))).toBe(needed)
    expect(statusOf(await approve(activity, member.passkey))).toBe(needed)
    expect(statusOf(await approve(activity, member.oauth()))).toBe(completed)
  })

  test('is not proved by a session that it opened, which is another method', async () => {
    const member = await newMember()
    await policyFor(member, [step(apiKey)])
    const activity = await ask(await member.session())
    expect(activity.status).toBe(needed)
    expect(statusOf(await approve(activity, member.key))).toBe(completed)
  })

  test('and a session that it opened are one factor, also when the session opens another', async () => {
    const member = await newMember()
    await policyFor(member, [step(apiKey), step(session)])
    const activity = await ask(member.key)
    expectRefused(await approve(activity, await member.session()), 403, 'step 2 of 2', session)
    const [first, second] = [generateApiKey(), generateApiKey()]
    await done('stamp_login', { publicKey: first.publicKey }, { apiKey: member.keyPair })
    await done('stamp_login', { publicKey: second.publicKey }, { apiKey: first })
    expectRefused(await approve(activity, byKey(second)), 403, 'step 2 of 2', session)
    const byPasskeyOpened = generateApiKey()
    await done('stamp_login', { publicKey: byPasskeyOpened.publicKey }, { passkey: member.soft })
    expect(statusOf(await approve(activity, byKey(byPasskeyOpened)))).toBe(completed)
  })

  test('and an API key with the same key are one factor, also in a session that it opened', async () => {
    const member = await newMember()
    const { userId, soft } = member
    const { d = '' } = soft.privateKey.export({ format: 'jwk' })
    const same = apiKeyOf(Buffer.from(d, 'base64url').toString('hex'))
    await done('create_api_keys', { userId, apiKeys: [newApiKey({ publicKey: same.publicKey })] })
    const mfaPolicyId = await policyFor(member, [step(passkey), step(apiKey, session)])
    const activity = await ask(member.passkey)
    const opened = generateApiKey()
    await done('stamp_login', { publicKey: opened.publicKey }, { apiKey: same })
    for (const stamp of [byKey(same), byKey(opened)]) {
      expectRefused(await approve(activity, stamp), 403, 'step 2 of 2')
    }
    expect(statusOf(await approve(activity, member.key))).toBe(completed)
    await done('delete_mfa_policy', { userId, mfaPolicyId })
    // The factor stays as long as one of its credentials does.
    const { authenticatorId } = member
    await done('delete_authenticators', { userId, authenticatorIds: [authenticatorId] })
    expect(await found('whoami', {}, { apiKey: opened })).toMatchObject({ userId })
  })

  test('by an identity is one factor for all clients of its issuer, also in a session that it opened', async () => {
    const member = await newMember()
    const { userId } = member
    const atAnotherClient = { aud: 'another client' }
    const oauthProviders = [{ providerName: 'Another client', oidcToken: member.idToken(atAnotherClient) }]
    await done('create_oauth_providers', { userId, oauthProviders })
    const opened = generateApiKey()
    const oidcToken = member.idToken({ ...atAnotherClient, nonce: nonceOf(opened) })
    await done('oauth_login', { publicKey: opened.publicKey, oidcToken })
    const mfaPolicyId = await policyFor(member, [step(oauth), step(oauth, session)])
    const activity = await ask(member.oauth())
    for (const stamp of [member.oauth(atAnotherClient), byKey(opened)]) {
      expectRefused(await approve(activity, stamp), 403, 'step 2 of 2', session)
    }
    await done('update_mfa_policy', {
      userId,
      mfaPolicyId,
      requiredAuthenticationMethods: [step(session), step(oauth)],
    })
    const other = await ask(byKey(opened))
    for (const stamp of [member.oauth(atAnotherClient), member.oauth()]) {
      expectRefused(await approve(other, stamp), 403, 'step 2 of 2', oauth)
    }
  })

  test('is enough alone where one step asks for it, or for one of several', async () => {
    const member = await newMember()
    await policyFor(member, [step(passkey, apiKey)])
    expect((await ask(member.key)).status).toBe(completed)
    expect((await ask(member.passkey)).status).toBe(completed)
    expect((await ask(await member.session())).status).toBe(needed)
  })
})

describe('steps', () => {
  test('are taken in order; a step out of order is refused, and the answer names the due step', async () => {
    const member = await newMember()
    await policyFor(member, [step(apiKey), step(passkey), step(mail)])
    const activity = await ask(member.key)
    const code = await member.mail()
    const due = `step 2 of 3, ${passkey}`
    expectRefused(await approve(activity, code), 403, due)
    expectRefused(await approve(activity, member.key), 403, due)
    expect(statusOf(await approve(activity, member.passkey))).toBe(needed)
    expectRefused(await approve(activity, member.passkey), 403, `step 3 of 3, ${mail}`)
    // The refusal did not use the code up.
    expect(statusOf(await approve(activity, code))).toBe(completed)
  })

  test('need two credentials where the same type is asked for twice, unless the second names it', async () => {
    const member = await newMember()
    await policyFor(member, [step(apiKey), step(apiKey)])
    const activity = await ask(member.key)
    expectRefused(await approve(activity, member.key), 403, `step 2 of 2, ${apiKey}`)
    expect(statusOf(await approve(activity, member.secondKey))).toBe(completed)

    const other = await newMember()
    await policyFor(other, [step(apiKey), { any: [{ type: apiKey, id: other.apiKeyId }] }])
    const asked = await ask(other.key)
    expect(statusOf(await approve(asked, other.key))).toBe(completed)
  })

  test('are not taken twice by the same bytes, nor by a token that was used', async () => {
    const member = await newMember()
    await policyFor(member, [step(apiKey), step(mail), step(mail)])
    const activity = await ask(member.key)
    const code = await member.mail()
    const body = bodyOf('approve_activity', { fingerprint: activity.fingerprint })
    for (const _again of [1, 2]) expect(statusOf(await sendBytes('approve_activity', body, code))).toBe(needed)
    expect((await mfaStatuses(activity.id))[0].satisfiedMethods).toHaveLength(2)
    expectRefused(await approve(activity, code), 401, 'it was used before')
    expect((await found('get_activity', { activityId: activity.id })).activity.status).toBe(needed)
    expect(statusOf(await approve(activity, await member.mail()))).toBe(completed)
  })

  test('lapse after a day, and with their credential', async () => {
    const member = await newMember()
    await policyFor(member, [step(apiKey), step(passkey)])
    const activity = await ask(member.key)
    clock.nowMs += dayMs
    expect(await mfaStatuses(activity.id)).toMatchObject([{ satisfied: false, satisfiedMethods: [] }])
    expectRefused(await approve(activity, member.passkey), 403, `step 1 of 2, ${apiKey}`)
    expect(statusOf(await approve(activity, member.secondKey))).toBe(needed)
    const apiKeys = (await found('get_user', { userId: member.userId })).user.apiKeys
    await done('delete_api_keys', { userId: member.userId, apiKeyIds: [apiKeys[1].apiKeyId] })
    expectRefused(await approve(activity, member.passkey), 403, `step 1 of 2, ${apiKey}`)
    expect(statusOf(await approve(activity, member.key))).toBe(needed)
    expect(statusOf(await approve(activity, member.passkey))).toBe(completed)
  })

  test('lapse when their address or provider is removed', async () => {
    const member = await newMember()
    const { userId, providerId } = member
    await policyFor(member, [step(mail, oauth), step(passkey)])
    const [byMail, byProvider] = [await ask(await member.mail()), await ask(member.oauth())]
    const taken = async ({ id }: { readonly id: string }) => (await mfaStatuses(id))[0].satisfiedMethods
    expect(await taken(byMail)).toEqual([{ type: mail }])
    expect(await taken(byProvider)).toEqual([{ type: oauth, id: providerId }])
    await done('update_user_email', { userId, userEmail: `new.${member.contact}` })
    await done('delete_oauth_providers', { userId, providerIds: [providerId] })
    for (const activity of [byMail, byProvider]) {
      expect(await taken(activity)).toEqual([])
      expectRefused(await approve(activity, member.passkey), 403, 'step 1 of 2')
    }
  })

  test('of an activity that has ended are shown to the same bytes, and not to another attested stamp', async () => {
    const member = await newMember()
    await policyFor(member, [step(apiKey), step(oauth)])
    const activity = await ask(member.key)
    const [body, stamp] = [bodyOf('approve_activity', { fingerprint: activity.fingerprint }), member.oauth()]
    for (const _again of [1, 2]) expect(statusOf(await sendBytes('approve_activity', body, stamp))).toBe(completed)
    expectRefused(await approve(activity, stamp), 403, 'vote with a credential')
  })

  test('that race run the activity once', async () => {
    const member = await newMember()
    await policyFor(member, [step(apiKey), step(passkey, mail)])
    const activity = await ask(member.key, 'raced')
    const code = await member.mail()
    const answers = await Promise.all([member.passkey, code].map((stamp) => approve(activity, stamp)))
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect((await walletNames()).filter((name: string) => name === 'raced')).toHaveLength(1)
    expect((await found('get_activity', { activityId: activity.id })).activity.votes).toHaveLength(2)
  })

  test('are for the user alone: nobody else can take them or vote before, but the quorum can reject', async () => {
    const [member, other] = [await newMember(), await newMember()]
    await policyFor(member, [step(apiKey), step(passkey, oauth, mail)])
    const activity = await ask(member.key)
    for (const stamp of [other.passkey, other.oauth(), await other.mail()]) {
      expectRefused(await approve(activity, stamp), 403, 'not one of its voters')
    }
    expectRefused(await submit('approve_activity', { fingerprint: activity.fingerprint }), 403, 'before others vote')
    expectRefused(await reject(activity, await member.mail()), 403, 'vote with a credential')
    const seen = await found('get_activity', { activityId: activity.id })
    expect(seen.activity).toMatchObject({ status: needed, canApprove: false, canReject: true })
    expect(statusOf(await reject(activity, member.key))).toBe('ACTIVITY_STATUS_REJECTED')
  })
})

describe('policies', () => {
  test('only the first policy by order that applies is enforced; a policy with an error does not apply', async () => {
    const member = await newMember()
    await policyFor(member, [step(mail)], { order: 3 })
    await policyFor(member, [step(passkey)], { order: 2 })
    await policyFor(member, [step(sms)], { order: 1, condition: "activity.resource == 'POLICY'" })
    await policyFor(member, [step(oauth)], { order: 0, condition: "wallet.label == 'hot'" })
    const activity = await ask(member.key)
    expect(activity.status).toBe(needed)
    expectRefused(await approve(activity, member.key), 403, `step 1 of 1, ${passkey}`)
    expect(statusOf(await approve(activity, member.passkey))).toBe(completed)
  })

  test('keep a denial, and require their steps also where no rule is needed', async () => {
    const member = await newMember()
    await policyFor(member, [step(apiKey), step(passkey)], { condition: "activity.action == 'CREATE'" })
    expectRefused(await send('create_private_keys', { privateKeys: [] }, member.key), 400)
    expectRefused(
      await send('create_policy', { ...allowed, policyName: 'own' }, member.key),
      403,
      'No policies evaluated',
    )
    const apiKeys = [newApiKey()]
    const { body } = await send('create_api_keys', { userId: member.userId, apiKeys }, member.key)
    expect(body.activity.status).toBe(needed)
    expect(statusOf(await approve(body.activity, member.passkey))).toBe(completed)
  })

  test('hold for root users too, and end with their deletion', async () => {
    const [rootMember] = [await newMember()]
    await done('update_root_quorum', { threshold: 1, userIds: [rootUserId, rootMember.userId] })
    const mfaPolicyId = await policyFor(rootMember, [step(passkey)], { condition: 'true' })
    const { body } = await send('update_organization_name', { organizationName: 'x' }, rootMember.key)
    expect(body.activity.status).toBe(needed)
    await done('delete_mfa_policy', { userId: rootMember.userId, mfaPolicyId })
    expect(await mfaStatuses(body.activity.id)).toEqual([])
    expect(statusOf(await approve(body.activity, rootMember.key))).toBe(completed)
    await done('update_root_quorum', { threshold: 1, userIds: [rootUserId] })
  })

  test('bind a recovery too', async () => {
    const member = await newMember()
    await policyFor(member, [step(sms)], { condition: 'true' })
    const { recoveryKey } = await recover(organization, { email: member.contact })
    const parameters = { userId: member.userId, authenticator: newAuthenticator() }
    const { body } = await send('recover_user', parameters, byKey(recoveryKey))
    expect(body.activity.status).toBe(needed)
    expectRefused(await approve(body.activity, byKey(recoveryKey)), 403, 'for recover_user only')
    expectRefused(await approve(body.activity, member.key), 403, `step 1 of 1, ${sms}`)
    expect(statusOf(await approve(body.activity, await member.sms()))).toBe(completed)
    expect((await found('get_user', { userId: member.userId })).user.authenticators).toHaveLength(2)
  })

  test('bind a link that no mail carried, with recoveries by mail on or off', async () => {
    const name = 'FEATURE_NAME_EMAIL_RECOVERY'
    for (const isOff of [false, true]) {
      if (isOff) await done('remove_organization_feature', { name })
      const member = await newMember()
      const { userId } = member
      const links = {
        page: async () => {
          const linkKey = generateApiKey()
          await done('create_passkey_link', { userId, publicKey: linkKey.publicKey })
          return linkKey
        },
        operator: async () => apiKeyOf((await server.vault.operator.makeLink({ organizationId, userId })).privateKey),
      }
      await policyFor(member, [step(sms)], { condition: 'true' })
      for (const [maker, makeLink] of Object.entries(links)) {
        const parameters = { userId, authenticator: newAuthenticator() }
        const { body } = await send('recover_user', parameters, byKey(await makeLink()))
        expect(body.activity.status).toBe(needed)
        const ended = await approve(body.activity, await member.sms())
        expect([maker, isOff, statusOf(ended)]).toEqual([maker, isOff, completed])
      }
      expect((await found('get_user', { userId })).user.authenticators).toHaveLength(3)
    }
    await done('set_organization_feature', { name })
  })

  test('leave a mailed recovery or link under the switch that is off when the last step comes', async () => {
    const name = 'FEATURE_NAME_EMAIL_RECOVERY'
    const member = await newMember()
    const { userId } = member
    await policyFor(member, [step(sms)], { condition: 'true' })
    const { recoveryKey } = await recover(organization, { email: member.contact })
    const { body } = await send('recover_user', { userId, authenticator: newAuthenticator() }, byKey(recoveryKey))
    await done('remove_organization_feature', { name })
    expect(statusOf(await approve(body.activity, await member.sms()))).toBe('ACTIVITY_STATUS_FAILED')
    await done('set_organization_feature', { name })
  })

  test('of a parent’s user refuse a login for a sub-organization that needs more steps', async () => {
    const sub = await organization.subOrganization()
    const email = { userId: sub.rootUserId, userEmail: 'sub@example.org' }
    const inSub = { organizationId: sub.organizationId }
    await done('update_user_email', email, { ...inSub, apiKey: sub.apiKey })
    const passcode = { otpType: 'OTP_TYPE_EMAIL', contact: 'sub@example.org', appName: 'Test' }
    const condition = "activity.resource == 'OTP'"
    const mfaPolicyId = await policyFor({ userId: rootUserId }, [step(apiKey), step(passkey)], { condition })
    const refused = await submit('init_otp', passcode, inSub)
    expectRefused(refused, 403, `step 2 of 2, ${passkey}, and nobody can vote on this here`)
    await done('update_mfa_policy', { userId: rootUserId, mfaPolicyId, requiredAuthenticationMethods: [step(apiKey)] })
    expect((await submit('init_otp', passcode, inSub)).status).toBe(200)
    await done('delete_mfa_policy', { userId: rootUserId, mfaPolicyId })
  })
})

describe('with consensus', () => {
  /** Makes a policy under which two users must approve the deletion of users. */
  async function startPair() {
    const [ada, bob] = [await newMember(), await newMember()]
    const ids = [ada, bob].map(({ userId }) => userId)
    const named = ids.map((id) => `approvers.any(user, user.id == '${id}')`).join(' && ')
    const victims = (
      await done('create_users', { users: repeated(1, () => newUser({ userName: `victim ${members}` })) })
    ).userIds
    const condition = `activity.kind == 'DELETE_USERS' && '${victims[0]}' in activity.params.user_ids`
    await done('create_policy', { ...allowed, policyName: `pair ${members}`, condition, consensus: named })
    const ask = async (stamp: Stamp) => (await send('delete_users', { userIds: victims }, stamp)).body.activity
    return { ada, bob, ask, condition: "activity.kind == 'DELETE_USERS'" }
  }
  const twoSteps = [step(apiKey), step(passkey)]

  test('the submitter takes steps first, then each approver; a vote counts once its steps are taken', async () => {
    const { ada, bob, ask: asked, condition } = await startPair()
    await policyFor(ada, twoSteps, { condition })
    const bobs = await policyFor(bob, [step(apiKey), step(mail)], { condition })
    const activity = await asked(ada.key)
    expect(activity.status).toBe(needed)
    expect(await mfaStatuses(activity.id)).toMatchObject([{ userId: ada.userId, satisfied: false }])
    expectRefused(await approve(activity, bob.key), 403, 'before others vote')

    expect(statusOf(await approve(activity, ada.passkey))).toBe(consensus)
    const statuses = [
      { userId: ada.userId, satisfied: true },
      { mfaPolicyId: bobs, satisfied: false, satisfiedMethods: [] },
    ]
    expect(await mfaStatuses(activity.id)).toMatchObject(statuses)
    expect(await mfaStatuses(activity.id, { userId: bob.userId })).toMatchObject([{ mfaPolicyId: bobs }])

    const first = await approve(activity, bob.key)
    expect(first.body.activity).toMatchObject({ status: needed, canApprove: true, canReject: true })
    const seen = (await found('get_activity', { activityId: activity.id }, { apiKey: bob.keyPair })).activity
    expect(seen).toMatchObject({ status: consensus, canApprove: true })
    expectRefused(await approve(activity, bob.passkey), 403, `step 2 of 2, ${mail}`)
    expect(statusOf(await approve(activity, await bob.mail()))).toBe(completed)
  })

  test('a rejection takes no steps', async () => {
    const { ada, bob, ask: asked, condition } = await startPair()
    await policyFor(bob, twoSteps, { condition })
    const activity = await asked(ada.key)
    expect(activity.status).toBe(consensus)
    expect(statusOf(await reject(activity, bob.secondKey))).toBe('ACTIVITY_STATUS_REJECTED')
  })

  test('the submitter’s steps lapse, and the others wait until they are taken again', async () => {
    const { ada, bob, ask: asked, condition } = await startPair()
    await policyFor(ada, twoSteps, { condition })
    const activity = await asked(ada.key)
    expect(statusOf(await approve(activity, ada.passkey))).toBe(consensus)
    clock.nowMs += dayMs
    expectRefused(await approve(activity, bob.key), 403, 'before others vote')
    expect(statusOf(await approve(activity, ada.key))).toBe(needed)
    expect(statusOf(await approve(activity, ada.passkey))).toBe(consensus)
    expect(statusOf(await approve(activity, bob.key))).toBe(completed)
  })

  test('an approver may take all steps by attested stamps where the policy asks for no others', async () => {
    const { ada, bob, ask: asked, condition } = await startPair()
    await policyFor(bob, [step(mail)], { condition })
    const activity = await asked(ada.key)
    expectRefused(await approve(activity, bob.key), 403, `step 1 of 1, ${mail}`)
    expect(statusOf(await approve(activity, await bob.mail()))).toBe(completed)
  })

  test('an approver without an MFA policy votes with a credential only', async () => {
    const { ada, bob, ask: asked } = await startPair()
    const activity = await asked(ada.key)
    expectRefused(await approve(activity, await bob.mail()), 403, 'vote with a credential')
    expect(statusOf(await approve(activity, bob.key))).toBe(completed)
  })
})

describe('the token of an attested stamp is used up by', () => {
  const uses: readonly (readonly [string, string, (own: Member, code: Stamp) => Promise<string>])[] = [
    ['an activity that runs at once', completed, async (_own, code) => (await ask(code)).status],
    [
      'an activity that waits',
      needed,
      async (own, code) => {
        await policyFor(own, [step(mail), step(apiKey)])
        return (await ask(code)).status
      },
    ],
    [
      'a vote after which the activity still waits',
      needed,
      async (own, code) => {
        await policyFor(own, [step(apiKey), step(mail), step(passkey)])
        return statusOf(await approve(await ask(own.key), code))
      },
    ],
    [
      'a vote that runs the activity',
      completed,
      async (own, code) => {
        await policyFor(own, [step(apiKey), step(mail)])
        return statusOf(await approve(await ask(own.key), code))
      },
    ],
    [
      'a vote after which the activity fails',
      'ACTIVITY_STATUS_FAILED',
      async (own, code) => {
        await policyFor(own, [step(apiKey), step(mail)])
        const activity = await ask(own.key, 'taken meanwhile')
        await done('create_wallet', { walletName: 'taken meanwhile', accounts: [] })
        return statusOf(await approve(activity, code))
      },
    ],
  ]

  test.each(uses)('%s', async (_name, status, use) => {
    const member = await newMember()
    const code = await member.mail()
    expect(await use(member, code)).toBe(status)
    expectRefused(await send('create_wallet', { walletName: 'again', accounts: [] }, code), 401, 'it was used before')
  })
})
