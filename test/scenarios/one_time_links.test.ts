import { createHash, sign } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { backUp, restore } from '../support/backup.ts'
import { newTarget } from '../support/bundles.ts'
import { withDatabase } from '../support/database.ts'
import { openDatabaseDigest } from '../support/database_digest.ts'
import { startInProcess } from '../support/in_process.ts'
import { expectIncident } from '../support/incidents.ts'
import { linkIn as invitationIn, invite, newInvitation } from '../support/invitations.ts'
import { loginsOf } from '../support/logins.ts'
import {
  type Ask,
  expectRefused,
  newApiKey,
  newAuthenticator,
  newMfaPolicy,
  newPolicy,
  organizationOf,
  type Parameters,
  repeated,
  startOrganization,
} from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { linkIn } from '../support/passkey_links.ts'
import { newPasskey } from '../support/passkeys.ts'
import { recover, takeMails } from '../support/recovery.ts'
import { type ApiKeyPair, apiKeyOf, generateApiKey } from '../support/stamping.ts'
import { prepareRequests } from '../support/valid_requests.ts'

/** The links with which people register a passkey: of an invitation, and of the operator. Each does that, once. */

type Place = Pick<Awaited<ReturnType<typeof startOrganization>>, 'server' | 'organizationId' | 'rootUserId'>

async function operatorLink({ server, organizationId, rootUserId }: Place, userId = rootUserId): Promise<ApiKeyPair> {
  return apiKeyOf((await server.vault.operator.makeLink({ organizationId, userId })).privateKey)
}

const isLocal = true as const

type AttestedBy = { readonly scheme: string; tokenOf(key: ApiKeyPair): Promise<string> | string }

describe('whatever its user may do', async () => {
  const organization = await startOrganizationWithIssuer()
  const { server, submit, query, found, done, rootUserId, rootKey } = organization
  const requests = await prepareRequests(organization)
  const { linkKey: invitation, userId } = await invite(organization)
  const operator = await operatorLink(organization)
  const digest = openDatabaseDigest(server)
  afterAll(() => digest.close())

  /** Adds the request that ends the organization, which the prepared requests lack. */
  const parametersOf = (name: string): Parameters =>
    name === 'delete_sub_organization' ? { deleteWithoutExport: true } : requests.parametersOf(name)

  for (const [link, apiKey, own, text] of [
    ['the link of an invitation', invitation, 'accept_invitation', 'is for accept_invitation only'],
    ['a link of the operator', operator, 'recover_user', 'a recovery credential is for recover_user only'],
  ] as const) {
    for (const { name, kind } of operations.filter(({ name }) => name !== own && name !== 'whoami')) {
      test(`${link} is refused by ${name}`, async () => {
        const before = digest.read()
        const ask = kind === 'query' ? query : submit
        expectRefused(await ask(name, parametersOf(name), { apiKey, isLocal }), 403, text)
        expect(digest.read()).toBe(before)
      })
    }
  }

  test('they say whose they are, and do not vote by the bytes of a waiting activity', async () => {
    expect(await found('whoami', {}, { apiKey: invitation })).toMatchObject({ userId })
    expect(await found('whoami', {}, { apiKey: operator, isLocal })).toMatchObject({ userId: rootUserId })
    const second = generateApiKey()
    const apiKeys = [{ apiKeyName: 'second', publicKey: second.publicKey, curveType: 'API_KEY_CURVE_P256' }]
    const user = { userName: 'second', apiKeys, authenticators: [], oauthProviders: [], userTags: [] }
    const [secondId] = (await done('create_users', { users: [user] })).userIds
    await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, secondId] })
    const waiting = await submit('create_wallet', { walletName: 'waits', accounts: [] }, { apiKey: second })
    const path = '/public/v1/submit/create_wallet'
    const { message } = waiting.body.activity.votes[0]
    for (const apiKey of [invitation, operator]) {
      expectRefused(await server.post(path, message, apiKey, { isLocal }), 403)
    }
    expect((await server.post(path, message, rootKey)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })
})

describe('a link of the operator', () => {
  const asked = (userId: string) => ({ userId, authenticator: newAuthenticator() })

  test('adds one passkey to its user, once, whatever switches recoveries by mail have', async () => {
    const organization = await startOrganization()
    const { server, submit, query, done, found, rootUserId } = organization
    await done('remove_organization_feature', { name: 'FEATURE_NAME_EMAIL_RECOVERY' })
    const apiKey = await operatorLink(organization)
    expect(server.warnings).toEqual(["a link that adds a passkey to a user was made over the operator's socket"])
    expect((await found('get_api_keys', { userId: rootUserId })).apiKeys).toHaveLength(1)
    const passkey = newPasskey('ES256')
    const parameters = { userId: rootUserId, authenticator: newAuthenticator({ passkey }) }
    const { body } = await submit('recover_user', parameters, { apiKey, isLocal })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(await found('whoami', {}, { passkey })).toMatchObject({ userId: rootUserId })

    expectRefused(
      await submit('recover_user', asked(rootUserId), { apiKey, isLocal }),
      401,
      'this link was used before',
    )
    expectRefused(await query('whoami', {}, { apiKey, isLocal }), 401, 'this link was used before')
    const { message } = body.activity.votes[0]
    const again = await server.post('/public/v1/submit/recover_user', message, apiKey, { isLocal })
    expect([again.status, again.body.activity.id]).toEqual([200, body.activity.id])
    expect((await found('get_authenticators', { userId: rootUserId })).authenticators).toHaveLength(1)
    expect((await found('get_api_keys', { userId: rootUserId })).apiKeys).toHaveLength(1)
    expect((await query('whoami')).status).toBe(200)
  })

  test('of two requests at once, one adds its passkey', async () => {
    const organization = await startOrganization()
    const { submit, rootUserId } = organization
    const apiKey = await operatorLink(organization)
    const both = repeated(2, () => submit('recover_user', asked(rootUserId), { apiKey, isLocal }))
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 401])
  })

  test('is refused from another machine, and after ten minutes', async () => {
    const organization = await startOrganization()
    const { submit, query, clock, rootUserId } = organization
    const apiKey = await operatorLink(organization)
    const text = 'this link is for the machine of the server'
    expectRefused(await submit('recover_user', asked(rootUserId), { apiKey }), 403, text)
    expectRefused(await query('whoami', {}, { apiKey }), 403, text)
    clock.nowMs += 600_000 - 10
    expect((await query('whoami', {}, { apiKey, isLocal })).status).toBe(200)
    clock.nowMs += 10
    expectRefused(await submit('recover_user', asked(rootUserId), { apiKey, isLocal }), 401, 'expired api key')
  })

  test('serves no other user, no other organization, and nobody who is not there', async () => {
    const organization = await startOrganization()
    const { server, submit, anotherUser, organizationId, rootUserId } = organization
    const { userId } = await anotherUser()
    const apiKey = await operatorLink(organization, userId)
    expectRefused(
      await submit('recover_user', asked(rootUserId), { apiKey, isLocal }),
      403,
      'only a recovery credential',
    )
    const other = await server.createOrganization()
    const elsewhere = { organizationId: other.organizationId, apiKey, isLocal }
    expectRefused(await submit('recover_user', asked(other.userId), elsewhere), 401)
    const ofNobody = await operatorLink(organization, other.userId)
    expectRefused(await submit('recover_user', asked(other.userId), { apiKey: ofNobody, isLocal }), 401)
    const unknown = { organizationId: rootUserId, userId }
    await expect(server.vault.operator.makeLink(unknown)).rejects.toThrow('the vault knows no organization')
    expect((await submit('recover_user', asked(userId), { organizationId, apiKey, isLocal })).status).toBe(200)
  })

  test('stays used when the database loses its use, and is gone after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'claviger-'))
    const clock = { nowMs: Date.UTC(2026, 0, 1) }
    const server = await startInProcess({ folder, nowMs: () => clock.nowMs })
    const { organizationId, userId, apiKey: rootKey } = await server.createOrganization()
    const first = organizationOf({ server, clock }, { organizationId, rootUserId: userId, apiKey: rootKey })
    const [apiKey, unused] = [await operatorLink(first), await operatorLink(first)]
    await first.done('recover_user', asked(userId), { apiKey, isLocal })
    await nextTurn()
    withDatabase(folder, (hand) => hand.remove({ table: 'records', where: { kind: 'used_token' } }))
    expectRefused(await first.submit('recover_user', asked(userId), { apiKey, isLocal }), 401, 'used before')
    expectRefused(await first.query('whoami', {}, { apiKey, isLocal }), 401, 'used before')
    await server.close()

    const again = await startInProcess({ folder, nowMs: () => clock.nowMs })
    const second = organizationOf({ server: again, clock }, { organizationId, rootUserId: userId, apiKey: rootKey })
    for (const link of [apiKey, unused]) {
      expectRefused(
        await second.submit('recover_user', asked(userId), { apiKey: link, isLocal }),
        401,
        'could not find',
      )
    }
    await again.close()
  })
})

describe('a link ends with what it rests on:', async () => {
  const organization = await startOrganizationWithIssuer()
  const { server, clock, organizationId, submit, query, done, found, idToken, rootUserId, anotherUser } = organization
  const { tokenFor, loginFor } = await loginsOf(organization)
  const text = 'this link has ended'
  const mailedLink = async (userId: string, ask: Ask = {}) => {
    await takeMails(server)
    await done('create_passkey_link', { userId, sendEmail: true }, ask)
    return linkIn((await takeMails(server)).at(-1)).linkKey
  }
  const shownLink = async (userId: string, ask: Ask = {}) => {
    const link = generateApiKey()
    await done('create_passkey_link', { userId, publicKey: link.publicKey, expirationSeconds: '86400' }, ask)
    return link
  }
  let users = 0
  const addressed = async () => {
    users += 1
    const user = await anotherUser(`addressed ${users}`)
    const userEmail = `addressed.${users}@example.com`
    await done('update_user_email', { userId: user.userId, userEmail })
    return { ...user, userEmail }
  }
  const logIn = async (apiKey: ApiKeyPair) => {
    const session = generateApiKey()
    await done('stamp_login', { publicKey: session.publicKey }, { apiKey })
    return session
  }
  const removeKey = async (userId: string, { publicKey }: ApiKeyPair) => {
    const { apiKeys } = await found('get_api_keys', { userId })
    const { apiKeyId } = apiKeys.find(
      (one: { credential: { publicKey: string } }) => one.credential.publicKey === publicKey,
    )
    await done('delete_api_keys', { userId, apiKeyIds: [apiKeyId] })
  }
  const used = (userId: string, apiKey: ApiKeyPair) =>
    submit('recover_user', { userId, authenticator: newAuthenticator() }, { apiKey })
  const expectEnded = async (userId: string, apiKey: ApiKeyPair) => {
    expectRefused(await query('whoami', {}, { apiKey }), 401, text)
    expectRefused(await used(userId, apiKey), 401, text)
  }

  const mayInvite = async (userId: string) => {
    const consensus = `approvers.any(user, user.id == '${userId}')`
    const condition = "activity.kind == 'CREATE_INVITATIONS'"
    await done('create_policy', newPolicy({ policyName: userId, effect: 'EFFECT_ALLOW', condition, consensus }))
  }
  const nonceOf = ({ publicKey }: ApiKeyPair) => createHash('sha256').update(publicKey).digest('hex')
  const addIdentity = async (userId: string) => {
    const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub: userId }) }]
    const { providerIds } = await done('create_oauth_providers', { userId, oauthProviders })
    return { remove: () => done('delete_oauth_providers', { userId, providerIds }) }
  }
  /** Submits with an attested stamp: by a key that no user has, and a token that says whose it is. */
  const attestedBy = async ({ scheme, tokenOf }: AttestedBy, [name, parameters]: readonly [string, Parameters]) => {
    const key = generateApiKey()
    const token = await tokenOf(key)
    clock.nowMs += 1
    const type = `ACTIVITY_TYPE_${name.toUpperCase()}`
    const body = Buffer.from(JSON.stringify({ type, timestampMs: String(clock.nowMs), organizationId, parameters }))
    const value = JSON.stringify({
      ...{ publicKeyAttestation: token, scheme: `STAMP_ATTESTED_SCHEME_P256_${scheme}`, publicKey: key.publicKey },
      signature: sign('sha256', body, key.privateKey).toString('hex'),
    })
    const stamps = [{ header: 'x-stamp-attested', value }] as const
    const answer = await server.submit({ path: `/public/v1/submit/${name}`, body, stamps, dialect: 'spec' })
    expect(answer.status, Buffer.from(answer.body).toString()).toBe(200)
  }
  const byIdentity = (sub: string) => ({
    scheme: 'OIDC',
    tokenOf: (key: ApiKeyPair) => idToken({ sub, nonce: nonceOf(key) }),
  })
  const byCode = (contact: string) => ({
    scheme: 'VERIFICATION_TOKEN',
    tokenOf: (key: ApiKeyPair) => tokenFor(contact, key),
  })
  const invitedBy = async (by: AttestedBy) => {
    const receiverUserEmail = `invited.${users}@example.com`
    await attestedBy(by, ['create_invitations', { invitations: [newInvitation(rootUserId, { receiverUserEmail })] }])
    const mail = (await takeMails(server)).find(({ to }) => to === receiverUserEmail)
    if (mail === undefined) throw new Error('an invitation sends a mail')
    return invitationIn(mail).linkKey
  }
  const isGood = async (apiKey: ApiKeyPair) => (await query('whoami', {}, { apiKey })).status === 200

  test('the identity or the contact whose attested stamp made it', async () => {
    for (const kind of ['identity', 'contact'] as const) {
      const { userId, userEmail } = await addressed()
      await mayInvite(userId)
      const identity = await addIdentity(userId)
      const by = kind === 'identity' ? byIdentity(userId) : byCode(userEmail)
      const link = generateApiKey()
      const given = { userId, publicKey: link.publicKey, expirationSeconds: '86400' }
      await attestedBy(by, ['create_passkey_link', given])
      const invitation = await invitedBy(by)
      for (const one of [link, invitation]) expect(await isGood(one)).toBe(true)
      if (kind === 'identity') await identity.remove()
      else await done('update_user_email', { userId, userEmail: `moved.${users}@example.com` })
      await expectEnded(userId, link)
      expectRefused(await query('whoami', {}, { apiKey: invitation }), 401, text)
      clock.nowMs += 1
      if (kind === 'identity') await addIdentity(userId)
      else await done('update_user_email', { userId, userEmail })
      await expectEnded(userId, link)
      expectRefused(await query('whoami', {}, { apiKey: invitation }), 401, text)
      // Three codes in three minutes go to one address.
      clock.nowMs += 180_000
      const [later, laterInvitation] = [generateApiKey(), await invitedBy(by)]
      await attestedBy(by, ['create_passkey_link', { ...given, publicKey: later.publicKey }])
      for (const one of [later, laterInvitation]) expect(await isGood(one)).toBe(true)
    }
  })

  test('the API key or the passkey that made it, also where the same one is added again', async () => {
    const { userId } = await addressed()
    await mayInvite(userId)
    const apiKey = generateApiKey()
    const passkey = newPasskey('ES256')
    const addBoth = async () => {
      await done('create_api_keys', { userId, apiKeys: [newApiKey({ publicKey: apiKey.publicKey })] })
      return done('create_authenticators', { userId, authenticators: [newAuthenticator({ passkey })] })
    }
    const { authenticatorIds } = await addBoth()
    const makers: readonly Ask[] = [{ apiKey }, { passkey }]
    const made: ApiKeyPair[] = []
    for (const maker of makers) {
      made.push(await shownLink(userId, maker), (await invite(organization, {}, maker)).linkKey)
    }
    for (const one of made) expect(await isGood(one)).toBe(true)
    await removeKey(userId, apiKey)
    await done('delete_authenticators', { userId, authenticatorIds })
    clock.nowMs += 1
    await addBoth()
    for (const one of made) expectRefused(await query('whoami', {}, { apiKey: one }), 401, text)
  })

  test('an invitation by a session of an identity: the identity, but no session', async () => {
    const { userId } = await addressed()
    await mayInvite(userId)
    const identity = await addIdentity(userId)
    const session = generateApiKey()
    const oidcToken = idToken({ sub: userId, nonce: nonceOf(session) })
    await done('oauth_login', { publicKey: session.publicKey, oidcToken })
    const { linkKey } = await invite(organization, {}, { apiKey: session })
    await removeKey(userId, session)
    expect(await isGood(linkKey)).toBe(true)
    await identity.remove()
    expectRefused(await query('whoami', {}, { apiKey: linkKey }), 401, text)
  })

  test('an invitation by a session of a code: the session, because nothing else is behind it', async () => {
    const { userId, userEmail } = await addressed()
    await mayInvite(userId)
    const { sessionKey, parameters } = await loginFor(userEmail)
    await done('otp_login', parameters)
    const { linkKey } = await invite(organization, {}, { apiKey: sessionKey })
    expect(await isGood(linkKey)).toBe(true)
    await removeKey(userId, sessionKey)
    expectRefused(await query('whoami', {}, { apiKey: linkKey }), 401, text)
  })

  for (const operation of ['update_user_email', 'update_user'] as const) {
    test(`the address to which it was mailed, by ${operation}`, async () => {
      const { userId, userEmail } = await addressed()
      const { recoveryKey } = await recover(organization, { email: userEmail })
      const [link, unmailed] = [await mailedLink(userId), await shownLink(userId)]
      expect((await query('whoami', {}, { apiKey: link })).status).toBe(200)
      await done(operation, { userId, userEmail: `corrected.${users}@example.com` })
      for (const one of [link, recoveryKey]) await expectEnded(userId, one)
      // Neither is back with the address.
      await done(operation, { userId, userEmail })
      for (const one of [link, recoveryKey]) await expectEnded(userId, one)
      expect((await used(userId, unmailed)).status).toBe(200)
    })
  }

  test('but not with another spelling of the address', async () => {
    const { userId, userEmail } = await addressed()
    const { recoveryKey } = await recover(organization, { email: userEmail })
    const link = await mailedLink(userId)
    await done('update_user_email', { userId, userEmail: userEmail.replace('addressed', 'Addressed').toUpperCase() })
    for (const one of [link, recoveryKey]) expect(await isGood(one)).toBe(true)
  })

  test('the session that made it, and the credential that opened that session', async () => {
    const { userId, userEmail, apiKey } = await addressed()
    for (const removed of ['session', 'key'] as const) {
      const key = removed === 'key' ? apiKey : generateApiKey()
      if (removed === 'session')
        await done('create_api_keys', { userId, apiKeys: [newApiKey({ publicKey: key.publicKey })] })
      const session = await logIn(key)
      const links = [await shownLink(userId, { apiKey: session }), await mailedLink(userId, { apiKey: session })]
      for (const link of links) expect((await query('whoami', {}, { apiKey: link })).status).toBe(200)
      await removeKey(userId, removed === 'key' ? key : session)
      for (const link of links) await expectEnded(userId, link)
    }
    expect(userEmail).toBeDefined()
  })

  test('the user who made it for another', async () => {
    const [helper, { userId, userEmail }] = [await anotherUser('helper'), await addressed()]
    const consensus = `approvers.any(user, user.id == '${helper.userId}')`
    await done(
      'create_policy',
      newPolicy({ policyName: 'helps', effect: 'EFFECT_ALLOW', condition: 'true', consensus }),
    )
    const ask = { apiKey: helper.apiKey }
    const links = [await shownLink(userId, ask), await mailedLink(userId, ask)]
    const { recoveryKey } = await recover(organization, { email: userEmail }, ask)
    const invited = await invite(organization, {}, ask)
    await done('delete_users', { userIds: [helper.userId] })
    for (const link of [...links, recoveryKey]) await expectEnded(userId, link)
    expectRefused(await query('whoami', {}, { apiKey: invited.linkKey }), 401, text)
  })

  test('an invitation: the user in whose name it is, and the credential behind it, but no session', async () => {
    const [sender, second] = [await anotherUser('sender'), generateApiKey()]
    await done('create_api_keys', { userId: rootUserId, apiKeys: [newApiKey({ publicKey: second.publicKey })] })
    const named = await invite(organization, { senderUserId: sender.userId })
    const session = await logIn(second)
    const bySession = await invite(organization, {}, { apiKey: session })
    const byKey = await invite(organization, {}, { apiKey: second })
    const accept = ({ invitationId, userId, linkKey }: typeof named) =>
      submit('accept_invitation', { invitationId, userId, authenticator: newAuthenticator() }, { apiKey: linkKey })
    await removeKey(rootUserId, session)
    expect((await query('whoami', {}, { apiKey: bySession.linkKey })).status).toBe(200)
    await removeKey(rootUserId, second)
    await done('delete_users', { userIds: [sender.userId] })
    for (const one of [named, bySession, byKey]) expectRefused(await accept(one), 401, text)
  })

  test('also while it waits for a step of an MFA policy', async () => {
    const { userId, userEmail, apiKey } = await addressed()
    const steps = [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }]
    const policy = newMfaPolicy({ condition: 'true', requiredAuthenticationMethods: steps })
    await done('create_mfa_policy', { userId, ...policy })
    const { recoveryKey } = await recover(organization, { email: userEmail })
    const { body } = await used(userId, recoveryKey)
    await done('update_user_email', { userId, userEmail: 'other@example.com' })
    const { fingerprint } = body.activity
    const ended = await submit('approve_activity', { fingerprint }, { apiKey })
    expect(ended.body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', failure: { code: 16 } })
  })

  test('but not with a session that expires', async () => {
    const place = await startOrganization()
    const [session, link] = [generateApiKey(), generateApiKey()]
    await place.done('stamp_login', { publicKey: session.publicKey, expirationSeconds: '60' })
    const given = { userId: place.rootUserId, publicKey: link.publicKey }
    await place.done('create_passkey_link', given, { apiKey: session })
    place.clock.nowMs += 61_000
    expectRefused(await place.query('whoami', {}, { apiKey: session }), 401, 'expired')
    expect((await place.query('whoami', {}, { apiKey: link })).status).toBe(200)
  })
})

describe('an invitation that has ended', () => {
  for (const end of ['accept_invitation', 'delete_invitation'] as const) {
    test(`by ${end} is not revived by an older database, or by its rows`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'claviger-'))
      const clock = { nowMs: Date.UTC(2026, 0, 1) }
      const options = { folder, nowMs: () => clock.nowMs }
      const server = await startInProcess(options)
      const { organizationId, userId: rootUserId, apiKey } = await server.createOrganization()
      const given = { organizationId, rootUserId, apiKey }
      const organization = organizationOf({ server, clock }, given)
      const { invitationId, userId, linkKey } = await invite(organization)
      const asked = () => ({ invitationId, userId, authenticator: newAuthenticator() })
      const copy = join(mkdtempSync(join(tmpdir(), 'claviger-')), 'copy')
      await backUp(folder, copy)
      const where = { organization_id: organizationId, kind: 'invitation' }
      const rows = withDatabase(folder, ({ read }) => read({ table: 'records', where }))
      const lookup = { organization_id: organizationId, lookup: 'credential', key: linkKey.publicKey }
      const hints = withDatabase(folder, ({ read }) => read({ table: 'lookups', where: lookup }))
      expect([rows.length, hints.length]).toEqual([1, 1])
      const isAccepted = end === 'accept_invitation'
      await organization.done(end, isAccepted ? asked() : { invitationId }, isAccepted ? { apiKey: linkKey } : {})

      // Its hint alone leads nowhere, and its old record is not the one that the head lists.
      await nextTurn()
      withDatabase(folder, (hand) => {
        for (const row of hints) hand.insert('lookups', row)
      })
      expectRefused(await organization.submit('accept_invitation', asked(), { apiKey: linkKey }), 401)
      await server.close()

      restore(folder, copy)
      const again = await startInProcess(options)
      const later = organizationOf({ server: again, clock }, given)
      expectIncident(again, await later.submit('accept_invitation', asked(), { apiKey: linkKey }), end)
      await again.close()
    })
  }
})

test('policies allow and deny invitations', async () => {
  const { server, submit, done, rootUserId, anotherUser } = await startOrganization()
  const { userId, apiKey } = await anotherUser()
  const create = () => submit('create_invitations', { invitations: [newInvitation(rootUserId)] }, { apiKey })
  expectRefused(await create(), 403)
  const consensus = `approvers.any(user, user.id == '${userId}')`
  const effect = 'EFFECT_ALLOW'
  const condition = "activity.resource == 'INVITATION' && activity.action == 'CREATE'"
  await done('create_policy', newPolicy({ policyName: 'invites', effect, condition, consensus }))
  const created = await create()
  expect(created.status).toBe(200)
  const [invitationId] = created.body.activity.result.createInvitationsResult.invitationIds
  expect(await takeMails(server)).toHaveLength(1)
  expectRefused(await submit('delete_invitation', { invitationId }, { apiKey }), 403)
  await done(
    'create_policy',
    newPolicy({
      ...{ policyName: 'revokes', effect, consensus, condition: "activity.kind == 'DELETE_INVITATION'" },
    }),
  )
  expect((await submit('delete_invitation', { invitationId }, { apiKey })).status).toBe(200)
  await done(
    'create_policy',
    newPolicy({
      ...{ policyName: 'never', effect: 'EFFECT_DENY', condition: "activity.kind == 'CREATE_INVITATIONS'" },
      consensus: undefined,
    }),
  )
  expectRefused(await create(), 403, 'denied this action')
})

describe('a root quorum of two', async () => {
  const organization = await startOrganization()
  const { server, clock, submit, query, done, found, rootUserId, anotherUser } = organization
  const second = await anotherUser('second')
  const lost = await anotherUser('lost')
  const userEmail = 'lost@example.com'
  await done('update_user_email', { userId: lost.userId, userEmail })
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  const approve = async (waiting: Awaited<ReturnType<typeof submit>>) => {
    expect(waiting.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    const { fingerprint } = waiting.body.activity
    expect((await submit('approve_activity', { fingerprint }, { apiKey: second.apiKey })).status).toBe(200)
  }

  test('invites by both, and no mail leaves before', async () => {
    const waiting = await submit('create_invitations', { invitations: [newInvitation(rootUserId)] })
    expect(await takeMails(server)).toEqual([])
    await approve(waiting)
    expect(await takeMails(server)).toHaveLength(1)
  })

  test('makes and mails no link for a session that is gone: it would be dead; an invitation rests on what opened it', async () => {
    const key = generateApiKey()
    const added = { userId: second.userId, apiKeys: [newApiKey({ publicKey: key.publicKey })] }
    await approve(await submit('create_api_keys', added))
    for (const removed of ['session', 'key'] as const) {
      const session = generateApiKey()
      await done('stamp_login', { publicKey: session.publicKey }, { apiKey: key })
      const ask = { apiKey: session }
      const shown = { userId: lost.userId, publicKey: generateApiKey().publicKey }
      const { targetPublicKey } = newTarget()
      const recovery = { email: userEmail, targetPublicKey, emailCustomization: { appName: 'Test' } }
      const receiverUserEmail = `${removed}@example.com`
      const waiting = [
        await submit('create_passkey_link', shown, ask),
        await submit('create_passkey_link', { userId: lost.userId, sendEmail: true }, ask),
        await submit('init_user_email_recovery', recovery, ask),
        await submit('create_invitations', { invitations: [newInvitation(rootUserId, { receiverUserEmail })] }, ask),
      ]
      const { apiKeys } = await found('get_api_keys', { userId: second.userId })
      const gone = removed === 'session' ? session : key
      const { apiKeyId } = apiKeys.find(
        (one: { credential: { publicKey: string } }) => one.credential.publicKey === gone.publicKey,
      )
      await approve(await submit('delete_api_keys', { userId: second.userId, apiKeyIds: [apiKeyId] }))
      await takeMails(server)
      const ends: { readonly status: string; readonly failure?: { readonly message: string } }[] = []
      for (const { body } of waiting) {
        const { fingerprint } = body.activity
        // The submitter's own approval has ended, and comes first again.
        await submit('approve_activity', { fingerprint }, { apiKey: second.apiKey })
        const last = await submit('approve_activity', { fingerprint })
        ends.push(last.body.activity)
      }
      const failed = {
        status: 'ACTIVITY_STATUS_FAILED',
        failure: { message: expect.stringContaining('this link has ended') },
      }
      const completed = { status: 'ACTIVITY_STATUS_COMPLETED' }
      expect(ends).toMatchObject([failed, failed, failed, removed === 'session' ? completed : failed])
      const mails = await takeMails(server)
      expect(mails.map(({ to }) => to)).toEqual(removed === 'session' ? [receiverUserEmail] : [])
      for (const mail of mails) {
        expect((await query('whoami', {}, { apiKey: invitationIn(mail).linkKey })).status).toBe(200)
      }
    }
  })

  test('recovers a user by both: the mail leaves after the second approval, and the credential is for the asking device', async () => {
    const magicLinkTemplate = 'https://keys.example/#/recover/%s'
    const started = recover(
      {
        server,
        async done(name, parameters) {
          const waiting = await submit(name, parameters)
          expect(await takeMails(server)).toEqual([])
          clock.nowMs += 60 * 60 * 1_000
          await approve(waiting)
          return { userId: lost.userId }
        },
      },
      { email: userEmail, emailCustomization: { appName: 'First', magicLinkTemplate } },
    )
    const { mail, recoveryKey } = await started
    expect(mail.to).toBe(userEmail)
    expect(mail.text).toMatch(/^https:\/\/keys\.example\/#\/recover\/[1-9A-HJ-NP-Za-km-z]+$/m)
    const passkey = newPasskey('ES256')
    const parameters = { userId: lost.userId, authenticator: newAuthenticator({ passkey }) }
    await done('recover_user', parameters, { apiKey: recoveryKey })
    expect((await found('whoami', {}, { passkey })).userId).toBe(lost.userId)
    expect((await query('whoami', {}, { apiKey: recoveryKey })).status).toBe(401)
  })
})
