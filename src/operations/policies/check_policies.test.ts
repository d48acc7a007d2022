import { expect, test } from 'vitest'
import {
  newAuthenticator,
  newMfaPolicy,
  newPolicy,
  newPrivateKey,
  newVelocityControl,
  startOrganization,
} from '../../../test/support/organization.ts'
import { action, resource, signingActivities } from '../../policy/denials/signing_requests.ts'
import { operations } from '../catalogue.ts'

const denial = (condition: string, policyName: string) => newPolicy({ effect: 'EFFECT_DENY', condition, policyName })
const scoped = "activity.params.type == 'TRANSACTION_TYPE_ETHEREUM' && eth.tx.function_name == 'approve'"
const report = {
  requests: 'Ethereum calls that no uploaded interface decodes with that name',
  missingFields: ['eth.tx.function_name'],
  clause: "activity.params.type == 'TRANSACTION_TYPE_ETHEREUM' && eth.tx.data != '0x'",
  alsoDenies: 'calls that an interface decodes',
}

const repeatedId = '00000000-0000-4000-8000-000000000000'
const nothing = { denials: [], mfaPolicies: [], allowances: [], neverEqual: [] }

test('names each denial that cannot see some signing requests, with the clause, until a policy closes it', async () => {
  const { done, found, submit } = await startOrganization()
  await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition: scoped, policyName: 'allows' }))
  await done('create_policy', denial("activity.kind == 'CREATE_USERS'", 'users'))
  expect(await found('check_policies')).toStrictEqual(nothing)
  const { policyId } = await done('create_policy', denial(scoped, 'approvals'))
  const open = { ...nothing, denials: [{ policyId, policyName: 'approvals', unseen: [report] }] }
  expect(await found('check_policies')).toStrictEqual(open)
  const { policyId: second } = await done('create_policy', denial(report.clause, 'calls'))
  expect(await found('check_policies')).toStrictEqual(nothing)
  expect((await submit('delete_policy', { policyId: second })).status).toBe(200)
  expect(await found('check_policies')).toStrictEqual(open)
})

test('names each MFA policy that asks for no step of some signing requests, until another one or a denial does', async () => {
  const { done, found, anotherUser } = await startOrganization()
  const { userId } = await anotherUser('ada')
  const mfaPolicyName = 'approvals'
  const made = { userId, ...newMfaPolicy({ mfaPolicyName, condition: scoped }) }
  const { mfaPolicyId } = await done('create_mfa_policy', made)
  const open = { ...nothing, mfaPolicies: [{ userId, mfaPolicyId, mfaPolicyName, unseen: [report] }] }
  expect(await found('check_policies')).toStrictEqual(open)
  const draft = { effect: 'EFFECT_DENY', condition: report.clause }
  expect(await found('check_policies', { policy: draft })).toStrictEqual(nothing)
  const { userId: bob } = await anotherUser('bob')
  const second = newMfaPolicy({ mfaPolicyName: 'calls', condition: report.clause })
  await done('create_mfa_policy', { userId: bob, ...second })
  expect(await found('check_policies')).toStrictEqual(open)
  await done('create_mfa_policy', { userId, ...second })
  expect(await found('check_policies')).toStrictEqual(nothing)
})

test('names what MFA policies of the root quorum miss beside a denial, which does not bind enough of it', async () => {
  const { done, found, rootUserId: userId } = await startOrganization()
  await done('create_authenticators', { userId, authenticators: [newAuthenticator()] })
  const mfaPolicyName = 'approvals'
  const { mfaPolicyId } = await done('create_mfa_policy', {
    userId,
    ...newMfaPolicy({ mfaPolicyName, condition: scoped }),
  })
  await done('create_policy', denial(report.clause, 'calls'))
  const unseen = { userId, mfaPolicyId, mfaPolicyName, unseen: [report] }
  expect(await found('check_policies')).toStrictEqual({ ...nothing, mfaPolicies: [unseen] })
  await done('create_mfa_policy', { userId, ...newMfaPolicy({ mfaPolicyName: 'calls', condition: report.clause }) })
  expect(await found('check_policies')).toStrictEqual(nothing)
})

test('names each MFA policy that is never enforced, because others with other steps come first', async () => {
  const { done, found, submit, rootUserId: userId } = await startOrganization()
  await done('create_authenticators', { userId, authenticators: [newAuthenticator()] })
  const byKey = [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }]
  const create = (mfaPolicyName: string, given: Parameters<typeof newMfaPolicy>[0]) =>
    done('create_mfa_policy', { userId, ...newMfaPolicy({ mfaPolicyName, ...given }) })
  const light = { condition: "activity.action != 'UPDATE'", requiredAuthenticationMethods: byKey }
  const { mfaPolicyId: first } = await create('light', light)
  const { mfaPolicyId } = await create('heavy', { order: 5 })
  const entry = { userId, mfaPolicyId, mfaPolicyName: 'heavy', unseen: [], behind: [first] }
  expect((await found('check_policies')).mfaPolicies).toEqual([entry])
  const change = (given: object) => submit('update_mfa_policy', { userId, mfaPolicyId: first, ...given })
  for (const condition of [
    'true',
    "activity.resource == 'WALLET'",
    "activity.kind in ['EXPORT_WALLET', 'EXPORT_WALLET_ACCOUNT']",
  ]) {
    expect((await change({ condition })).status).toBe(200)
    expect((await found('check_policies')).mfaPolicies).toEqual([entry])
  }
  for (const condition of ["activity.kind == 'EXPORT_WALLET'", "activity.action != 'EXPORT'", 'wallet.imported']) {
    expect((await change({ condition })).status).toBe(200)
    expect((await found('check_policies')).mfaPolicies.filter(({ behind }: { behind?: object }) => behind)).toEqual([])
  }
  expect((await change({ condition: 'true', order: 6 })).status).toBe(200)
  expect((await found('check_policies')).mfaPolicies).toEqual([])
  const stronger = [{ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }] }, ...byKey]
  expect((await change({ order: 0, requiredAuthenticationMethods: stronger })).status).toBe(200)
  expect((await found('check_policies')).mfaPolicies).toEqual([])
})

test('an MFA policy with other steps does not stand for what one cannot see, and exports are named', async () => {
  const { done, found, rootUserId: userId } = await startOrganization()
  await done('create_authenticators', { userId, authenticators: [newAuthenticator()] })
  const create = (given: Parameters<typeof newMfaPolicy>[0]) =>
    done('create_mfa_policy', { userId, ...newMfaPolicy(given) })
  await create({ mfaPolicyName: 'heavy', condition: 'eth.tx.value > 5' })
  const requestsOf = async () => {
    const { mfaPolicies } = await found('check_policies')
    return mfaPolicies.flatMap(({ unseen }: { unseen: { requests: string }[] }) =>
      unseen.map(({ requests }) => requests),
    )
  }
  const alone = await requestsOf()
  expect(alone).toEqual(
    expect.arrayContaining(['raw payloads', 'exports of wallets', 'exports of accounts', 'exports of private keys']),
  )
  const byKey = [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }]
  await create({ mfaPolicyName: 'light', condition: 'true', order: 5, requiredAuthenticationMethods: byKey })
  expect(await requestsOf()).toEqual(alone)
  await create({ mfaPolicyName: 'exports', condition: "activity.action == 'EXPORT'" })
  const withoutExports = alone.filter((name: string) => !name.startsWith('exports'))
  expect(await requestsOf()).toEqual(withoutExports)
  const signing = { mfaPolicyName: 'signing', condition: "activity.action == 'SIGN'" }
  const { mfaPolicyId } = await create({ ...signing, order: 9 })
  expect(await requestsOf()).toEqual(withoutExports)
  await done('update_mfa_policy', { userId, mfaPolicyId, order: 1 })
  expect(await requestsOf()).toEqual([])
})

test('an MFA policy about one wallet is about its exports too, if its condition sees them', async () => {
  const { done, found, anotherUser } = await startOrganization()
  const { userId } = await anotherUser('ada')
  const { walletId } = await done('create_wallet', { walletName: 'w', accounts: [] })
  const { mfaPolicyId } = await done('create_mfa_policy', {
    userId,
    ...newMfaPolicy({ condition: `wallet.id == '${walletId}' && eth.tx.value > 5` }),
  })
  const exportsIn = async () => {
    const { mfaPolicies } = await found('check_policies')
    const all = mfaPolicies.flatMap(({ unseen }: { unseen: { requests: string; clause: string }[] }) => unseen)
    return all.flatMap(({ requests, clause }: { requests: string; clause: string }) =>
      requests.startsWith('exports') ? [`${requests}: ${clause}`] : [],
    )
  }
  expect(await exportsIn()).toEqual([
    `exports of wallets: activity.kind == 'EXPORT_WALLET' && wallet.id == '${walletId}'`,
    `exports of accounts: activity.kind == 'EXPORT_WALLET_ACCOUNT' && wallet.id == '${walletId}'`,
  ])
  await done('update_mfa_policy', { userId, mfaPolicyId, condition: `wallet.id == '${walletId}'` })
  expect(await exportsIn()).toEqual([])
  await done('update_mfa_policy', { userId, mfaPolicyId, condition: 'eth.tx.value > 5' })
  expect(await exportsIn()).toHaveLength(3)
  const condition = "activity.action == 'EXPORT'"
  await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition, policyName: 'allows' }))
  const unlessTwo = { ...denial(condition, 'unless two approve'), consensus: 'approvers.count() < 2' }
  await done('create_policy', unlessTwo)
  expect(await exportsIn()).toHaveLength(3)
  await done('create_policy', denial(condition, 'exports'))
  expect(await exportsIn()).toEqual([])
})

test('names each policy that allows by velocity controls alone, with the controls', async () => {
  const { done, found } = await startOrganization()
  for (const identifier of ['daily', 'weekly'])
    await done('create_velocity_control', newVelocityControl({ identifier }))
  const bare = '!controls.weekly && (controls.daily || false) && controls.daily'
  const make = (policyName: string, policy: Parameters<typeof newPolicy>[0]) =>
    done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', policyName, ...policy }))
  await make('scoped', { condition: "activity.kind == 'SIGN_TRANSACTION' && controls.daily" })
  await make('denies', { effect: 'EFFECT_DENY', condition: bare })
  await make('always', { condition: 'true' })
  expect(await found('check_policies')).toStrictEqual(nothing)
  const { policyId } = await make('bare', { condition: bare, consensus: 'approvers.count() >= 1' })
  const allowances = [{ policyId, policyName: 'bare', controls: ['weekly', 'daily'] }]
  expect(await found('check_policies')).toStrictEqual({ ...nothing, allowances })
})

test('names the texts of a draft that never match', async () => {
  const { found } = await startOrganization()
  const draft = { effect: 'EFFECT_DENY', condition: "wallet.id == 'hot' && activity.kind == 'SIGN'", consensus: 'true' }
  const place = { of: 'policy', id: '', name: '', expression: 'condition' }
  const { neverEqual } = await found('check_policies', { policy: draft })
  expect(neverEqual).toStrictEqual([
    { ...place, column: 14, reason: "wallet.id is never 'hot'; it holds an id" },
    { ...place, column: 40, reason: "activity.kind is never 'SIGN'; it holds the kind of an activity" },
  ])
})

test('names each denial that is never true, whichever of its expressions makes it so, and no allowance', async () => {
  const { found } = await startOrganization()
  const reason = 'a denial by what is never true denies nothing'
  const checked = async (policy: object) => (await found('check_policies', { policy })).neverEqual
  const never = [
    ['condition', 'wallet.imported && false', 1],
    ['consensus', "approvers.any(u, u.alias == 'Ada') && !approvers.any(u, u.alias == 'Ada')", 1],
    ['time', "CronSpan('0 9 1 1 *', '8h', 'UTC') && CronSpan('0 9 2 2 *', '8h', 'UTC')", 1],
  ] as const
  for (const [expression, text, column] of never) {
    const policy = { [expression]: text }
    const entry = { of: 'policy', id: '', name: '', expression, column, reason }
    expect(await checked({ effect: 'EFFECT_DENY', ...policy })).toStrictEqual([entry])
    expect(await checked({ effect: 'EFFECT_ALLOW', ...policy })).toStrictEqual([])
  }
  const [one, ...others] = await checked({ effect: 'EFFECT_DENY', condition: '1 == 2' })
  expect([one.reason, others]).toEqual(['1 == 2 is never true', []])
})

test('names each MFA policy and each scope that is never true', async () => {
  const { done, found, rootUserId: userId } = await startOrganization()
  await done('create_authenticators', { userId, authenticators: [newAuthenticator()] })
  const condition = 'wallet.imported && false'
  const { mfaPolicyId } = await done('create_mfa_policy', {
    userId,
    ...newMfaPolicy({ mfaPolicyName: 'off', condition }),
  })
  const scope = "activity.action == 'READ' && false"
  const { sessionProfileId } = await done('create_session_profile', { sessionProfileName: 'none', scope })
  expect((await found('check_policies')).neverEqual).toStrictEqual([
    {
      ...{ of: 'mfa_policy', id: mfaPolicyId, name: 'off', expression: 'condition', column: 1 },
      reason: 'an MFA policy by what is never true asks for no step',
    },
    {
      ...{ of: 'session_profile', id: sessionProfileId, name: 'none', expression: 'scope', column: 1 },
      reason: 'a scope that is never true lets the session do nothing',
    },
  ])
})

test('names each public key that is no point of its curve', async () => {
  const { found } = await startOrganization()
  const condition = `wallet.imported && wallet_account.public_key == '02${'0'.repeat(63)}7'`
  const { neverEqual } = await found('check_policies', { policy: { effect: 'EFFECT_DENY', condition } })
  const reason = 'this is no public key: it is no point of its curve'
  expect(neverEqual).toStrictEqual([{ of: 'policy', id: '', name: '', expression: 'condition', column: 49, reason }])
})

test('names each velocity control that is always missing where a rule reads it', async () => {
  const { found, done } = await startOrganization()
  await done('create_velocity_control', newVelocityControl())
  const condition = "eth.tx.value > 5 && controls.daily || activity.kind == 'CREATE_USERS' && controls.daily"
  const { neverEqual } = await found('check_policies', { policy: { effect: 'EFFECT_DENY', condition } })
  const counted = 'SIGN_RAW_PAYLOAD, SIGN_RAW_PAYLOADS, SIGN_TRANSACTION, SPARK_PREPARE_LIGHTNING_RECEIVE'
  const beside = "activity.kind == 'CREATE_USERS'"
  const reason = `controls.daily counts ${counted} only and has no value with ${beside}: leave it out there, or write a rule for each`
  expect(neverEqual).toStrictEqual([{ of: 'policy', id: '', name: '', expression: 'condition', column: 74, reason }])
})

test('names each id of what does not exist, wherever a rule writes it', async () => {
  const { found, done, rootUserId, anotherUser } = await startOrganization()
  const ada = await anotherUser('ada')
  const ids = Array.from({ length: 6 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`)
  const [a, b, c, d] = ids
  const idsOf = async (policy: object) => {
    const { neverEqual } = await found('check_policies', { policy: { effect: 'EFFECT_DENY', ...policy } })
    return neverEqual.flatMap(({ reason }: { reason: string }) => /'(.*)'/.exec(reason)?.[1] ?? [])
  }
  const condition = [
    `activity.params.user_id in ['${a}', '${rootUserId}']`,
    `activity.params.api_key_ids.contains('${b}')`,
    `activity.params.user_id[0..36] == '${c?.toUpperCase()}'`,
    `activity.params.user_id != '${ada.userId}'`,
  ].join(' && ')
  expect(await idsOf({ condition })).toEqual([a, b, c])
  const consensus = `approvers.any(u, u.tags.contains('${d}') || u.id == '${ada.userId}') && credentials.any(k, k.id == '${a}')`
  expect(await idsOf({ consensus })).toEqual([d, a])
  const { userTagId } = await done('create_user_tag', { userTagName: 'ops', userIds: [] })
  expect(await idsOf({ consensus: `approvers.any(u, u.tags.contains('${userTagId}'))` })).toEqual([])
})

test('names each id of a record of another kind than the field has', async () => {
  const { found, done, rootUserId } = await startOrganization()
  const { walletId } = await done('create_wallet', { walletName: 'hot', accounts: [] })
  const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
  const [{ privateKeyId }] = privateKeys
  const { userTagId } = await done('create_user_tag', { userTagName: 'treasury', userIds: [] })
  const { privateKeyTagId } = await done('create_private_key_tag', { privateKeyTagName: 'cold', privateKeyIds: [] })
  const { user } = await found('get_user', { userId: rootUserId })
  const apiKeyId = user.apiKeys[0].apiKeyId
  const expected = [
    ['condition', `wallet.id == '${privateKeyId}'`, 'wallet', 'private key'],
    ['condition', `private_key.id in ['${walletId}', '${privateKeyId}']`, 'private key', 'wallet'],
    ['condition', `private_key.tags.contains('${userTagId}')`, 'private key tag', 'user tag'],
    ['condition', `activity.params.user_ids.contains('${walletId}')`, 'user', 'wallet'],
    ['condition', `activity.params.user_id == '${apiKeyId}'`, 'user', 'API key'],
    ['condition', `activity.params.api_key_ids.contains('${rootUserId}')`, 'API key', 'user'],
    ['condition', `activity.params.session_profile_id == '${userTagId}'`, 'session profile', 'user tag'],
    ['condition', `activity.params.endpoint_id == '${walletId}'`, 'webhook endpoint', 'wallet'],
    ['condition', `activity.params.wallet_id == '${privateKeyId}'`, 'wallet', 'private key'],
    ['consensus', `approvers.any(u, u.tags.contains('${privateKeyTagId}'))`, 'user tag', 'private key tag'],
    ['consensus', `approvers.any(u, u.tags.contains('${rootUserId}'))`, 'user tag', 'user'],
    ['consensus', `credentials.any(c, c.id == '${rootUserId}')`, 'API key or passkey', 'user'],
    ['consensus', `credentials.any(c, c.user_id == '${apiKeyId}')`, 'user', 'API key'],
  ] as const
  const reasons = await Promise.all(
    expected.map(async ([kind, text]) => {
      const { neverEqual } = await found('check_policies', { policy: { effect: 'EFFECT_DENY', [kind]: text } })
      return neverEqual.map(({ reason }: { reason: string }) => reason.replace(/ '.*'/, ''))
    }),
  )
  expect(reasons).toEqual(
    expected.map(([, , of, other]) => [
      `this organization has no ${of} with the id: it is that of another kind (${other})`,
    ]),
  )
  const right = [
    `private_key.id == '${privateKeyId}' && private_key.tags.contains('${privateKeyTagId}')`,
    `wallet.id == '${walletId}'`,
    `wallets.any(w, w.id == '${walletId}')`,
    `activity.params.api_key_ids.contains('${apiKeyId}') && activity.params.user_id == '${rootUserId}'`,
    `[wallet.id].contains('${walletId}')`,
  ]
  for (const condition of right) {
    expect((await found('check_policies', { policy: { effect: 'EFFECT_DENY', condition } })).neverEqual).toEqual([])
  }
  const consensus = `credentials.any(c, c.id == '${apiKeyId}' && c.user_id == '${rootUserId}')`
  expect((await found('check_policies', { policy: { effect: 'EFFECT_DENY', consensus } })).neverEqual).toEqual([])
})

test('only those who may read the organization may ask', async () => {
  const { query, subOrganization } = await startOrganization()
  const { apiKey, organizationId } = await subOrganization()
  expect((await query('check_policies', {}, { apiKey })).status).toBe(401)
  expect((await query('check_policies', {}, { apiKey, organizationId })).status).toBe(200)
})

test('checks a draft beside the policies that are kept, before it is saved', async () => {
  const { done, found, query } = await startOrganization()
  const draft = { effect: 'EFFECT_DENY', condition: scoped }
  const open = { ...nothing, denials: [{ policyId: '', policyName: '', unseen: [report] }] }
  expect(await found('check_policies', { policy: draft })).toStrictEqual(open)
  const { policyId } = await done('create_policy', denial(report.clause, 'calls'))
  expect(await found('check_policies', { policy: draft })).toStrictEqual(nothing)
  expect(await found('check_policies', { policy: draft, withoutPolicyIds: [policyId] })).toStrictEqual(open)
  expect(await found('check_policies')).toStrictEqual(nothing)
  expect(await query('check_policies', { policy: { ...draft, condition: 'x' } })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('policy.condition') },
  })
})

test('takes nothing but a draft and the policies that it leaves out', async () => {
  const { query } = await startOrganization()
  expect((await query('check_policies', { policyId: 'x' })).status).toBe(400)
  expect((await query('check_policies', { withoutPolicyIds: [repeatedId] })).status).toBe(404)
})

test('every activity that signs with a key is in the table', () => {
  const types = operations.flatMap((operation) => {
    const { policy, types } = operation.kind === 'activity' ? operation : { policy: '', types: [] }
    const isSigning = typeof policy === 'object' && policy.resource === resource && policy.action === action
    return isSigning ? types.map(({ type }) => type) : []
  })
  expect(types.toSorted()).toEqual(signingActivities.toSorted())
})
