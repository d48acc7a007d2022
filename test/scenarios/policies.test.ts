import { encodeFunctionData, erc20Abi, serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { rewriteActivity } from '../support/later_version.ts'
import {
  expectRefused,
  newAccount,
  newApiKey,
  newMfaPolicy,
  newPrivateKey,
  type Parameters,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'
import type { ApiKeyPair } from '../support/stamping.ts'

/** Decisions by an organization's own policies. */

type Member = { readonly userId: string; readonly apiKey: ApiKeyPair }
type Started = TestOrganization & { readonly ada: Member; readonly bob: Member; readonly eve: Member }

/** Starts an organization with one root user, and three users outside the quorum. */
async function start(): Promise<Started> {
  const organization = await startOrganization()
  const { anotherUser } = organization
  return {
    ...organization,
    ada: await anotherUser('ada'),
    bob: await anotherUser('bob'),
    eve: await anotherUser('eve'),
  }
}

let policies = 0
async function allow({ done }: Started, expressions: Parameters): Promise<string> {
  const effect = 'EFFECT_ALLOW'
  return (await done('create_policy', { policyName: `policy ${++policies}`, effect, notes: '', ...expressions }))
    .policyId
}

async function deny({ done }: Started, expressions: Parameters): Promise<string> {
  const effect = 'EFFECT_DENY'
  return (await done('create_policy', { policyName: `policy ${++policies}`, effect, notes: '', ...expressions }))
    .policyId
}

const approvedBy = ({ userId }: Member) => `approvers.any(user, user.id == '${userId}')`
const creatingWallets = "activity.resource == 'WALLET' && activity.action == 'CREATE'"
const wallet = (walletName: string) => ({ walletName, accounts: [] })

describe('one user', () => {
  test('may do what a policy allows, and nothing else; another may not', async () => {
    const organization = await start()
    const { submit, ada, bob } = organization
    expectRefused(await submit('create_wallet', wallet('a'), { apiKey: ada.apiKey }), 403, 'No policies evaluated')
    const policyId = await allow(organization, { consensus: approvedBy(ada), condition: creatingWallets })
    expect((await submit('create_wallet', wallet('b'), { apiKey: ada.apiKey })).body.activity.status).toBe(
      'ACTIVITY_STATUS_COMPLETED',
    )
    expectRefused(await submit('create_private_keys', { privateKeys: [newPrivateKey()] }, { apiKey: ada.apiKey }), 403)

    // Only Ada's approval would allow Bob's request, so it waits for her.
    const { body } = await submit('create_wallet', wallet('c'), { apiKey: bob.apiKey })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    await organization.done('delete_policy', { policyId })
    const refused = await submit('create_wallet', wallet('d'), { apiKey: ada.apiKey })
    expectRefused(refused, 403)
    expect(refused.body.details.at(-1).policyEvaluations).toEqual([])
  })

  test('a denial says which policy, and of each which clause decided', async () => {
    const organization = await start()
    const { submit, ada } = organization
    const allowed = await allow(organization, { consensus: approvedBy(ada), condition: creatingWallets })
    const other = await allow(organization, { condition: "activity.kind == 'DELETE_USERS'" })
    const denied = await deny(organization, { condition: creatingWallets })
    const refused = await submit('create_wallet', wallet('a'), { apiKey: ada.apiKey })
    expectRefused(refused, 403, `The following policies denied this action: ${denied}`)
    const creating = "condition: `activity.resource == 'WALLET' && activity.action == 'CREATE'` is true"
    expect(refused.body.details.at(-1).policyEvaluations).toEqual([
      { policyId: allowed, outcome: 'OUTCOME_ALLOW', explanation: expect.stringContaining(creating) },
      {
        policyId: other,
        outcome: 'OUTCOME_DENY_IMPLICIT',
        explanation: "condition: `activity.kind == 'DELETE_USERS'` is false, `activity.kind` is 'CREATE_WALLET'",
      },
      { policyId: denied, outcome: 'OUTCOME_DENY_EXPLICIT', explanation: expect.stringContaining(creating) },
    ])
    // The root quorum is above all policies.
    expect((await submit('create_wallet', wallet('a'))).status).toBe(200)
  })

  test('a policy is asked about the key that signs, in any spelling of it', async () => {
    const organization = await start()
    const { submit, done, found, ada } = organization
    const made = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
    const cold = await done('create_wallet', { walletName: 'cold', accounts: [newAccount()] })
    const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
    const { privateKeyId } = privateKeys[0]
    await allow(organization, { consensus: approvedBy(ada), condition: `wallet.id == '${made.walletId}'` })
    await allow(organization, { consensus: approvedBy(ada), condition: `private_key.id == '${privateKeyId}'` })
    const sign = (signWith: string) => submit('sign_raw_payload', payload(signWith), { apiKey: ada.apiKey })
    expect((await sign(made.addresses[0])).status).toBe(200)
    expect((await sign(made.addresses[0].toLowerCase())).status).toBe(200)
    expect((await sign(privateKeyId.toUpperCase())).status).toBe(200)
    expectRefused(await sign(cold.addresses[0]), 403)
    expect((await found('list_wallets')).wallets).toHaveLength(2)
  })

  test('parameters are compared in one spelling: a denial cannot be got around by capitals', async () => {
    const organization = await start()
    const { submit, ada, bob, eve } = organization
    await allow(organization, { consensus: approvedBy(ada), condition: "activity.kind == 'DELETE_USERS'" })
    await deny(organization, { condition: `'${bob.userId}' in activity.params.user_ids` })
    const remove = (userId: string) => submit('delete_users', { userIds: [userId] }, { apiKey: ada.apiKey })
    expectRefused(await remove(bob.userId), 403, 'denied this action')
    expectRefused(await remove(bob.userId.toUpperCase()), 403, 'denied this action')
    expect((await remove(eve.userId)).status).toBe(200)
  })

  test('a policy looks into the transaction that is signed, and into typed data', async () => {
    const organization = await start()
    const { submit, done, ada } = organization
    const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
    const friend = '0x1f9090aaE28b8a3dCeaDf281B0F12828e676c326'
    const condition = `eth.tx.to == '${friend}' && eth.tx.value <= 1000000000000000000`
    await allow(organization, { consensus: approvedBy(ada), condition })
    await allow(organization, { consensus: approvedBy(ada), condition: "eth.eip_712.domain.name == 'Ether Mail'" })
    const signTransaction = (to: `0x${string}`, value: bigint) => {
      const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, to, value })
      const parameters = { signWith: addresses[0], unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
      return submit('sign_transaction', parameters, { apiKey: ada.apiKey })
    }
    expect((await signTransaction(friend, 10n ** 18n)).status).toBe(200)
    expectRefused(await signTransaction(friend, 10n ** 18n + 1n), 403)
    expectRefused(await signTransaction('0x000000000000000000000000000000000000dEaD', 1n), 403)

    const signTypedData = (name: string) => {
      const types = { EIP712Domain: [{ name: 'name', type: 'string' }], Mail: [{ name: 'text', type: 'string' }] }
      const typedData = { types, primaryType: 'Mail', domain: { name }, message: { text: 'hello' } }
      const given = { encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' }
      const parameters = { signWith: addresses[0], payload: JSON.stringify(typedData), ...given }
      return submit('sign_raw_payload', parameters, { apiKey: ada.apiKey })
    }
    expect((await signTypedData('Ether Mail')).status).toBe(200)
    expectRefused(await signTypedData('Another'), 403)
    // Neither policy holds for a raw payload, which has no form.
    expectRefused(await submit('sign_raw_payload', payload(addresses[0]), { apiKey: ada.apiKey }), 403)
  })

  test('policies see the payload of a list of one, and no payload of a longer list', async () => {
    const organization = await start()
    const { submit, done, ada } = organization
    const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
    await allow(organization, { consensus: approvedBy(ada), condition: "activity.action == 'SIGN'" })
    const permit = await deny(organization, { condition: "eth.eip_712.primary_type == 'Permit'" })
    const code = await deny(organization, { condition: 'eth.eip_7702_authorization.nonce == 7' })
    const types = { EIP712Domain: [], Permit: [{ name: 'text', type: 'string' }] }
    const typedData = JSON.stringify({ types, primaryType: 'Permit', domain: {}, message: { text: 'hello' } })
    const authorization = JSON.stringify({ address: `0x${'1'.repeat(40)}`, chainId: 1, nonce: 7 })
    const sign = (encoding: string, ...payloads: string[]) => {
      const parameters = { signWith: addresses[0], payloads, encoding, hashFunction: 'HASH_FUNCTION_NO_OP' }
      return submit('sign_raw_payloads', parameters, { apiKey: ada.apiKey })
    }
    expectRefused(await sign('PAYLOAD_ENCODING_EIP712', typedData), 403, `denied this action: ${permit}`)
    expectRefused(
      await sign('PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', authorization),
      403,
      `denied this action: ${code}`,
    )
    expect((await sign('PAYLOAD_ENCODING_EIP712', typedData, typedData)).status).toBe(200)
    await deny(organization, { condition: "activity.kind == 'SIGN_RAW_PAYLOADS'" })
    expectRefused(await sign('PAYLOAD_ENCODING_EIP712', typedData, typedData), 403, 'denied this action')
  })

  test('a policy reads a call by the interface of its contract', async () => {
    const organization = await start()
    const { submit, done, ada } = organization
    const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
    const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
    await done('create_smart_contract_interface', {
      smartContractAddress: token,
      smartContractInterface: JSON.stringify(erc20Abi),
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      label: 'Token',
    })
    const condition = "eth.tx.function_name == 'transfer' && eth.tx.contract_call_args['amount'] <= 1000"
    await allow(organization, { consensus: approvedBy(ada), condition })
    const call = (to: `0x${string}`, amount: bigint, functionName: 'transfer' | 'approve' = 'transfer') => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName, args: [token, amount] })
      const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, to, data })
      const parameters = { signWith: addresses[0], unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
      return submit('sign_transaction', parameters, { apiKey: ada.apiKey })
    }
    expect((await call(token, 1000n)).status).toBe(200)
    expectRefused(await call(token, 1001n), 403)
    expectRefused(await call(token, 1000n, 'approve'), 403)
    expectRefused(await call('0x000000000000000000000000000000000000dEaD', 1000n), 403)
  })

  test('activities that only the root quorum may do cannot be granted', async () => {
    const organization = await start()
    const { submit, ada, rootUserId } = organization
    await allow(organization, { consensus: 'true', condition: 'true' })
    const { apiKey } = ada
    expect((await submit('create_wallet', wallet('any'), { apiKey })).status).toBe(200)
    expectRefused(await submit('update_organization_name', { organizationName: 'Ada’s' }, { apiKey }), 403)
    const quorum = { threshold: 1, userIds: [rootUserId, ada.userId] }
    expectRefused(await submit('update_root_quorum', quorum, { apiKey }), 403)
  })

  test('one’s own credentials are one’s own, unless a policy denies', async () => {
    const organization = await start()
    const { submit, ada } = organization
    const key = () => ({ userId: ada.userId, apiKeys: [newApiKey()] })
    expect((await submit('create_api_keys', key(), { apiKey: ada.apiKey })).status).toBe(200)
    await deny(organization, { consensus: approvedBy(ada), condition: "activity.kind == 'CREATE_API_KEYS'" })
    expectRefused(await submit('create_api_keys', key(), { apiKey: ada.apiKey }), 403, 'denied this action')
  })

  test('a policy has its time', async () => {
    const organization = await start()
    const { submit, ada } = organization
    const past = "time.now < Timestamp('2001-01-01T00:00:00Z')"
    const policyId = await allow(organization, { condition: creatingWallets, time: past })
    const refused = await submit('create_wallet', wallet('a'), { apiKey: ada.apiKey })
    expectRefused(refused, 403)
    const explanation = expect.stringContaining(`time: \`${past}\` is false, \`time.now\` is 2026-01-01T00:00`)
    expect(refused.body.details.at(-1).policyEvaluations).toEqual([
      { policyId, outcome: 'OUTCOME_TIME_INACTIVE', explanation },
    ])
    await organization.done('update_policy', { policyId, time: "time.now > Timestamp('2001-01-01T00:00:00Z')" })
    expect((await submit('create_wallet', wallet('a'), { apiKey: ada.apiKey })).status).toBe(200)
  })
})

describe('several users', () => {
  async function startConsensus(consensus = 'approvers.count() >= 2'): Promise<Started & { policyId: string }> {
    const organization = await start()
    const policyId = await allow(organization, { consensus, condition: creatingWallets })
    return { ...organization, policyId }
  }

  async function asked({ submit, ada }: Started, walletName = 'shared') {
    const { status, body } = await submit('create_wallet', wallet(walletName), { apiKey: ada.apiKey })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.activity
  }

  test('a request of one user waits, and runs when another approves; both evaluations are kept', async () => {
    const organization = await startConsensus()
    const { submit, found, ada, bob, eve, policyId } = organization
    const { id, fingerprint, status, canApprove } = await asked(organization)
    expect([status, canApprove]).toEqual(['ACTIVITY_STATUS_CONSENSUS_NEEDED', false])
    const seen = async ({ apiKey }: Member) => (await found('get_activity', { activityId: id }, { apiKey })).activity
    expect(await seen(bob)).toMatchObject({ canApprove: true, canReject: true })
    expect(await seen(ada)).toMatchObject({ canApprove: false, canReject: true })

    const { body } = await submit('approve_activity', { fingerprint }, { apiKey: bob.apiKey })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(await seen(eve)).toMatchObject({ canApprove: false, canReject: false })
    const { policyEvaluations } = await found('get_policy_evaluations', { activityId: id })
    const outcomes = policyEvaluations.map((one: Parameters) => one.policyEvaluations)
    expect(outcomes).toEqual([
      [{ policyId, outcome: 'OUTCOME_REQUIRES_CONSENSUS' }],
      [{ policyId, outcome: 'OUTCOME_ALLOW' }],
    ])
  })

  test('the outcomes of all policies are kept, in the order in which the policies were made', async () => {
    const organization = await startConsensus('approvers.count() >= 1')
    const { submit, found, ada, policyId } = organization
    const made = [['OUTCOME_ALLOW', policyId]]
    for (const [condition, outcome] of [
      ["eth.tx.to == '0x'", 'OUTCOME_ERROR'],
      ["activity.kind == 'CREATE_USERS'", 'OUTCOME_DENY_IMPLICIT'],
      ['solana.tx.transfers.count() == 1', 'OUTCOME_ERROR'],
      [creatingWallets, 'OUTCOME_ALLOW'],
    ] as const) {
      made.push([outcome, await allow(organization, { consensus: 'approvers.count() >= 1', condition })])
    }
    const { body } = await submit('create_wallet', wallet('of one'), { apiKey: ada.apiKey })
    const { policyEvaluations } = await found('get_policy_evaluations', { activityId: body.activity.id })
    expect(policyEvaluations).toMatchObject([
      { policyEvaluations: made.map(([outcome, id]) => ({ policyId: id, outcome })) },
    ])
  })

  test('the same bytes from another user are an approval', async () => {
    const organization = await startConsensus()
    const { server, clock, organizationId, ada, bob } = organization
    const type = 'ACTIVITY_TYPE_CREATE_WALLET'
    const request = { type, timestampMs: String(clock.nowMs), organizationId, parameters: wallet('same') }
    const send = (apiKey: ApiKeyPair) => server.post('/public/v1/submit/create_wallet', JSON.stringify(request), apiKey)
    expect((await send(ada.apiKey)).body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    expect((await send(ada.apiKey)).body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    expect((await send(bob.apiKey)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('two last votes that race run the activity once', async () => {
    const organization = await startConsensus()
    const { submit, found, bob, eve } = organization
    const { fingerprint } = await asked(organization)
    const vote = ({ apiKey }: Member) => submit('approve_activity', { fingerprint }, { apiKey })
    const votes = await Promise.all([bob, eve].map(vote))
    const walletIds = votes.map(({ body }) => body.activity.result.createWalletResult.walletId)
    expect(new Set(walletIds).size).toBe(1)
    expect((await found('list_wallets')).wallets).toHaveLength(1)
  })

  test('a user whom no policy names has no vote, neither for nor against', async () => {
    const organization = await start()
    const { submit, ada, bob, eve } = organization
    await allow(organization, { consensus: `${approvedBy(ada)} && ${approvedBy(bob)}`, condition: creatingWallets })
    const { fingerprint } = await asked(organization)
    for (const vote of ['approve_activity', 'reject_activity']) {
      expectRefused(await submit(vote, { fingerprint }, { apiKey: eve.apiKey }), 403, 'not one of its voters')
    }
    const { body } = await submit('reject_activity', { fingerprint }, { apiKey: bob.apiKey })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_REJECTED')
  })

  test('a tag names everybody who has it', async () => {
    const organization = await start()
    const { submit, done, ada, bob, eve } = organization
    const { userTagId } = await done('create_user_tag', { userTagName: 'treasurer', userIds: [bob.userId] })
    const consensus = `approvers.filter(user, user.tags.contains('${userTagId}')).count() >= 1 && approvers.count() >= 2`
    await allow(organization, { consensus, condition: creatingWallets })
    const { fingerprint } = await asked(organization)
    const vote = async ({ apiKey }: Member) =>
      (await submit('approve_activity', { fingerprint }, { apiKey })).body.activity.status
    expect(await vote(eve)).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    expect(await vote(ada)).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    expect(await vote(bob)).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('where no approval counts any more nothing is allowed, also by a consensus that is true of nobody', async () => {
    const organization = await start()
    const { submit, done, found, clock, rootUserId, ada, bob } = organization
    const { userTagId } = await done('create_user_tag', { userTagName: 'treasurer', userIds: [bob.userId] })
    const consensus = `approvers.all(user, user.tags.contains('${userTagId}'))`
    await allow(organization, { consensus, condition: creatingWallets })
    const step = (type: string) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] })
    const requiredAuthenticationMethods = [step('API_KEY'), step('PASSKEY')]
    const mfaPolicy = newMfaPolicy({ condition: creatingWallets, requiredAuthenticationMethods })
    await done('create_mfa_policy', { userId: ada.userId, ...mfaPolicy })
    await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, ada.userId] })

    const { fingerprint } = (await submit('create_wallet', wallet('of nobody'))).body.activity
    clock.nowMs += 24 * 60 * 60 * 1000
    // The submission has lapsed, and this is one of two steps.
    const { body } = await submit('approve_activity', { fingerprint }, { apiKey: ada.apiKey })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    expect((await found('list_wallets')).wallets).toEqual([])
  })

  test('a request that no approval could ever allow is refused at once', async () => {
    const organization = await startConsensus('approvers.count() >= 100')
    const { submit, ada } = organization
    expectRefused(await submit('create_wallet', wallet('a'), { apiKey: ada.apiKey }), 403)
  })

  test('the rules of the last vote count: a policy that was deleted, or denies by now, keeps it waiting', async () => {
    const organization = await startConsensus()
    const { submit, done, bob, eve, policyId } = organization
    const first = await asked(organization, 'first')
    const second = await asked(organization, 'second')
    const vote = ({ apiKey }: Member, { fingerprint }: Parameters) =>
      submit('approve_activity', { fingerprint }, { apiKey })
    const denied = await deny(organization, { condition: creatingWallets })
    expectRefused(await vote(bob, first), 403, 'no policy waits for your approval now')
    await done('delete_policy', { policyId: denied })
    expect((await vote(bob, first)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    await done('delete_policy', { policyId })
    expectRefused(await vote(eve, second), 403, 'no policy waits for your approval now')
    // The root quorum may do everything.
    const { body } = await submit('approve_activity', { fingerprint: second.fingerprint })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })
})

test('a waiting activity that cannot be read any more can be rejected, and fails when it is approved', async () => {
  const organization = await start()
  const { server, organizationId, rootUserId, submit, done, ada, bob } = organization
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, ada.userId] })
  const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, value: 1n })
  const waiting = async () => {
    const parameters = { signWith: addresses[0], unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
    const { activity } = (await submit('sign_transaction', parameters)).body
    // As if an earlier version of the server had accepted parameters that this version does not.
    const place = { organizationId, activityId: activity.id }
    await rewriteActivity(server, place, ({ votes, ...rest }) => {
      const unread = (message: string) => message.replace(unsignedTransaction, '0x05')
      return { ...rest, votes: votes.map((vote) => ({ ...vote, message: unread(vote.message) })) }
    })
    return { fingerprint: activity.fingerprint }
  }
  const policy = { policyName: 'large', effect: 'EFFECT_DENY', notes: '', condition: 'eth.tx.value > 5' }
  const { fingerprint } = (await submit('create_policy', policy)).body.activity
  await submit('approve_activity', { fingerprint }, { apiKey: ada.apiKey })

  const rejected = await submit('reject_activity', await waiting(), { apiKey: ada.apiKey })
  expect(rejected.body.activity?.status, rejected.body.message).toBe('ACTIVITY_STATUS_REJECTED')
  const unread = await waiting()
  expectRefused(await submit('approve_activity', unread, { apiKey: bob.apiKey }), 403, 'not one of its voters')
  const approved = await submit('approve_activity', unread, { apiKey: ada.apiKey })
  expect(approved.body.activity?.status, approved.body.message).toBe('ACTIVITY_STATUS_FAILED')
  expect(approved.body.activity.failure.message).toContain('this transaction type is not supported')
})

test('nobody is asked to vote on payloads that cannot be signed', async () => {
  const { submit, done, found, rootUserId, ada } = await start()
  const path = "m/44'/501'/0'/0'"
  const solana = { ...newAccount(), curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA', path }
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount(), solana] })
  const [ethereum] = addresses
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, ada.userId] })
  const hex = { signWith: ethereum, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' }
  const typed = { ...hex, encoding: 'PAYLOAD_ENCODING_EIP712' }
  const empty = JSON.stringify({ types: { EIP712Domain: [] }, primaryType: 'EIP712Domain', domain: {}, message: {} })
  const digest = '00'.repeat(32)
  for (const [given, bad, text] of [
    [hex, 'x', 'must be an even number of hex digits'],
    [hex, '00', 'must be a digest of 32 bytes'],
    [{ ...hex, signWith: addresses[1] }, digest, 'invalid hash function'],
    [typed, '{}', 'types must be an object'],
    [{ ...typed, signWith: addresses[1] }, empty, 'invalid payload encoding'],
    [{ ...typed, hashFunction: 'HASH_FUNCTION_SHA256' }, empty, 'invalid hash function'],
    [{ ...typed, encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION' }, '{}', 'address must be'],
  ] as const) {
    expectRefused(await submit('sign_raw_payload', { ...given, payload: bad }), 400, text)
    expectRefused(await submit('sign_raw_payloads', { ...given, payloads: [bad] }), 400, text)
    expectRefused(await submit('sign_raw_payloads', { ...given, payloads: [bad, bad] }), 400, text)
  }
  const asked = await submit('sign_raw_payloads', { ...hex, payloads: [digest, digest] })
  expect(asked.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const { activities } = await found('list_activities', {})
  expect(activities.filter(({ type }: { type: string }) => type.includes('SIGN_RAW'))).toHaveLength(1)
})

test('policies that take too many steps together allow only the root quorum, which mends them', async () => {
  const organization = await start()
  const { submit, done, rootUserId, ada, bob } = organization
  const digits = `[${Array.from({ length: 210 }, (_, index) => index % 10).join(', ')}]`
  const heavy = { effect: 'EFFECT_DENY', condition: `${digits}.any(x, !${digits}.contains(x))`, notes: '' }
  const heavyPolicies = Array.from({ length: 12 }, (_, index) => ({ policyName: `heavy ${index}`, ...heavy }))
  await allow(organization, { consensus: approvedBy(ada), condition: creatingWallets })
  const askedBy = (member: Member, name: string) => submit('create_wallet', wallet(name), { apiKey: member.apiKey })
  const waiting = (await askedBy(bob, 'waits for Ada')).body.activity
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, bob.userId] })
  const approve = (fingerprint: string, { apiKey }: Pick<Member, 'apiKey'>) =>
    submit('approve_activity', { fingerprint }, { apiKey })
  const asked = await submit('create_policies', { policies: heavyPolicies })
  const { result } = (await approve(asked.body.activity.fingerprint, bob)).body.activity
  const { policyIds } = result.createPoliciesResult

  const reason = 'the policies of this organization take more than 1000000 steps together for this request'
  expectRefused(await askedBy(ada, 'a'), 403, reason)
  // This holds for a user's own credentials too, because one of the policies might deny it.
  const own = { userId: ada.userId, apiKeys: [newApiKey()] }
  expectRefused(await submit('create_api_keys', own, { apiKey: ada.apiKey }), 403, reason)
  expectRefused(await approve(waiting.fingerprint, ada), 403, 'no policy waits for your approval now')

  const mended = await submit('delete_policies', { policyIds })
  expect(mended.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  expect((await approve(mended.body.activity.fingerprint, bob)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await askedBy(ada, 'a')).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await approve(waiting.fingerprint, ada)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('a policy of the parent lets its user log in users of sub-organizations', async () => {
  const organization = await start()
  const { submit, subOrganization, ada } = organization
  const sub = await subOrganization()
  const email = { userId: sub.rootUserId, userEmail: 'user@example.org' }
  expect(
    (await submit('update_user_email', email, { organizationId: sub.organizationId, apiKey: sub.apiKey })).status,
  ).toBe(200)
  const passcode = { otpType: 'OTP_TYPE_EMAIL', contact: 'user@example.org', appName: 'Test' }
  const asAda = { organizationId: sub.organizationId, apiKey: ada.apiKey }
  expectRefused(await submit('init_otp', passcode, asAda), 403)
  await allow(organization, { consensus: approvedBy(ada), condition: "activity.resource == 'OTP'" })
  expect((await submit('init_otp', passcode, asAda)).status).toBe(200)
})

test('an organization of another has no say', async () => {
  const organization = await start()
  const other = await start()
  await allow(other, { condition: 'true' })
  expectRefused(await organization.submit('create_wallet', wallet('a'), { apiKey: organization.ada.apiKey }), 403)
})

function payload(signWith: string): Parameters {
  const encoding = 'PAYLOAD_ENCODING_HEXADECIMAL'
  return { signWith, payload: 'ab'.repeat(32), encoding, hashFunction: 'HASH_FUNCTION_NO_OP' }
}

test('a key that is no passkey has the empty `credential_id`, so a denial of all but one passkey sees it', async () => {
  const started = await start()
  const { ada, submit } = started
  await allow(started, { condition: creatingWallets })
  const ask = () => submit('create_wallet', wallet('hot'), ada)
  await deny(started, { consensus: "!credentials.all(used, used.credential_id == '')" })
  expect((await ask()).status).toBe(200)
  await deny(started, { consensus: "!credentials.any(used, used.credential_id == 'cGFzc2tleQ')" })
  expectRefused(await submit('create_wallet', wallet('cold'), ada), 403, 'denied this action')
})
