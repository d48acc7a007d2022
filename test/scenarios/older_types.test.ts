import { describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { expectRefused, newAccount, newApiKey, newPolicy, newPrivateKey } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { generateApiKey } from '../support/stamping.ts'

/**
 * Requests of older types, written by hand from the interface and from no code of ours. Each is answered under its own
 * keys and in its own form, and has the effect of the newest type.
 */
type OlderType = {
  readonly operation: string
  readonly intentKey: string
  readonly resultKey: string
  readonly parameters: () => object
  readonly result: unknown
  /** The same request of the newest type. */
  readonly newest: () => object
  /** Reads the record that the request made. */
  readonly made: (result: Result) => Promise<unknown>
}

type Result = ReturnType<typeof JSON.parse>

const organization = await startOrganizationWithIssuer({ limits: { longLivedApiKeysPerUserMax: 100 } })
const { submit, done, found, rootUserId, idToken } = organization
const { privateKeys } = await done('create_private_keys', {
  privateKeys: [newPrivateKey({ privateKeyName: 'signer' })],
})
const [{ privateKeyId }] = privateKeys
// This policy does not affect the other requests.
const { policyId } = await done('create_policy', newPolicy({ condition: 'wallet.imported' }))

const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
const hex = (digits: number) => expect.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`))
const address = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)

const p256Key = () => ({ apiKeyName: 'key', publicKey: generateApiKey().publicKey, expirationSeconds: '900' })
const apiKey = () => ({ ...p256Key(), curveType: 'API_KEY_CURVE_P256' })
const email = { userEmail: 'ada@example.com' }
const phone = { userPhoneNumber: '+14155550123' }
const user = { userName: 'Ada', authenticators: [] }
const wallet = () => ({ walletName: 'wallet', accounts: [newAccount()], mnemonicLength: 12 })
const flags = { disableEmailRecovery: true, disableEmailAuth: true }
const allFlags = { ...flags, disableSmsAuth: true, disableOtpEmailAuth: true }
const named = { subOrganizationName: 'sub', rootQuorumThreshold: 1 }
const absentIds = ['01234567-89ab-7cde-8f01-23456789abc1', '01234567-89ab-7cde-8f01-23456789abc2'] as const
let keyCount = 0
const privateKey = () => newPrivateKey({ privateKeyName: `key ${++keyCount}` })
const provider = () => ({ providerName: 'Issuer', oidcToken: idToken({ sub: `subject ${++keyCount}` }) })
const payload = {
  payload: 'text',
  encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
  hashFunction: 'HASH_FUNCTION_SHA256',
}
/** Legacy: nonce 3, gas price 1, gas 21,000, to 0x…aa, value 5, no data. */
const transaction = {
  unsignedTransaction: 'dc03018252089400000000000000000000000000000000000000aa0580',
  type: 'TRANSACTION_TYPE_ETHEREUM',
}

const users = {
  operation: 'create_users',
  resultKey: 'createUsersResult',
  result: { userIds: [id] },
  made: async ({ userIds: [userId] }: Result) => found('get_user', { userId }),
}
const policy = {
  operation: 'create_policy',
  resultKey: 'createPolicyResult',
  result: { policyId: id },
  made: async ({ policyId: madeId }: Result) => found('get_policy', { policyId: madeId }),
}
const subOrganization = {
  operation: 'create_sub_organization',
  made: async ({ subOrganizationId }: Result) => found('get_organization', { organizationId: subOrganizationId }),
}
const withWallet = { subOrganizationId: id, wallet: { walletId: id, addresses: [address] }, rootUserIds: [id] }
const firstRootUser = () => ({ ...user, ...email, apiKeys: [p256Key()] })
const rootUser = (given: object = {}) => ({ ...user, ...email, apiKeys: [apiKey()], oauthProviders: [], ...given })
const rootUserWithProvider = (contacts: object = {}) => rootUser({ ...contacts, oauthProviders: [provider()] })

const olderTypes: Readonly<Record<string, OlderType>> = {
  ACTIVITY_TYPE_CREATE_USERS: {
    ...users,
    intentKey: 'createUsersIntent',
    parameters: () => ({
      users: [{ ...user, ...email, accessType: 'ACCESS_TYPE_ALL', apiKeys: [p256Key()], userTags: [] }],
    }),
    newest: () => ({ users: [{ ...user, ...email, apiKeys: [apiKey()], oauthProviders: [], userTags: [] }] }),
  },
  ACTIVITY_TYPE_CREATE_USERS_V2: {
    ...users,
    intentKey: 'createUsersIntentV2',
    parameters: () => ({ users: [{ ...user, ...email, apiKeys: [p256Key()], userTags: [] }] }),
    newest: () => ({ users: [{ ...user, ...email, apiKeys: [apiKey()], oauthProviders: [], userTags: [] }] }),
  },
  ACTIVITY_TYPE_CREATE_USERS_V3: {
    ...users,
    intentKey: 'createUsersIntentV3',
    parameters: () => ({
      users: [{ ...user, ...email, ...phone, apiKeys: [apiKey()], oauthProviders: [provider()], userTags: [] }],
    }),
    newest: () => ({
      users: [{ ...user, ...email, ...phone, apiKeys: [apiKey()], oauthProviders: [provider()], userTags: [] }],
    }),
  },
  ACTIVITY_TYPE_CREATE_API_KEYS: {
    operation: 'create_api_keys',
    intentKey: 'createApiKeysIntent',
    resultKey: 'createApiKeysResult',
    parameters: () => ({ userId: rootUserId, apiKeys: [p256Key()] }),
    newest: () => ({ userId: rootUserId, apiKeys: [apiKey()] }),
    result: { apiKeyIds: [id] },
    made: async ({ apiKeyIds: [apiKeyId] }) => found('get_api_key', { apiKeyId }),
  },
  ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS: {
    operation: 'create_oauth_providers',
    intentKey: 'createOauthProvidersIntent',
    resultKey: 'createOauthProvidersResult',
    parameters: () => ({ userId: rootUserId, oauthProviders: [provider()] }),
    newest: () => ({ userId: rootUserId, oauthProviders: [provider()] }),
    result: { providerIds: [id] },
    made: async ({ providerIds: [providerId] }) => {
      const { oauthProviders } = await found('get_oauth_providers', { userId: rootUserId })
      return oauthProviders.find((made: { providerId: string }) => made.providerId === providerId)
    },
  },
  ACTIVITY_TYPE_CREATE_PRIVATE_KEYS: {
    operation: 'create_private_keys',
    intentKey: 'createPrivateKeysIntent',
    resultKey: 'createPrivateKeysResult',
    parameters: () => ({ privateKeys: [privateKey(), privateKey()] }),
    newest: () => ({ privateKeys: [privateKey(), privateKey()] }),
    result: { privateKeyIds: [id, id] },
    made: async ({ privateKeyIds, privateKeys }) =>
      found('get_private_key', { privateKeyId: privateKeyIds?.[1] ?? privateKeys[1].privateKeyId }),
  },
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: {
    operation: 'sign_raw_payload',
    intentKey: 'signRawPayloadIntent',
    resultKey: 'signRawPayloadResult',
    parameters: () => ({ privateKeyId, ...payload }),
    newest: () => ({ signWith: privateKeyId, ...payload }),
    result: { r: hex(64), s: hex(64), v: hex(2) },
    made: async (signature) => signature,
  },
  ACTIVITY_TYPE_SIGN_TRANSACTION: {
    operation: 'sign_transaction',
    intentKey: 'signTransactionIntent',
    resultKey: 'signTransactionResult',
    parameters: () => ({ privateKeyId, ...transaction }),
    newest: () => ({ signWith: privateKeyId, ...transaction }),
    result: { signedTransaction: expect.stringMatching(/^f8[0-9a-f]+$/) },
    made: async (signed) => signed,
  },
  ACTIVITY_TYPE_CREATE_POLICY: {
    ...policy,
    intentKey: 'createPolicyIntent',
    parameters: () => ({
      policyName: `key ${++keyCount}`,
      effect: 'EFFECT_ALLOW',
      selectors: [{ subject: 'activity.action', operator: 'OPERATOR_EQUAL', target: 'SIGN' }],
      notes: 'a note',
    }),
    newest: () => ({
      policyName: `key ${++keyCount}`,
      effect: 'EFFECT_ALLOW',
      condition: "activity.action == 'SIGN'",
      notes: 'a note',
    }),
  },
  ACTIVITY_TYPE_CREATE_POLICY_V2: {
    ...policy,
    intentKey: 'createPolicyIntentV2',
    parameters: () => ({
      policyName: `key ${++keyCount}`,
      effect: 'EFFECT_DENY',
      selectors: [
        { subject: 'user.tags', operator: 'OPERATOR_CONTAINS_ALL', targets: absentIds },
        { subject: 'activity.action', operator: 'OPERATOR_IN', targets: ['SIGN', 'EXPORT'] },
      ],
    }),
    newest: () => ({
      policyName: `key ${++keyCount}`,
      effect: 'EFFECT_DENY',
      consensus: `approvers.any(user, user.tags.contains('${absentIds[0]}') && user.tags.contains('${absentIds[1]}'))`,
      condition: "activity.action in ['SIGN', 'EXPORT']",
      notes: '',
    }),
  },
  ACTIVITY_TYPE_UPDATE_POLICY: {
    operation: 'update_policy',
    intentKey: 'updatePolicyIntent',
    resultKey: 'updatePolicyResult',
    parameters: () => ({
      policyId,
      policyEffect: 'EFFECT_DENY',
      policyCondition: '!wallet.imported',
      policyNotes: 'changed',
    }),
    newest: () => ({
      policyId,
      policyEffect: 'EFFECT_DENY',
      policyCondition: '!wallet.imported',
      policyNotes: 'changed',
    }),
    result: { policyId: id },
    made: policy.made,
  },
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: {
    ...subOrganization,
    intentKey: 'createSubOrganizationIntentV2',
    resultKey: 'createSubOrganizationResult',
    parameters: () => ({ ...named, rootUsers: [firstRootUser()] }),
    newest: () => ({ ...named, rootUsers: [rootUser()] }),
    result: { subOrganizationId: id, rootUserIds: [id] },
  },
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: {
    ...subOrganization,
    intentKey: 'createSubOrganizationIntentV3',
    resultKey: 'createSubOrganizationResultV3',
    parameters: () => ({ ...named, rootUsers: [firstRootUser()], privateKeys: [] }),
    newest: () => ({ ...named, rootUsers: [rootUser()] }),
    result: { subOrganizationId: id, privateKeys: [], rootUserIds: [id] },
  },
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4: {
    ...subOrganization,
    intentKey: 'createSubOrganizationIntentV4',
    resultKey: 'createSubOrganizationResultV4',
    parameters: () => ({ ...named, rootUsers: [firstRootUser()], wallet: wallet(), ...flags }),
    newest: () => ({ ...named, rootUsers: [rootUser()], wallet: wallet(), ...flags }),
    result: withWallet,
  },
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5: {
    ...subOrganization,
    intentKey: 'createSubOrganizationIntentV5',
    resultKey: 'createSubOrganizationResultV5',
    parameters: () => ({
      ...named,
      rootUsers: [{ ...firstRootUser(), oauthProviders: [provider()] }],
      wallet: wallet(),
      ...flags,
    }),
    newest: () => ({ ...named, rootUsers: [rootUserWithProvider()], wallet: wallet(), ...flags }),
    result: withWallet,
  },
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6: {
    ...subOrganization,
    intentKey: 'createSubOrganizationIntentV6',
    resultKey: 'createSubOrganizationResultV6',
    parameters: () => ({ ...named, rootUsers: [rootUserWithProvider()], wallet: wallet(), ...flags }),
    newest: () => ({ ...named, rootUsers: [rootUserWithProvider()], wallet: wallet(), ...flags }),
    result: withWallet,
  },
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7: {
    ...subOrganization,
    intentKey: 'createSubOrganizationIntentV7',
    resultKey: 'createSubOrganizationResultV7',
    parameters: () => ({
      ...named,
      rootUsers: [rootUserWithProvider(phone)],
      wallet: wallet(),
      ...allFlags,
    }),
    newest: () => ({ ...named, rootUsers: [rootUserWithProvider(phone)], wallet: wallet(), ...allFlags }),
    result: withWallet,
  },
}

describe('an activity of type', () => {
  for (const [type, older] of Object.entries(olderTypes)) {
    test(`${type} is answered in its own form and has the effect of the newest`, async () => {
      const parameters = older.parameters()
      const { status, body } = await submit(older.operation, { ...parameters }, { type })
      expect([status, body]).toMatchObject([200, { activity: { type, status: 'ACTIVITY_STATUS_COMPLETED' } }])
      const { intent, result } = body.activity
      expect(intent).toStrictEqual({ [older.intentKey]: parameters })
      expect(result).toStrictEqual({ [older.resultKey]: older.result })

      const newest = await done(older.operation, { ...older.newest() })
      const [madeByOlder, madeByNewest] = [await older.made(result[older.resultKey]), await older.made(newest)]
      expect(withoutIdentity(madeByOlder)).toEqual(withoutIdentity(madeByNewest))
    })
  }
})

/** Types that are tested beside their operations, because their parameters can be used only once. */
const testedElsewhere: readonly string[] = [
  'ACTIVITY_TYPE_CREATE_AUTHENTICATORS',
  'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION',
  'ACTIVITY_TYPE_INIT_OTP',
  'ACTIVITY_TYPE_INIT_OTP_V2',
  'ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY',
  'ACTIVITY_TYPE_VERIFY_OTP',
  'ACTIVITY_TYPE_OTP_LOGIN',
]

test('every older type that is taken is tested', () => {
  const taken = operations.flatMap((operation) => (operation.kind === 'activity' ? operation.types.slice(1) : []))
  expect(taken.map(({ type }) => type).sort()).toEqual([...Object.keys(olderTypes), ...testedElsewhere].sort())
})

test('an activity of an older type that waited for a vote is answered in its own form when it is run', async () => {
  const another = await organization.anotherUser('second')
  const userIds = [rootUserId, another.userId]
  await done('update_root_quorum', { threshold: 2, userIds })
  const parameters = { privateKeys: [privateKey()] }
  const { body } = await submit('create_private_keys', parameters, { type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS' })
  expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const { fingerprint } = body.activity
  const approved = await submit('approve_activity', { fingerprint }, { apiKey: another.apiKey })
  expect(approved.body.activity).toMatchObject({
    status: 'ACTIVITY_STATUS_COMPLETED',
    intent: { createPrivateKeysIntent: parameters },
    result: { createPrivateKeysResult: { privateKeyIds: [id] } },
  })
  const back = (await submit('update_root_quorum', { threshold: 1, userIds })).body.activity.fingerprint
  await submit('approve_activity', { fingerprint: back }, { apiKey: another.apiKey })
})

describe('a field of an older type that the newest does not have is refused by its name:', () => {
  test('private keys of a sub-organization', async () => {
    const parameters = { ...named, rootUsers: [firstRootUser()], privateKeys: [privateKey()] }
    const type = 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3'
    const answer = await submit('create_sub_organization', parameters, { type })
    expectRefused(answer, 400, 'parameters.privateKeys', 'create_private_keys')
  })

  test('an access type that does not fit the credentials', async () => {
    const given = { ...user, apiKeys: [p256Key()], userTags: [] }
    const parameters = { users: [{ ...given, accessType: 'ACCESS_TYPE_WEB' }] }
    const type = 'ACTIVITY_TYPE_CREATE_USERS'
    expectRefused(await submit('create_users', parameters, { type }), 400, 'parameters.users[0].accessType')
  })

  test('the claims of a provider, where each had a token', async () => {
    const oidcClaims = { iss: 'https://issuer.example', sub: 'ada', aud: 'client' }
    const parameters = { userId: rootUserId, oauthProviders: [provider(), { providerName: 'Another', oidcClaims }] }
    const answer = await submit('create_oauth_providers', parameters, { type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS' })
    expectRefused(answer, 400, 'parameters.oauthProviders[1].oidcClaims', 'there is no such field')
  })

  test('a curve, where there was one only', async () => {
    const parameters = { userId: rootUserId, apiKeys: [newApiKey()] }
    const answer = await submit('create_api_keys', parameters, { type: 'ACTIVITY_TYPE_CREATE_API_KEYS' })
    expectRefused(answer, 400, 'parameters.apiKeys[0].curveType', 'there is no such field')
  })
})

/** Replaces ids, keys, addresses, names and times, which differ between the two requests. */
function withoutIdentity(value: unknown): unknown {
  return JSON.stringify(value)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'id')
    .replace(/"0[23][0-9a-f]{64}"/g, '"key"')
    .replace(/0x[0-9a-fA-F]{40}/g, 'address')
    .replace(/"(key|subject) \d+"/g, '"name"')
    .replace(/"(seconds|nanos)":"\d+"/g, '"time"')
}
