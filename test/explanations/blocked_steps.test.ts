import { beforeAll, expect, test } from 'vitest'
import { explaining, warningsOf } from '../support/explanations.ts'
import { newApiKey, newAuthenticator, newUser, type Parameters, startOrganization } from '../support/organization.ts'
import { newPasskey } from '../support/passkeys.ts'

/** Changes that take from a user what the steps of an MFA policy need. */

const organization = await startOrganization()
const { done, found, anotherUser, rootUserId } = organization
const { userId: grace } = await anotherUser('Grace Hopper')
const passkey = () => newAuthenticator({ passkey: newPasskey('ES256') })
const {
  userIds: [peter],
} = await done('create_users', {
  users: [
    newUser({
      ...{ userName: 'Peter', userEmail: 'peter@example.com', userPhoneNumber: '+4915112345678' },
      ...{ apiKeys: [newApiKey()], authenticators: [passkey(), passkey()] },
    }),
  ],
})
const { user } = await found('get_user', { userId: peter })
const [first, second] = user.authenticators.map((one: { authenticatorId: string }) => one.authenticatorId)

async function mfaPolicy(mfaPolicyName: string, order: number, ...types: string[]) {
  const requiredAuthenticationMethods = types.map((type) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] }))
  const given = { userId: peter, mfaPolicyName, condition: "activity.action == 'EXPORT'", order }
  return (await done('create_mfa_policy', { ...given, requiredAuthenticationMethods })).mfaPolicyId
}
const older = await mfaPolicy('Older', 9, 'API_KEY')
const strict = await mfaPolicy('Strict', 5, 'PASSKEY', 'EMAIL_OTP', 'SMS_OTP')

beforeAll(() => done('update_root_quorum', { threshold: 2, userIds: [rootUserId, grace] }))

const explain = async (name: string, parameters: Parameters) => {
  const { explanation, lines } = await explaining(organization)(name, parameters)
  return { codes: warningsOf(explanation), lines }
}

test.each([
  ['delete_authenticators', { userId: peter, authenticatorIds: [first, second] }, 'passkey'],
  [
    'delete_api_keys',
    { userId: peter, apiKeyIds: user.apiKeys.map((one: { apiKeyId: string }) => one.apiKeyId) },
    'API key',
  ],
  ['update_user_email', { userId: peter, userEmail: '' }, 'code by e-mail'],
  ['update_user_phone_number', { userId: peter, userPhoneNumber: '' }, 'code by text message'],
  ['remove_organization_feature', { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' }, '“peter@example.com”'],
  ['remove_organization_feature', { name: 'FEATURE_NAME_SMS_AUTH' }, '“+4915112345678”'],
])('the last means of a step goes: %s %j', async (name, parameters, means) => {
  expect((await explain(name, parameters)).lines[0]).toContain(
    `“Peter” (user ${peter}) cannot take a step of authentication, and so cannot do what needs it: ${means}. `,
  )
})

test.each([
  ['delete_authenticators', { userId: peter, authenticatorIds: [first] }],
  ['update_user_email', { userId: peter, userEmail: 'p@example.com' }],
  ['update_user_email', { userId: grace, userEmail: '' }],
  ['remove_organization_feature', { name: 'FEATURE_NAME_EMAIL_RECOVERY' }],
])('a step can still be taken: %s %j', async (name, parameters) => {
  expect((await explain(name, parameters)).codes).not.toContain('stepImpossible')
})

test('of equal orders the older MFA policy is enforced, so it may put fewer steps in the place of more', async () => {
  const fewer = (mfaPolicyId: string, order: number) =>
    explain('update_mfa_policy', { userId: peter, mfaPolicyId, order }).then(({ codes }) =>
      codes.includes('fewerSteps'),
    )
  expect(await fewer(older, 5)).toBe(true)
  expect(await fewer(older, 6)).toBe(false)
  expect(await fewer(strict, 9)).toBe(true)
  expect(await fewer(strict, 8)).toBe(false)
})

test('each new user whose name looks like that of another one has a warning', async () => {
  for (const [name, parameters] of [
    ['create_users', { users: [newUser({ userName: 'grace hopper' })] }],
    ['create_api_only_users', { apiOnlyUsers: [{ userName: 'Grace Hopper', userTags: [], apiKeys: [] }] }],
  ] as const) {
    expect((await explain(name, parameters)).codes).toContain('looksLike')
  }
})

test('new users of one request whose names look alike have a warning, also in a new organization', async () => {
  const users = ['Ada Lovelace', 'Ada  LOVELÀCE', 'Bob'].map((userName) => newUser({ userName }))
  const rootUsers = users.map(({ userName }) => ({
    userName,
    apiKeys: [newApiKey()],
    authenticators: [],
    oauthProviders: [],
  }))
  for (const [name, parameters] of [
    ['create_users', { users }],
    ['create_sub_organization', { subOrganizationName: 'Branch', rootQuorumThreshold: 1, rootUsers }],
  ] as const) {
    const { explanation } = await explaining(organization)(name, parameters)
    const alike = (explanation.title.warnings ?? []).filter(({ code }) => code === 'looksLike')
    expect(alike).toHaveLength(1)
    expect(alike[0]?.values?.map((value) => value.kind === 'text' && value.text).toSorted()).toEqual([
      'Ada  LOVELÀCE',
      'Ada Lovelace',
    ])
  }
  const apart = { users: ['Ada Lovelace', 'Bob'].map((userName) => newUser({ userName })) }
  expect((await explain('create_users', apart)).codes).not.toContain('looksLike')
})

test.for([
  ['Alice', 'ALICE', true],
  ['Alice', 'AIice', true],
  ['Alice', 'A1ice', true],
  ['Alice', 'A|ice', true],
  ['Alice', 'Al\u0131ce', true],
  ['ALICE', '\ua4ee\ua4e1\ua4f2\ua4da\ua4f0', true], // Lisu
  ['carl', '\u13df\u13aa\u13a1\u13de', true], // Cherokee
  ['grace', '\u0261r\u0251ce', true],
  ['Olaf', '0laf', true],
  ['Marnie', 'Mamie', true],
  ['\u0412\u043e\u0432\u0430', '\u0432\u043e\u0432\u0430', true], // Cyrillic, in other capitals
  ['Dora', 'Nora', false],
] as const)('%j and %j look alike: %s', async ([one, other, isAlike]) => {
  const users = [one, other].map((userName) => newUser({ userName }))
  const { explanation } = await explaining(organization)('create_users', { users })
  const codes = (explanation.title.warnings ?? []).map(({ code }) => code)
  expect(codes.includes('looksLike')).toBe(isAlike)
})

const count = 'activity.params.user_ids.count()'
const [ones, twos] = [1, 2].map((rest) => Array.from({ length: 200 }, (_, index) => index * 3 + rest))
/** Only the last number is in both lists. */
const tooLong = `${count} in [${ones},999] && ${count} in [${twos},999]`

test.each([
  ['true', '86401', ['sessionsMayAll', 'sessionsLong']],
  ['true', '86400', ['sessionsMayAll']],
  ["activity.resource == 'POLICY'", '900', ['sessionsMay']],
  ["activity.action == 'EXPORT'", undefined, ['sessionsMay']],
  // A login without the profile ends the scope. Other logins ask for a proof, which a session lacks.
  ["activity.action == 'READ' || activity.kind == 'STAMP_LOGIN'", '900', ['sessionsMay']],
  ["activity.type == 'ACTIVITY_TYPE_STAMP_LOGIN'", '900', ['sessionsMay']],
  ["activity.resource == 'AUTH' && activity.kind != 'CREATE_OAUTH2_CREDENTIAL'", '900', ['sessionsMay']],
  ["activity.kind == 'STAMP_LOGIN' && activity.params.session_profile_id != ''", '900', ['sessionsMay']],
  ["activity.kind in ['OTP_LOGIN', 'OAUTH_LOGIN', 'OAUTH2_AUTHENTICATE']", '900', []],
  [tooLong, '900', ['mayOpen']],
  ["activity.action == 'SIGN'", '86400', []],
  ["activity.action == 'SIGN'", '2592000', ['sessionsLong']],
])(
  'a session profile with the scope %j for %s seconds has the warnings %j',
  async (scope, expirationSeconds, codes) => {
    const parameters = { sessionProfileName: 'App', scope, expirationSeconds }
    expect((await explain('create_session_profile', parameters)).codes).toEqual(codes)
  },
)

test('an MFA policy behind others whose steps are no such ones may never be enforced, and its title names them', async () => {
  const create = async (order: number, type: string) => {
    const requiredAuthenticationMethods = [{ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] }]
    const given = { userId: peter, mfaPolicyName: 'Later', condition: "activity.action == 'EXPORT'", order }
    return explain('create_mfa_policy', { ...given, requiredAuthenticationMethods })
  }
  const { lines } = await create(9, 'PASSKEY')
  const warning = 'where other MFA policies of the user apply, which come first, their steps are due and not these'
  expect(lines[0]).toContain(`${warning}: “Older”`)
  expect(lines[0]).not.toContain('“Strict”')
  const isBehind = async (order: number, type: string) => (await create(order, type)).codes.includes('stepsAfterOthers')
  expect(await isBehind(8, 'SESSION')).toBe(true)
  expect(await isBehind(8, 'PASSKEY')).toBe(false)
  expect(await isBehind(4, 'SESSION')).toBe(false)
})

test('so may one that another order or other steps put behind them', async () => {
  const isBehind = async (mfaPolicyId: string, change: object) =>
    (await explain('update_mfa_policy', { userId: peter, mfaPolicyId, ...change })).codes.includes('stepsAfterOthers')
  expect(await isBehind(strict, { order: 9 })).toBe(true)
  expect(await isBehind(strict, { order: 8 })).toBe(false)
  expect(await isBehind(older, { condition: 'true' })).toBe(true)
  expect(await isBehind(older, { mfaPolicyName: 'Other' })).toBe(false)
  const requiredAuthenticationMethods = [{ any: [{ type: 'AUTHENTICATION_TYPE_SMS_OTP' }] }]
  expect(await isBehind(older, { requiredAuthenticationMethods })).toBe(false)
})
