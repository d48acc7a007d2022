import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, erc20Abi, parseEther, serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { encodeForget } from '../../src/vault/books/entries.ts'
import { countGroupOf } from '../../src/vault/state/decision_counts.ts'
import { askVault } from '../support/ask_vault.ts'
import { type Hand, type Place, withDatabase } from '../support/database.ts'
import { startInProcess } from '../support/in_process.ts'
import { lyingStoreOn } from '../support/lying_store.ts'
import {
  type Ask,
  expectRefused,
  newAccount,
  newMfaPolicy,
  newPolicy,
  newPrivateKey,
  newVelocityControl,
  organizationOf,
  type Parameters,
  repeated,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'

/** Limits in the interface's own form: counters that conditions name `controls.<identifier>`. */

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const count = 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT'
const endless = { window: { infinite: {} } }
const signs = "activity.kind == 'SIGN_TRANSACTION'"
const etherOf = (given: object) => ({
  chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals: '18' }], ...given },
})

/** Starts an organization with a user who may sign as long as the control `daily` holds. */
async function start(control: Parameters = {}, condition = `${signs} && controls.daily`) {
  const organization = await startOrganization()
  const { done, anotherUser } = organization
  const [ada, bob] = [await anotherUser('ada'), await anotherUser('bob')]
  const { addresses, walletId } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
  const { velocityControlId } = await done('create_velocity_control', newVelocityControl(control as never))
  const { policyId } = await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition }))
  const signWith: string = addresses[0]
  return {
    ...organization,
    ...{ ada, bob, walletId, velocityControlId, policyId, signWith, spend: spenderOf(organization, signWith) },
  }
}

let nonce = 0
function transactionOf(ether: string, fields: object = {}) {
  nonce += 1
  const value = parseEther(ether)
  return serializeTransaction({
    type: 'eip1559',
    chainId: 1,
    nonce,
    value,
    to: `0x${'11'.repeat(20)}`,
    ...fields,
  } as const)
}

function spenderOf({ submit }: TestOrganization, signWith: string) {
  return (ether: string, ask: Ask = {}, fields: object = {}) => {
    const unsignedTransaction = transactionOf(ether, fields)
    const parameters = { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
    return submit('sign_transaction', parameters, ask)
  }
}

describe('a control that counts transfers', () => {
  test('holds up to its threshold, with the request, and again once the time is over', async () => {
    const { spend, ada, clock } = await start()
    expect((await spend('0.6', ada)).status).toBe(200)
    expectRefused(await spend('0.400000000000000001', ada), 403)
    // The refused amount was not counted.
    expect((await spend('0.4', ada)).status).toBe(200)
    expectRefused(await spend('0.000000000000000001', ada), 403)
    expect((await spend('0', ada)).status).toBe(200)
    expect((await spend('5', ada, { chainId: 10 })).status).toBe(200)
    clock.nowMs += 23 * hourMs
    expectRefused(await spend('0.1', ada), 403)
    clock.nowMs += hourMs
    expect((await spend('1', ada)).status).toBe(200)
  })

  test('lets as many requests at once as there is room for', async () => {
    const { spend, ada } = await start()
    const answers = await Promise.all(repeated(8, () => spend('0.3', ada)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer, 403)
  })

  test('counts the same request once, by any user, under any rule and of any older type', async () => {
    const { spend, server, organizationId, clock, signWith, ada, bob } = await start()
    expect((await spend('0.2')).status).toBe(200)
    expect((await spend('0.2', { ...bob, type: 'ACTIVITY_TYPE_SIGN_TRANSACTION' })).status).toBe(200)
    const body = {
      type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
      timestampMs: String(clock.nowMs),
      organizationId,
      parameters: { signWith, unsignedTransaction: transactionOf('0.3'), type: 'TRANSACTION_TYPE_ETHEREUM' },
    }
    const send = () => server.post('/public/v1/submit/sign_transaction', body, ada.apiKey)
    const answers = [...(await Promise.all([send(), send()])), await send()]
    expect(new Set(answers.map(({ body: { activity } }) => activity.id)).size).toBe(1)
    expectRefused(await spend('0.31', ada), 403)
    expect((await spend('0.3', ada)).status).toBe(200)
  })

  test('counts tokens by the decoded call, and takes an approval as any amount', async () => {
    const definition = [{ caip19: `eip155:1/erc20:${token}`, decimals: '6' }]
    const { spend, ada } = await start({ dataSource: { chainAssetTransfer: { definition } } })
    const call = (functionName: 'transfer' | 'approve', amount: bigint) => ({
      to: token,
      data: encodeFunctionData({ abi: erc20Abi, functionName, args: [`0x${'22'.repeat(20)}`, amount] }),
    })
    expect((await spend('0', ada, call('transfer', 600_000n))).status).toBe(200)
    expectRefused(await spend('0', ada, call('transfer', 400_001n)), 403)
    expectRefused(await spend('0', ada, call('approve', 1n)), 403)
    expect((await spend('0', ada, call('transfer', 400_000n))).status).toBe(200)
  })

  test('takes what cannot be read as any amount, unless its filter leaves that out', async () => {
    const payload = (signWith: string) => ({
      signWith,
      payload: 'ab'.repeat(32),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    })
    const denial = newPolicy({ policyName: 'limit', condition: '!controls.daily' })
    const unfiltered = await start({}, "activity.action == 'SIGN'")
    await unfiltered.done('create_policy', denial)
    const refusal = await unfiltered.submit('sign_raw_payload', payload(unfiltered.signWith), unfiltered.ada)
    expectRefused(refusal, 403, 'denied this action')

    // One type of an operation stands for all of its types.
    const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_SIGN_TRANSACTION' }] }
    const filtered = await start({ dataSource: etherOf({ filter }) }, "activity.action == 'SIGN'")
    await filtered.done('create_policy', denial)
    expect((await filtered.submit('sign_raw_payload', payload(filtered.signWith), filtered.ada)).status).toBe(200)
    for (const type of ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2']) {
      expectRefused(await filtered.spend('1.1', { ...filtered.ada, type }), 403, 'denied this action')
    }
  })

  test('counts the transactions of several in one sum, also those that another key signs', async () => {
    const { spend, done, ada, submit } = await start()
    const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
    expect((await spend('0.6', ada)).status).toBe(200)
    const other = spenderOf({ submit } as TestOrganization, privateKeys[0].privateKeyId)
    expectRefused(await other('0.5', ada), 403)
    expect((await other('0.4', ada)).status).toBe(200)
  })
})

test('each user, or each wallet, can have a sum of its own', async () => {
  const byUser = await start({ aggregation: { groupBy: { user: {} } } })
  expect((await byUser.spend('1', byUser.ada)).status).toBe(200)
  expectRefused(await byUser.spend('0.1', byUser.ada), 403)
  expect((await byUser.spend('1', byUser.bob)).status).toBe(200)

  const { done, spend, ada, walletId, submit } = await start({ aggregation: { groupBy: { wallet: {} } } })
  const account = newAccount({ path: "m/44'/60'/0'/0/1" })
  const { addresses: same } = await done('create_wallet_accounts', { walletId, accounts: [account] })
  const { addresses: others } = await done('create_wallet', { walletName: 'other', accounts: [account] })
  const spendWith = (signWith: string) => spenderOf({ submit } as TestOrganization, signWith)('1', ada)
  expect((await spend('1', ada)).status).toBe(200)
  expectRefused(await spendWith(same[0]), 403)
  expect((await spendWith(others[0])).status).toBe(200)
})

test('a count of executed activities has those that were executed, and no denied ones', async () => {
  const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_USER_TAG' }] }
  const control = { dataSource: { activityExecution: { filter } }, aggregation: { method: count, threshold: '2' } }
  const { submit, ada, spend } = await start(control, 'controls.daily')
  const create = (userTagName: string) => submit('create_user_tag', { userTagName, userIds: [] }, ada)
  expect((await create('one')).status).toBe(200)
  expectRefused(await create('one'), 400, 'parameters.userTagName')
  expectRefused(await spend('0.1', ada), 403)
  expect((await create('two')).status).toBe(200)
  expectRefused(await create('three'), 403)
})

describe('payloads that one activity signs', () => {
  const signing = "activity.action == 'SIGN' && controls.daily"
  const counting = (unit: string | undefined) => ({
    dataSource: { activityExecution: unit === undefined ? {} : { unit } },
    aggregation: { method: count, threshold: '5', groupBy: { user: {} } },
  })
  const signer = async (unit?: string) => {
    const organization = await start(counting(unit), signing)
    const { submit, ada, signWith } = organization
    let made = 0
    const given = { signWith, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' }
    return {
      ...organization,
      one: () => submit('sign_raw_payload', { ...given, payload: `one ${++made}` }, ada),
      many(signatures: number) {
        const payloads = repeated(signatures, (index) => `${index} of ${++made}`)
        return submit('sign_raw_payloads', { ...given, payloads }, ada)
      },
    }
  }

  test('count as one in a control of activities', async () => {
    for (const unit of [undefined, 'VELOCITY_CONTROL_UNIT_ACTIVITY']) {
      const { one, many } = await signer(unit)
      expect((await many(100)).status).toBe(200)
      for (const _ of repeated(4, () => 0)) expect((await one()).status).toBe(200)
      expectRefused(await many(2), 403)
    }
  })

  test('count each in a control of signatures', async () => {
    const { one, many, spend, ada, found } = await signer('VELOCITY_CONTROL_UNIT_SIGNATURE')
    const refused = await many(6)
    expectRefused(refused, 403)
    const said =
      'the count of the submitter is 0 signatures, this request adds 6 signatures, the comparison is <= 5 signatures'
    expect(JSON.stringify(refused.body.details)).toContain(said)
    expect((await many(3)).status).toBe(200)
    expect((await one()).status).toBe(200)
    expectRefused(await many(2), 403, '')
    expect((await spend('1', ada)).status).toBe(200)
    expectRefused(await one(), 403)
    const [shown] = (await found('list_velocity_controls')).velocityControls
    expect(shown.dataSource).toStrictEqual({ activityExecution: { unit: 'VELOCITY_CONTROL_UNIT_SIGNATURE' } })
  })

  test('are missing where nothing is signed', async () => {
    const { submit, done, ada, policyId } = await signer('VELOCITY_CONTROL_UNIT_SIGNATURE')
    await done('update_policy', { policyId, policyCondition: 'controls.daily' })
    expectRefused(await submit('create_wallet', { walletName: 'new', accounts: [] }, ada), 403)
  })
})

test('an approval that comes when there is no room signs nothing', async () => {
  const { spend, submit, done, ada, bob, policyId } = await start()
  await done('update_policy', { policyId, policyConsensus: 'approvers.count() >= 2' })
  const waiting = [await spend('0.6', ada), await spend('0.6', ada)].map(({ body }) => body.activity)
  const approve = (index: number) => submit('approve_activity', { fingerprint: waiting[index].fingerprint }, bob)
  const answers = await Promise.all([approve(0), approve(1)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
})

test('an activity counts once, also if the service has two votes run it at once', async () => {
  const { spend, ada, bob, anotherUser, done, policyId, server, clock, organizationId } = await start({
    aggregation: endless,
  })
  const carol = await anotherUser('carol')
  await done('update_policy', { policyId, policyConsensus: 'approvers.count() >= 2' })
  const { fingerprint } = (await spend('0.6', ada)).body.activity
  const { post } = lyingStoreOn(server)
  const type = 'ACTIVITY_TYPE_APPROVE_ACTIVITY'
  const answers = await Promise.all(
    [bob, carol].map(({ apiKey }, index) => {
      const timestampMs = String(clock.nowMs + index)
      const body = JSON.stringify({ type, timestampMs, organizationId, parameters: { fingerprint } })
      return post('/public/v1/submit/approve_activity', body, apiKey)
    }),
  )
  for (const { body } of answers) expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  await done('update_policy', { policyId, policyConsensus: 'true' })
  expectRefused(await spend('0.41', ada), 403)
  expect((await spend('0.4', ada)).status).toBe(200)
})

test('a control without end counts for ever, and begins at zero once it is deleted and made again', async () => {
  const { spend, ada, clock, done, policyId, velocityControlId } = await start({ aggregation: endless })
  for (const _ of repeated(9, () => undefined)) {
    expect((await spend('0.1', ada)).status).toBe(200)
    clock.nowMs += 50 * dayMs
  }
  const refusal = await spend('0.2', ada)
  expectRefused(refusal, 403)
  expect(JSON.stringify(refusal.body.details)).toContain('; the window has no end, so there will be no room for it')
  const without = { policyId, policyCondition: signs }
  await done('update_policy', without)
  await done('delete_velocity_control', { velocityControlId })
  await done('create_velocity_control', newVelocityControl({ aggregation: endless }))
  await done('update_policy', { policyId, policyCondition: 'controls.daily' })
  expect((await spend('1', ada)).status).toBe(200)
  expectRefused(await spend('0.1', ada), 403)
})

test('a control that counts its own deletion leaves nothing behind', async () => {
  const { server, organizationId, submit, done } = await startOrganization()
  const control = { dataSource: { activityExecution: {} }, aggregation: { method: count, ...endless } }
  const { velocityControlId } = await done('create_velocity_control', newVelocityControl(control))
  await done('create_user_tag', { userTagName: 'counted', userIds: [] })
  const place: Place = { table: 'records', where: { organization_id: organizationId, kind: 'velocity_bucket' } }
  expect(withDatabase(server.folder, (hand) => hand.read(place))).toHaveLength(1)
  expect((await submit('delete_velocity_control', { velocityControlId })).status).toBe(200)
  expect(withDatabase(server.folder, (hand) => hand.read(place))).toEqual([])
  const group = countGroupOf(organizationId, { kind: 'velocity_control', recordId: velocityControlId })
  const directory = join(server.folder, 'mark')
  const segments = readdirSync(directory).filter((file) => statSync(join(directory, file)).isFile())
  const isForgotten = segments.some((file) => readFileSync(join(directory, file)).includes(encodeForget(group)))
  expect(isForgotten).toBe(true)
})

test.each([
  ['rolling', {}],
  ['endless', endless],
])('whoever has the database cannot make room in a %s control, also after a restart', async (_name, aggregation) => {
  const { server, organizationId, rootUserId, rootKey, spend, signWith, ada, clock } = await start({ aggregation })
  await spend('0.6', ada)
  const place: Place = { table: 'records', where: { organization_id: organizationId, kind: 'velocity_bucket' } }
  const before = withDatabase(server.folder, (hand) => hand.one(place))
  expect((await spend('0.4', ada)).status).toBe(200)
  const putBack = [
    (hand: Hand) => hand.update(place, { version: before.version ?? null, sealed: before.sealed ?? null }),
    (hand: Hand) => hand.remove(place),
  ]
  for (const tamper of putBack) {
    withDatabase(server.folder, tamper)
    expectRefused(await spend('0.1', ada), 403)
    const restarted = await startInProcess({ folder: server.folder, nowMs: () => clock.nowMs })
    const again = organizationOf({ server: restarted, clock }, { organizationId, rootUserId, apiKey: rootKey })
    expectRefused(await spenderOf(again, signWith)('0.1', ada), 403)
    await restarted.close()
  }
})

test('a refusal and a simulation show the sum, what is reserved, the comparison, and when there is room', async () => {
  const { server, organizationId, clock, query, spend, signWith, ada } = await start()
  expect((await spend('0.5', ada)).status).toBe(200)
  const parametersOf = (amount: string) => ({
    signWith,
    unsignedTransaction: transactionOf(amount),
    type: 'TRANSACTION_TYPE_ETHEREUM',
  })
  const type = 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'
  // The vault decides, and its answer never reaches the database.
  clock.nowMs += 12 * hourMs
  const body = JSON.stringify({
    type,
    timestampMs: String(clock.nowMs),
    organizationId,
    parameters: parametersOf('0.25'),
  })
  const path = '/public/v1/submit/sign_transaction'
  expect((await askVault(server, { path, body }, { stampedBy: ada.apiKey })).answer.kind).toBe('commit')

  const explanationOf = async (amount: string) => {
    const asked = { activity: { type, parameters: parametersOf(amount), userId: ada.userId } }
    const { simulations } = (await query('simulate', asked)).body
    return simulations[0].policies[0].explanation
  }
  const ether = 'eip155:1/slip44:60'
  const seen = `the sum of the organization is 0.75 ${ether}, of which 0.25 ${ether} is reserved for requests without an outcome`
  expect(await explanationOf('0.25')).toContain(
    `\`controls.daily\` is true (${seen}, this request adds 0.25 ${ether}, the comparison is <= 1 ${ether})`,
  )
  const room = new Date(clock.nowMs + 12 * hourMs + 1).toISOString().slice(0, 16)
  expect(await explanationOf('0.6')).toContain(
    `is false (${seen}, this request adds 0.6 ${ether}, the comparison is <= 1 ${ether}; there is room for it from ${room}`,
  )
  expect(await explanationOf('1.5')).toContain(
    `this request adds 1.5 ${ether}, the comparison is <= 1 ${ether}; this request alone adds too much`,
  )
  const refusal = await spend('0.6', ada)
  expectRefused(refusal, 403)
  expect(JSON.stringify(refusal.body.details)).toContain(
    `this request adds 0.6 ${ether}, the comparison is <= 1 ${ether}; there is room for it from`,
  )
})

test('a sub-organization does not decide what a control of the parent says', async () => {
  const { done, submit, anotherUser, subOrganization } = await startOrganization()
  const control = newVelocityControl({
    dataSource: { activityExecution: {} },
    aggregation: { method: count, threshold: '1000' },
  })
  const ada = await anotherUser('ada')
  const { organizationId, apiKey } = await subOrganization()
  await done('create_velocity_control', control)
  await done('create_velocity_control', control, { organizationId, apiKey })
  const condition = "activity.kind == 'INIT_OTP' && controls.daily"
  const { policyId } = await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition }))
  const passcode = { otpType: 'OTP_TYPE_EMAIL', contact: 'ada@example.com', appName: 'App' }
  const start = () => submit('init_otp', passcode, { organizationId, apiKey: ada.apiKey })
  expectRefused(await start(), 403, 'No policies evaluated to outcome: Allow')
  await done('update_policy', { policyId, policyCondition: "activity.kind == 'INIT_OTP'" })
  expect((await start()).status).toBe(200)
  const denial = "activity.kind == 'INIT_OTP' && !controls.daily"
  await done('create_policy', newPolicy({ policyName: 'limit', condition: denial }))
  expectRefused(await start(), 403, 'denied this action')
})

test('a simulation of the past counts what it reads', async () => {
  const { done, query, spend, policyId } = await start()
  await done('update_policy', { policyId, policyCondition: signs })
  for (const ether of ['0.6', '0.6', '0.4']) expect((await spend(ether)).status).toBe(200)
  const policy = { effect: 'EFFECT_ALLOW', condition: 'controls.daily' }
  const asked = { past: { filterByType: ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] }, policy, withoutPolicyIds: [policyId] }
  const { simulations } = (await query('simulate', asked)).body
  const outcomes = simulations.map(({ policies }: { policies: { outcome: string }[] }) => policies.at(-1)?.outcome)
  expect(outcomes).toEqual(['OUTCOME_DENY_IMPLICIT', 'OUTCOME_DENY_IMPLICIT', 'OUTCOME_ALLOW'])
})

test.each([
  ['create_mfa_policy', (userId: string) => newMfaPolicy({ userId, condition: 'controls.daily' }), 'condition'],
  ['create_session_profile', () => ({ sessionProfileName: 'p', scope: 'controls.daily' }), 'scope'],
])('%s has none: it is refused', async (operation, parametersOf, field) => {
  const { submit, ada } = await start()
  const text = 'velocity controls are for policies'
  expectRefused(await submit(operation, parametersOf(ada.userId)), 400, `parameters.${field}`, text)
})
