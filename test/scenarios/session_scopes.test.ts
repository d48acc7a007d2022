import { generateP256KeyPair } from '@turnkey/crypto'
import { expect, test } from 'vitest'
import {
  expectRefused,
  newAccount,
  newApiKey,
  newPolicy,
  newUser,
  type Parameters,
  startOrganization,
} from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** The rights of a session that was opened with a profile. */

async function startSession(scope: string) {
  const organization = await startOrganization()
  const { done } = organization
  const { sessionProfileId } = await done('create_session_profile', { sessionProfileName: 'limited', scope })
  const session = generateApiKey()
  await done('stamp_login', { publicKey: session.publicKey, sessionProfileId })
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
  return { ...organization, session, sessionProfileId, signWith: addresses[0] as string }
}

const payload = (signWith: string): Parameters => ({
  signWith,
  payload: 'ab'.repeat(32),
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_NO_OP',
})
const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'"
const refusal = "the scope of this session's profile does not allow this"

test('does what its scope says, of a root user too, and asks who it is', async () => {
  const { submit, query, session, signWith } = await startSession(signing)
  const apiKey = session
  expect((await submit('sign_raw_payload', payload(signWith), { apiKey })).status).toBe(200)
  expectRefused(await submit('create_wallet', { walletName: 'b', accounts: [] }, { apiKey }), 403, refusal)
  expectRefused(await query('list_wallets', {}, { apiKey }), 403, refusal)
  expect((await query('whoami', {}, { apiKey })).status).toBe(200)
})

test('ends itself, whatever its scope says, and no other session', async () => {
  const { done, submit, found, query, session, sessionProfileId, rootUserId } = await startSession(signing)
  const other = generateApiKey()
  await done('stamp_login', { publicKey: other.publicKey, sessionProfileId })
  const { apiKeys } = await found('get_api_keys', { userId: rootUserId })
  const idOf = ({ publicKey }: { publicKey: string }) =>
    apiKeys.find(({ credential }: { credential: { publicKey: string } }) => credential.publicKey === publicKey).apiKeyId
  const end = (apiKeyIds: readonly string[]) =>
    submit('delete_api_keys', { userId: rootUserId, apiKeyIds }, { apiKey: session })
  expectRefused(await end([idOf(other)]), 403, refusal)
  expectRefused(await end([idOf(session), idOf(other)]), 403, refusal)
  expect((await end([idOf(session)])).status).toBe(200)
  expect((await query('whoami', {}, { apiKey: session })).status).toBe(401)
})

test('is kept from its end by a denial about credentials, unless that spares deletions', async () => {
  const { submit, done, found, anotherUser } = await startSession(signing)
  const ada = await anotherUser('ada')
  const session = generateApiKey()
  await done('stamp_login', { publicKey: session.publicKey }, ada)
  const apiKeys: readonly { readonly apiKeyId: string; readonly credential: { readonly publicKey: string } }[] = (
    await found('get_api_keys', { userId: ada.userId })
  ).apiKeys
  const own = apiKeys.find(({ credential }) => credential.publicKey === session.publicKey)?.apiKeyId
  const logOut = () => submit('delete_api_keys', { userId: ada.userId, apiKeyIds: [own] }, { apiKey: session })
  const add = () => submit('create_api_keys', { userId: ada.userId, apiKeys: [newApiKey()] }, { apiKey: session })

  const denial = newPolicy({ condition: "activity.resource == 'CREDENTIAL'" })
  const { policyId } = await done('create_policy', denial)
  expectRefused(await logOut(), 403, policyId)
  const policyCondition = "activity.resource == 'CREDENTIAL' && activity.action != 'DELETE'"
  await done('update_policy', { policyId, policyCondition })
  expectRefused(await add(), 403, policyId)
  expect((await logOut()).status).toBe(200)
})

test('reads where its scope says so', async () => {
  const { submit, query, session } = await startSession("activity.action == 'READ'")
  expect((await query('list_wallets', {}, { apiKey: session })).status).toBe(200)
  expectRefused(await submit('create_wallet', { walletName: 'b', accounts: [] }, { apiKey: session }), 403, refusal)
})

test('a scope with an error for a request does not allow it', async () => {
  const { submit, session, signWith } = await startSession(`wallet.label == 'hot' && ${signing}`)
  expect((await submit('sign_raw_payload', payload(signWith), { apiKey: session })).status).toBe(200)
  const refused = await submit('create_wallet', { walletName: 'b', accounts: [] }, { apiKey: session })
  expectRefused(refused, 403, `${refusal}: column 1`)
})

test('learns which clause of the rules decided if it may read them, and otherwise only which rule', async () => {
  const scopes = ["activity.action in ['CREATE', 'READ']", "activity.action == 'CREATE'"]
  const explanations = scopes.map(async (scope) => {
    const { submit, done, anotherUser } = await startSession('true')
    const { sessionProfileId } = await done('create_session_profile', { sessionProfileName: 'another', scope })
    const ada = await anotherUser('ada')
    const session = generateApiKey()
    await done('stamp_login', { publicKey: session.publicKey, sessionProfileId }, ada)
    await done('create_policy', newPolicy({ condition: "activity.resource == 'WALLET'" }))
    const refused = await submit('create_wallet', { walletName: 'b', accounts: [] }, { apiKey: session })
    expectRefused(refused, 403, 'The following policies denied this action')
    return refused.body.details.at(-1).policyEvaluations[0].explanation
  })
  expect(await Promise.all(explanations)).toEqual([
    "condition: `activity.resource == 'WALLET'` is true, `activity.resource` is 'WALLET'",
    undefined,
  ])
})

test('learns from the refusal of its scope no value that it may not read', async () => {
  const scopes = ["wallet.label == 'cold'", "activity.action == 'READ' || activity.action == 'CREATE'"]
  const reasons = scopes.map(async (scope) => {
    const { submit, session, signWith } = await startSession(scope)
    const refused = await submit('sign_raw_payload', payload(signWith), { apiKey: session })
    expectRefused(refused, 403, refusal)
    return refused.body.message.split(`${refusal}: `)[1]
  })
  expect(await Promise.all(reasons)).toEqual([
    'it is false for this request',
    expect.stringContaining("`activity.action == 'CREATE'` is false"),
  ])
})

test('votes on activities that it could submit itself, and on no others', async () => {
  const { submit, done, session, anotherUser, rootUserId, signWith } = await startSession(signing)
  const second = await anotherUser('second')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  const asked = async (name: string, parameters: Parameters) =>
    (await submit(name, parameters, { apiKey: second.apiKey })).body.activity
  const vote = ({ fingerprint }: Parameters) => submit('approve_activity', { fingerprint }, { apiKey: session })
  const signature = await asked('sign_raw_payload', payload(signWith))
  expect((await vote(signature)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expectRefused(await vote(await asked('create_wallet', { walletName: 'b', accounts: [] })), 403, refusal)
})

test('switches off the notices of nobody, unless its scope names that', async () => {
  const { submit, session, anotherUser } = await startSession("activity.action != 'EXPORT'")
  const { userId } = await anotherUser('approver')
  const off = await submit('set_notice_preferences', { userId, receivesNotices: false }, { apiKey: session })
  expectRefused(off, 403, 'a session with a profile does what outlasts it only where its scope allows that by name')
  const named = await startSession("activity.resource == 'USER'")
  const other = await named.anotherUser('approver')
  const parameters = { userId: other.userId, receivesNotices: false }
  expect((await named.submit('set_notice_preferences', parameters, { apiKey: named.session })).status).toBe(200)
})

const namelessRefusal = 'a session with a profile makes a credential only where its scope allows that by name'
const newKeyFor = (userId: string) => ({
  userId,
  apiKeys: [{ apiKeyName: 'own', publicKey: generateApiKey().publicKey, curveType: 'API_KEY_CURVE_P256' }],
})

test.each([
  "activity.action != 'EXPORT'",
  "activity.action in ['CREATE', 'SIGN']",
  "!(activity.resource == 'CREDENTIAL' && activity.action == 'DELETE')",
  "activity.kind != 'EXPORT_WALLET' || activity.kind[0] == 'E'",
  "activity.resource != ''",
  "activity.kind != '' && activity.resource != 'POLICY'",
  "!(activity.type in ['', 'ACTIVITY_TYPE_CREATE_POLICY'])",
  'activity.kind != activity.resource',
])('does not free itself by a credential that the scope allows without naming it: %s', async (scope) => {
  const { submit, session, rootUserId } = await startSession(scope)
  const apiKey = session
  const login = await submit('stamp_login', { publicKey: generateApiKey().publicKey }, { apiKey })
  expectRefused(
    login,
    403,
    `${namelessRefusal}: log in without a profile, or let the scope say activity.resource == 'AUTH'`,
  )
  const added = await submit('create_api_keys', newKeyFor(rootUserId), { apiKey })
  expectRefused(
    added,
    403,
    `${namelessRefusal}: log in without a profile, or let the scope say activity.resource == 'CREDENTIAL'`,
  )
  expect((await submit('create_wallet', { walletName: 'b', accounts: [] }, { apiKey })).status).toBe(200)
})

test.each([
  ['create_api_keys', "activity.resource == 'CREDENTIAL'"],
  ['create_api_keys', "activity.kind in ['SIGN_TRANSACTION', 'CREATE_API_KEYS']"],
  ['create_api_keys', "activity.type == 'ACTIVITY_TYPE_CREATE_API_KEYS_V2' || activity.action == 'SIGN'"],
  ['stamp_login', "activity.resource == 'AUTH' && activity.action == 'CREATE'"],
  ['stamp_login', "activity.kind == 'STAMP_LOGIN'"],
])('makes a credential by %s where the scope allows that by name: %s', async (name, scope) => {
  const { submit, session, rootUserId } = await startSession(scope)
  const parameters = name === 'stamp_login' ? { publicKey: generateApiKey().publicKey } : newKeyFor(rootUserId)
  expect((await submit(name, parameters, { apiKey: session })).status).toBe(200)
})

const contacts = (userId: string): readonly (readonly [name: string, parameters: Parameters])[] => [
  ['update_user_email', { userId, userEmail: 'own@example.net' }],
  ['update_user_phone_number', { userId, userPhoneNumber: '+491701234567' }],
  ['update_user', { userId, userEmail: 'own@example.org' }],
  ['update_user', { userId, userPhoneNumber: '+491701234568' }],
]

test.each([
  "activity.resource == 'USER' && activity.action == 'UPDATE'",
  "activity.action != 'EXPORT'",
  "activity.kind != 'EXPORT_WALLET'",
  "activity.resource == 'USER' || activity.kind == 'UPDATE_USER_EMAIL'",
])('gives no user an address or a number, if its scope names no such change: %s', async (scope) => {
  const { submit, session, rootUserId, anotherUser } = await startSession(scope)
  const apiKey = session
  for (const userId of [rootUserId, (await anotherUser()).userId]) {
    for (const [name, parameters] of contacts(userId)) {
      expectRefused(
        await submit(name, parameters, { apiKey }),
        403,
        'a session with a profile gives a user an e-mail address or a phone number only where its scope allows that by',
        `let the scope say activity.kind == '${name.toUpperCase()}'`,
      )
    }
    if (!scope.includes("== 'USER'")) continue
    const named = await submit('update_user', { userId, userName: 'other' }, { apiKey })
    expect(named.status).toBe(200)
    for (const contact of ['Email', 'PhoneNumber']) {
      const name = contact === 'Email' ? 'update_user_email' : 'update_user_phone_number'
      expect((await submit(name, { userId, [`user${contact}`]: '' }, { apiKey })).status).toBe(200)
    }
  }
})

test('gives a user an address or a number where its scope names such changes', async () => {
  const scope = "activity.kind in ['UPDATE_USER', 'UPDATE_USER_EMAIL', 'UPDATE_USER_PHONE_NUMBER', 'SIGN_RAW_PAYLOAD']"
  const { submit, session, rootUserId } = await startSession(scope)
  for (const [name, parameters] of contacts(rootUserId)) {
    expect((await submit(name, parameters, { apiKey: session })).status).toBe(200)
  }
})

test('does not approve the address of another user which it could not set', async () => {
  const scope = "activity.resource == 'USER' && activity.action == 'UPDATE'"
  const { submit, done, session, anotherUser, rootUserId } = await startSession(scope)
  const second = await anotherUser('second')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  const [[name, parameters] = ['', {}]] = contacts(second.userId)
  const { fingerprint } = (await submit(name, parameters, { apiKey: second.apiKey })).body.activity
  expectRefused(await submit('approve_activity', { fingerprint }, { apiKey: session }), 403, 'a phone number only')
})

test.each([
  "activity.action in ['CREATE', 'UPDATE', 'SIGN', 'VERIFY']",
  "activity.action != 'EXPORT'",
  "activity.kind != 'EXPORT_WALLET'",
  "activity.resource != 'WALLET' || activity.action != 'EXPORT'",
])('does nothing that outlasts it, if its scope does not name that: %s', async (scope) => {
  const { submit, session, rootUserId, sessionProfileId } = await startSession(scope)
  const apiKey = session
  const { publicKeyUncompressed: targetPublicKey } = generateP256KeyPair()
  const condition = "activity.resource == 'WALLET'"
  const invited = { receiverUserName: 'm', receiverUserEmail: 'm@example.net', receiverUserTags: [] }
  for (const [name, parameters, says] of [
    ['create_users', { users: [newUser()] }, "activity.kind == 'CREATE_USERS'"],
    ['create_policy', newPolicy({ condition }), "activity.resource == 'POLICY'"],
    ['update_user', { userId: rootUserId, userName: 'm' }, "activity.resource == 'USER'"],
    [
      'create_invitations',
      { invitations: [{ ...invited, accessType: 'ACCESS_TYPE_WEB', senderUserId: rootUserId }] },
      "activity.resource == 'INVITATION'",
    ],
    [
      'init_user_email_recovery',
      { email: 'r@example.net', targetPublicKey, emailCustomization: { appName: 'Acme' } },
      "activity.resource == 'RECOVERY'",
    ],
    [
      'init_otp',
      { otpType: 'OTP_TYPE_EMAIL', contact: 'r@example.net', appName: 'Acme' },
      "activity.resource == 'OTP'",
    ],
    ['create_session_profile', { sessionProfileName: 'm', scope: 'true' }, "activity.resource == 'SESSION_PROFILE'"],
  ] as const) {
    const refused = await submit(name, parameters, { apiKey })
    expectRefused(refused, 403, 'only where its scope allows that by name', `let the scope say ${says}`)
  }
  expect((await submit('create_wallet', { walletName: 'b', accounts: [] }, { apiKey })).status).toBe(200)
  const keyTag = { privateKeyTagName: 'new', privateKeyIds: [] }
  expect((await submit('create_private_key_tag', keyTag, { apiKey })).status).toBe(200)
  const same = { publicKey: generateApiKey().publicKey, sessionProfileId }
  expect((await submit('stamp_login', same, { apiKey })).status).toBe(200)
})

test('makes a user only where its scope names that, and not by the resource of all changes of users', async () => {
  const scopes = ["activity.resource in ['USER', 'POLICY']", "activity.kind in ['CREATE_USERS', 'CREATE_POLICY']"]
  for (const scope of scopes) {
    const { submit, session } = await startSession(scope)
    const apiKey = session
    const isNamed = scope.includes('CREATE_USERS')
    expect((await submit('create_users', { users: [newUser()] }, { apiKey })).status).toBe(isNamed ? 200 : 403)
    const condition = "activity.resource == 'WALLET'"
    expect((await submit('create_policy', newPolicy({ condition }), { apiKey })).status).toBe(200)
  }
})

test('makes a tag of users only where its scope names that: rules count tags', async () => {
  for (const scope of ["activity.action != 'EXPORT'", "activity.resource == 'USER'"]) {
    const { submit, session, rootUserId } = await startSession(scope)
    const answer = await submit('create_user_tag', { userTagName: 'new', userIds: [rootUserId] }, { apiKey: session })
    if (scope.includes('USER')) expect(answer.status).toBe(200)
    else expectRefused(answer, 403, 'does what outlasts it only where its scope allows that by name')
  }
})

test('does nothing that the root quorum alone decides: no scope can name it', async () => {
  const { submit, session } = await startSession('true')
  const answer = await submit('update_organization_name', { organizationName: 'm' }, { apiKey: session })
  expectRefused(answer, 403, 'a session with a profile does what outlasts it only where', 'log in without a profile')
})

test('goes on under the same profile, and not under another one', async () => {
  const { submit, done, session, sessionProfileId } = await startSession("activity.action != 'EXPORT'")
  const login = (parameters: Parameters) =>
    submit('stamp_login', { publicKey: generateApiKey().publicKey, ...parameters }, { apiKey: session })
  expect((await login({ sessionProfileId })).status).toBe(200)
  const wider = await done('create_session_profile', {
    sessionProfileName: 'wider',
    scope: "activity.action != 'READ'",
  })
  expectRefused(await login({ sessionProfileId: wider.sessionProfileId }), 403, namelessRefusal)
})

test('does not approve the credential of another user which it could not make', async () => {
  const { submit, done, session, anotherUser, rootUserId } = await startSession("activity.action != 'EXPORT'")
  const second = await anotherUser('second')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  const asked = await submit('create_api_keys', newKeyFor(rootUserId), { apiKey: second.apiKey })
  const { fingerprint } = asked.body.activity
  expectRefused(await submit('approve_activity', { fingerprint }, { apiKey: session }), 403, namelessRefusal)
})

test('a text that is no scope is refused when the profile is made', async () => {
  const { submit } = await startOrganization()
  const profile = { sessionProfileName: 'broken', scope: "activity.kind = 'X'" }
  expectRefused(await submit('create_session_profile', profile), 400, 'parameters.scope')
})
