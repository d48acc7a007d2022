import { describe, expect, test } from 'vitest'
import { findOperation } from '../../src/operations/catalogue.ts'
import { proxyOf, proxyOrigin } from '../support/auth_proxy.ts'
import {
  expectRefused,
  newApiKey,
  newAuthenticator,
  newMfaPolicy,
  newUser,
  organizationOf,
  type Parameters,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'
import { newPasskey, type SoftPasskey } from '../support/passkeys.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** Public keys and ids of passkeys are no secrets. A user who adds somebody else's takes nothing by it. */

const organization = await startOrganization()
const { done, query, submit, anotherUser, subOrganization } = organization
const proxy = proxyOf(organization)
const operations = ['account', 'wallet_kit_config']
await done('enable_auth_proxy', { operations, allowedOrigins: [proxyOrigin], appName: 'Acme' })

type Stamper = { readonly apiKey: ApiKeyPair } | { readonly passkey: SoftPasskey }
type Child = Awaited<ReturnType<TestOrganization['subOrganization']>>

const whoami = (by: Stamper, place = {}) => query('whoami', {}, { ...by, ...place })
const login = (by: Stamper, place = {}) =>
  submit('stamp_login', { publicKey: generateApiKey().publicKey }, { ...by, ...place })
const account = async (publicKey: string) =>
  (await proxy.ask('account', { filterType: 'PUBLIC_KEY', filterValue: publicKey })).body
const listed = async (filterValue: string) =>
  (await organization.found('list_suborgs', { filterType: 'PUBLIC_KEY', filterValue })).organizationIds

/** Makes a sub-organization whose root user has this key, by its own request or by the parent's. */
async function claimantOf({ publicKey }: ApiKeyPair): Promise<Child> {
  const child = await subOrganization()
  const apiKeys = [newApiKey({ publicKey })]
  await organizationOf(organization, child).done('create_api_keys', { userId: child.rootUserId, apiKeys })
  return child
}

async function signUp({ publicKey }: ApiKeyPair): Promise<string> {
  const rootUser = { userName: 'root', apiKeys: [newApiKey({ publicKey })], authenticators: [], oauthProviders: [] }
  const parameters = { subOrganizationName: 'sub', rootUsers: [rootUser], rootQuorumThreshold: 1 }
  return (await done('create_sub_organization', parameters)).subOrganizationId
}

async function expectLedTo(organizationId: string, by: Stamper): Promise<void> {
  const [seen, opened] = [await whoami(by), await login(by)]
  expect([seen.status, seen.body.organizationId]).toEqual([200, organizationId])
  expect([opened.status, opened.body.activity?.organizationId]).toEqual([200, organizationId])
}

const advice = 'has to stamp one login with the id of that sub-organization first'

test('a key that somebody has added in a sub-organization leads its owner nowhere, before and after a sign-up', async () => {
  const victim = generateApiKey()
  for (const _ of [1, 2, 3]) await claimantOf(victim)
  expectRefused(await whoami({ apiKey: victim }), 401, advice)
  expectRefused(await login({ apiKey: victim }), 401, advice)
  expect([await account(victim.publicKey), await listed(victim.publicKey)]).toEqual([{}, []])

  const own = await signUp(victim)
  await expectLedTo(own, { apiKey: victim })
  expect([await account(victim.publicKey), await listed(victim.publicKey)]).toEqual([{ organizationId: own }, [own]])
})

test('a login with the id of the sub-organization proves the key there, and one with the id of the parent proves nothing', async () => {
  const key = generateApiKey()
  const [own, claimant] = [await claimantOf(key), await claimantOf(key)]
  for (const _ of [1, 2]) expectRefused(await login({ apiKey: key }), 401)
  // A query, and a change that leaves the user's record alone, prove nothing.
  const inside = { apiKey: key, organizationId: own.organizationId }
  expect((await whoami({ apiKey: key }, inside)).body.organizationId).toBe(own.organizationId)
  await done('create_wallet', { walletName: 'own', accounts: [] }, inside)
  expectRefused(await whoami({ apiKey: key }), 401)

  expect((await login({ apiKey: key }, inside)).status).toBe(200)
  await expectLedTo(own.organizationId, { apiKey: key })
  expect(await account(key.publicKey)).toEqual({ organizationId: own.organizationId })
  // It was proved in one place alone.
  expect(await listed(key.publicKey)).toEqual([own.organizationId])
  expect(claimant.organizationId).not.toBe(own.organizationId)
})

test('a key of a sub-organization goes on to work there, be it claimed elsewhere or not', async () => {
  const key = generateApiKey()
  const own = await claimantOf(key)
  const nobody = await anotherUser('nobody')
  const apiKeys = [newApiKey({ publicKey: key.publicKey })]
  await done('create_api_keys', { userId: nobody.userId, apiKeys }, nobody)
  const inside = { organizationId: own.organizationId }
  expect((await whoami({ apiKey: key }, inside)).body.userId).toBe(own.rootUserId)
  expect((await login({ apiKey: key }, inside)).status).toBe(200)
  await expectLedTo(own.organizationId, { apiKey: key })
})

test('a user of the parent who adds the key of an end user does not become that user', async () => {
  const child = await subOrganization()
  const nobody = await anotherUser('nobody')
  const apiKeys = [newApiKey({ publicKey: child.apiKey.publicKey })]
  await done('create_api_keys', { userId: nobody.userId, apiKeys }, nobody)
  await expectLedTo(child.organizationId, { apiKey: child.apiKey })
  expect(await account(child.apiKey.publicKey)).toEqual({ organizationId: child.organizationId })
})

test('a login with the id of the parent does not prove the key of a user of the parent', async () => {
  const victim = generateApiKey()
  const nobody = await anotherUser('nobody')
  await done(
    'create_api_keys',
    { userId: nobody.userId, apiKeys: [newApiKey({ publicKey: victim.publicKey })] },
    nobody,
  )
  expect(await account(victim.publicKey)).toEqual({})
  expect((await login({ apiKey: victim })).status).toBe(200)
  await expectLedTo(await signUp(victim), { apiKey: victim })
})

test('a session by the key of an end user takes no more', async () => {
  const child = await subOrganization()
  const nobody = await anotherUser('nobody')
  await done('stamp_login', { publicKey: child.apiKey.publicKey }, nobody)
  await expectLedTo(child.organizationId, { apiKey: child.apiKey })
})

test('a link with the key of an end user takes no more', async () => {
  const child = await subOrganization()
  const { publicKey } = child.apiKey
  const nobody = await anotherUser('nobody')
  await done('create_passkey_link', { userId: nobody.userId, publicKey }, nobody)
  await expectLedTo(child.organizationId, { apiKey: child.apiKey })
})

test('a key of the parent stays with the parent for a user who adds it in a sub-organization', async () => {
  const child = await subOrganization()
  const inChild = organizationOf(organization, child)
  const mallory = generateApiKey()
  const users = [newUser({ userName: 'mallory', apiKeys: [newApiKey({ publicKey: mallory.publicKey })] })]
  const [userId] = (await inChild.done('create_users', { users })).userIds
  const backend = await anotherUser('backend')
  await done('create_policy', {
    ...{ policyName: 'codes', effect: 'EFFECT_ALLOW', notes: '' },
    consensus: `approvers.any(user, user.id == '${backend.userId}')`,
    condition: "activity.type == 'ACTIVITY_TYPE_INIT_OTP_V3' || activity.resource == 'OTP'",
  })
  const contact = 'victim@example.org'
  await inChild.done('update_user_email', { userId: child.rootUserId, userEmail: contact })
  const otp = ({ apiKey }: { readonly apiKey: ApiKeyPair }) =>
    submit(
      'init_otp',
      { otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Acme' },
      { apiKey, organizationId: child.organizationId },
    )
  for (const [index, of] of [{ apiKey: organization.rootKey }, backend].entries()) {
    const { publicKey } = of.apiKey
    // One that has ended would refuse all that the key asks.
    const apiKeys = [newApiKey({ publicKey, ...(index === 0 ? { expirationSeconds: '1' } : {}) })]
    await done('create_api_keys', { userId, apiKeys }, { apiKey: mallory, organizationId: child.organizationId })
    organization.clock.nowMs += 600_000
    const asked = await otp(of)
    expect([asked.status, asked.body.activity?.status], JSON.stringify(asked.body)).toEqual([
      200,
      'ACTIVITY_STATUS_COMPLETED',
    ])
    const seen = await whoami(of, { organizationId: child.organizationId })
    expect([seen.status, seen.body.organizationId]).toEqual([200, organization.organizationId])
  }
})

test.each(['a session', 'a key'])('%s that a user of the parent has added stays with that user too', async (kind) => {
  const child = await subOrganization()
  const inChild = organizationOf(organization, child)
  const mallory = await inChild.anotherUser('mallory')
  const backend = await anotherUser('backend')
  const apiKey = generateApiKey()
  const { publicKey } = apiKey
  if (kind === 'a session') await done('stamp_login', { publicKey }, backend)
  else await done('create_api_keys', { userId: backend.userId, apiKeys: [newApiKey({ publicKey })] }, backend)
  organization.clock.nowMs += 1_000
  const stolen = { userId: mallory.userId, apiKeys: [newApiKey({ publicKey })] }
  await done('create_api_keys', stolen, { apiKey: mallory.apiKey, organizationId: child.organizationId })
  const seen = await whoami({ apiKey }, { organizationId: child.organizationId })
  expect([seen.status, seen.body.userId]).toEqual([200, backend.userId])
})

test('a key of an end user that a user of the parent claims later stays with the end user', async () => {
  const child = await subOrganization()
  const apiKey = generateApiKey()
  const { publicKey } = apiKey
  const inside = { organizationId: child.organizationId }
  await done('stamp_login', { publicKey }, { apiKey: child.apiKey, ...inside })
  organization.clock.nowMs += 1_000
  const nobody = await anotherUser('nobody')
  await done('create_api_keys', { userId: nobody.userId, apiKeys: [newApiKey({ publicKey })] }, nobody)
  const seen = await whoami({ apiKey }, inside)
  expect([seen.status, seen.body.userId]).toEqual([200, child.rootUserId])
})

/** A user of the parent without rights reads a key of a sub-organization, and adds it. */
async function claimByStranger(publicKey: string): Promise<void> {
  organization.clock.nowMs += 1_000
  const stranger = await anotherUser('stranger')
  await done('create_api_keys', { userId: stranger.userId, apiKeys: [newApiKey({ publicKey })] }, stranger)
  organization.clock.nowMs += 1_000
}

test('a session that a user of the parent claims while its login waits is that of who logs in', async () => {
  const child = await subOrganization()
  const inChild = organizationOf(organization, child)
  const passkey = newPasskey('ES256')
  const authenticators = [newAuthenticator({ passkey })]
  await inChild.done('create_authenticators', { userId: child.rootUserId, authenticators })
  const condition = "activity.kind == 'STAMP_LOGIN'"
  await inChild.done('create_mfa_policy', { userId: child.rootUserId, ...newMfaPolicy({ condition }) })
  const apiKey = generateApiKey()
  const waits = await inChild.submit('stamp_login', { publicKey: apiKey.publicKey })
  await claimByStranger(apiKey.publicKey)
  await inChild.done('approve_activity', { fingerprint: waits.body.activity.fingerprint }, { passkey })
  const seen = await whoami({ apiKey }, { organizationId: child.organizationId })
  expect([seen.status, seen.body.userId]).toEqual([200, child.rootUserId])
})

test('a link that a user of the parent claims while it waits for a quorum adds a passkey', async () => {
  const child = await subOrganization()
  const inChild = organizationOf(organization, child)
  const second = await inChild.anotherUser('second')
  const { userId } = await inChild.anotherUser('who lost the passkey')
  await inChild.done('update_root_quorum', { threshold: 2, userIds: [child.rootUserId, second.userId] })
  const apiKey = generateApiKey()
  const waits = await inChild.submit('create_passkey_link', { userId, publicKey: apiKey.publicKey })
  await claimByStranger(apiKey.publicKey)
  await inChild.done('approve_activity', { fingerprint: waits.body.activity.fingerprint }, second)
  const seen = await whoami({ apiKey }, { organizationId: child.organizationId })
  expect([seen.status, seen.body.userId]).toEqual([200, userId])
  const used = await inChild.done('recover_user', { userId, authenticator: newAuthenticator() }, { apiKey })
  expect(used.authenticatorId).toHaveLength(1)
})

/** A key that one sub-organization has, then a user of the parent, then another sub-organization. */
async function claimedInTurn(
  endsOf: { readonly [place in 'parent' | 'second']?: { readonly expirationSeconds: string } },
) {
  const apiKey = generateApiKey()
  const { publicKey } = apiKey
  await claimantOf(apiKey)
  organization.clock.nowMs += 1_000
  const ofParent = await anotherUser('of the parent')
  const inParent = { userId: ofParent.userId, apiKeys: [newApiKey({ publicKey, ...endsOf.parent })] }
  await done('create_api_keys', inParent, ofParent)
  organization.clock.nowMs += 1_000
  const second = await subOrganization()
  const inSecond = { userId: second.rootUserId, apiKeys: [newApiKey({ publicKey, ...endsOf.second })] }
  await organizationOf(organization, second).done('create_api_keys', inSecond)
  organization.clock.nowMs += 2_000
  return { apiKey, ofParent, second, inside: { organizationId: second.organizationId } }
}

const ends = { expirationSeconds: '1' }

// The next two are the same keys in the same order. Only who has the private half differs, which no record says.
test.each([{}, { parent: ends }])(
  'its owner proves a key in a second sub-organization by one login, where a user of the parent has the older claim: %j',
  async (endsOf) => {
    const { apiKey, ofParent, second, inside } = await claimedInTurn(endsOf)
    const before = await whoami({ apiKey }, inside)
    if (endsOf.parent === undefined) expect(before.body.userId).toBe(ofParent.userId)
    else expectRefused(before, 401, 'expired')
    const [wallet, opened] = [
      await submit('create_wallet', { walletName: 'own', accounts: [] }, { apiKey, ...inside }),
      await login({ apiKey }, inside),
    ]
    for (const { body } of [wallet, opened]) expect(body.activity.votes[0].userId).toBe(second.rootUserId)
    const after = await whoami({ apiKey }, inside)
    expect([after.status, after.body.userId]).toEqual([200, second.rootUserId])
  },
)

test.each([{}, { second: ends }])(
  'who adds a key later in a second sub-organization gets no query of the user of the parent who has it: %j',
  async (endsOf) => {
    const { apiKey, ofParent, inside } = await claimedInTurn(endsOf)
    const seen = await whoami({ apiKey }, inside)
    expect([seen.status, seen.body.userId]).toEqual([200, ofParent.userId])
  },
)

test.each([{}, ends])(
  'a user of the parent proves a key by a change of the own credentials, where a sub-organization has the older claim: %j',
  async (end) => {
    const apiKey = generateApiKey()
    const { publicKey } = apiKey
    const child = await subOrganization()
    const inside = { organizationId: child.organizationId }
    const inChild = { userId: child.rootUserId, apiKeys: [newApiKey({ publicKey, ...end })] }
    await organizationOf(organization, child).done('create_api_keys', inChild)
    organization.clock.nowMs += 2_000
    const { userId, ...owner } = await anotherUser('owner')
    await done('create_api_keys', { userId, apiKeys: [newApiKey({ publicKey })] }, owner)
    const before = await whoami({ apiKey }, inside)
    if (end === ends) expectRefused(before, 401, 'expired')
    else expect(before.body.userId).toBe(child.rootUserId)
    await done('create_api_keys', { userId, apiKeys: [newApiKey()] }, { apiKey })
    const after = await whoami({ apiKey }, inside)
    expect([after.status, after.body.userId]).toEqual([200, userId])
  },
)

test('a session that has ended asks nothing as a user of the parent who has claimed its key', async () => {
  const child = await subOrganization()
  const inside = { organizationId: child.organizationId }
  const apiKey = generateApiKey()
  const { publicKey } = apiKey
  await done('stamp_login', { publicKey, expirationSeconds: '900' }, { apiKey: child.apiKey, ...inside })
  await claimByStranger(publicKey)
  organization.clock.nowMs += 900_000
  const seen = await whoami({ apiKey }, inside)
  expect([seen.status, seen.body.message]).toEqual([401, expect.stringContaining('expired')])
})

test('a key that the parent has as well acts for its user in the sub-organization, and proves nothing there', async () => {
  const child = await subOrganization()
  const inChild = organizationOf(organization, child)
  const { rootKey } = organization
  const users = [newUser({ userName: 'delegate', apiKeys: [newApiKey({ publicKey: rootKey.publicKey })] })]
  const [userId] = (await inChild.done('create_users', { users })).userIds
  const inside = { apiKey: rootKey, organizationId: child.organizationId }
  const { body } = await login({ apiKey: rootKey }, inside)
  expect(body.activity.votes[0].userId).toBe(userId)
  expect((await whoami(inside, inside)).body.organizationId).toBe(organization.organizationId)
})

test('the id of a passkey is of one user in a parent and its sub-organizations', async () => {
  const [child, other] = [await subOrganization(), await subOrganization()]
  const passkey = newPasskey('ES256')
  const of = (child: Child) => organizationOf(organization, child)
  const add = (userId: string, of: Pick<TestOrganization, 'submit'>, ask = {}) => {
    const copy = newPasskey('ES256', { credentialId: passkey.credentialId })
    return of.submit('create_authenticators', { userId, authenticators: [newAuthenticator({ passkey: copy })] }, ask)
  }
  const authenticators = [newAuthenticator({ passkey })]
  await of(child).done('create_authenticators', { userId: child.rootUserId, authenticators })
  await expectLedTo(child.organizationId, { passkey })

  const nobody = await anotherUser('nobody')
  expectRefused(await add(nobody.userId, organization, nobody), 400, 'already in use', 'credentialId')
  expectRefused(await add(other.rootUserId, of(other)), 400, 'already in use', 'credentialId')
  await expectLedTo(child.organizationId, { passkey })

  const ofParent = newPasskey('ES256')
  const { userId } = nobody
  await done('create_authenticators', { userId, authenticators: [newAuthenticator({ passkey: ofParent })] }, nobody)
  const copied = [newAuthenticator({ passkey: newPasskey('ES256', { credentialId: ofParent.credentialId }) })]
  const taken = { userId: child.rootUserId, authenticators: copied }
  expectRefused(await of(child).submit('create_authenticators', taken), 400, 'already in use', 'credentialId')
})

/** Makes a sub-organization with two users, in which such a request of the owner waits for a passkey. */
async function withSteps(name: string) {
  const operation = findOperation(`/public/v1/submit/${name}`)
  const type = operation?.kind === 'activity' ? operation.types[0]?.type : expect.fail(name)
  const child = await subOrganization()
  const inChild = organizationOf(organization, child)
  const insider = await inChild.anotherUser('insider')
  const passkey = newPasskey('ES256')
  const owner = { userId: child.rootUserId, apiKey: child.apiKey, passkey }
  await inChild.done('create_authenticators', {
    userId: owner.userId,
    authenticators: [newAuthenticator({ passkey })],
  })
  await inChild.done('create_mfa_policy', {
    userId: owner.userId,
    ...newMfaPolicy({ condition: `activity.type == '${type}'` }),
  })
  return { inChild, insider, owner }
}

describe('while a request waits, nobody else in its organization gets', () => {
  const taken = 'asked for by a request that waits'
  const keyOf = ({ publicKey }: ApiKeyPair) => ({ apiKeys: [newApiKey({ publicKey })] })

  test.each<[string, (key: ApiKeyPair, userId: string) => Parameters]>([
    ['stamp_login', ({ publicKey }) => ({ publicKey })],
    ['create_api_keys', (key, userId) => ({ userId, ...keyOf(key) })],
    ['create_passkey_link', ({ publicKey }, userId) => ({ userId, publicKey })],
    ['create_users', (key) => ({ users: [newUser({ userName: 'new', ...keyOf(key) })] })],
  ])('the public key of a %s', async (name, parametersOf) => {
    const { inChild, insider, owner } = await withSteps(name)
    const apiKey = generateApiKey()
    const { publicKey } = apiKey
    const waits = await inChild.submit(name, parametersOf(apiKey, owner.userId))
    expect(waits.body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    const adding = { userId: insider.userId, ...keyOf(apiKey) }
    expectRefused(await inChild.submit('create_api_keys', adding, insider), 400, taken)
    expectRefused(await inChild.submit('stamp_login', { publicKey }, insider), 400, taken)
    expectRefused(
      await inChild.submit('create_passkey_link', { userId: insider.userId, publicKey }, insider),
      400,
      taken,
    )
    const { fingerprint } = waits.body.activity
    const ended = await inChild.submit('approve_activity', { fingerprint }, owner)
    expect(ended.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('the id of a passkey', async () => {
    const { inChild, insider, owner } = await withSteps('create_authenticators')
    const passkey = newPasskey('ES256')
    const added = { userId: owner.userId, authenticators: [newAuthenticator({ passkey })] }
    const waits = await inChild.submit('create_authenticators', added)
    const copy = newPasskey('ES256', { credentialId: passkey.credentialId })
    const copied = { userId: insider.userId, authenticators: [newAuthenticator({ passkey: copy })] }
    expectRefused(await inChild.submit('create_authenticators', copied, insider), 400, taken)
    const { fingerprint } = waits.body.activity
    const ended = await inChild.submit('approve_activity', { fingerprint }, owner)
    expect(ended.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('its key: who asked may ask again, and others once it has ended or a day has passed', async () => {
    const { inChild, insider, owner } = await withSteps('stamp_login')
    const [first, second] = [generateApiKey(), generateApiKey()]
    const login = ({ publicKey }: ApiKeyPair) => inChild.submit('stamp_login', { publicKey })
    const waits = await login(first)
    inChild.clock.nowMs += 1_000
    const again = await login(first)
    expect(again.body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    const add = (key: ApiKeyPair) =>
      inChild.submit('create_api_keys', { userId: insider.userId, ...keyOf(key) }, insider)
    await inChild.submit('reject_activity', { fingerprint: waits.body.activity.fingerprint })
    expectRefused(await add(first), 400, taken)
    await inChild.submit('reject_activity', { fingerprint: again.body.activity.fingerprint })
    expect((await add(first)).status).toBe(200)

    const left = await login(second)
    inChild.clock.nowMs += 86_390_000
    expectRefused(await add(second), 400, taken)
    inChild.clock.nowMs += 10_000
    expect((await add(second)).status).toBe(200)
    const { fingerprint } = left.body.activity
    const late = await inChild.submit('approve_activity', { fingerprint }, owner)
    expect(late.body.activity?.status).not.toBe('ACTIVITY_STATUS_COMPLETED')
  })
})
