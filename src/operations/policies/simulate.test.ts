import { serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { openDatabaseDigest } from '../../../test/support/database_digest.ts'
import { heavyCondition } from '../../../test/support/expensive_requests.ts'
import {
  type Answer,
  absentId,
  expectRefused,
  newAccount,
  newApiKey,
  newMfaPolicy,
  newPolicy,
  newUser,
  type Parameters,
  startOrganization,
} from '../../../test/support/organization.ts'

const effect = 'EFFECT_ALLOW'
const signing = 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'

async function start() {
  const organization = await startOrganization()
  const { done, anotherUser, query, submit } = organization
  const [ada, bob] = [await anotherUser('ada'), await anotherUser('bob')]
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
  const parametersOf = (value: number): Parameters => {
    const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, value: BigInt(value) })
    return { signWith: addresses[0], unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
  }
  const activityOf = (value: number, given: Parameters = {}) => ({
    activity: { type: signing, parameters: parametersOf(value), userId: ada.userId, ...given },
  })
  const simulated = async (parameters: Parameters) => {
    const { status, body } = await query('simulate', parameters)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const only = async (parameters: Parameters) => {
    const { simulations } = await simulated(parameters)
    expect(simulations).toHaveLength(1)
    return simulations[0]
  }
  const sign = (value: number, ask = {}) => submit('sign_transaction', parametersOf(value), ask)
  const byAda = `approvers.any(user, user.id == '${ada.userId}')`
  return { ...organization, ada, bob, byAda, activityOf, parametersOf, simulated, only, sign }
}

describe('a hypothetical request', () => {
  test('is decided like a real one, with each clause and its value, and changes nothing', async () => {
    const { server, done, ada, byAda, activityOf, only, sign } = await start()
    const condition = 'eth.tx.value <= 100'
    const { policyId } = await done('create_policy', newPolicy({ effect, consensus: byAda, condition }))
    const digest = openDatabaseDigest(server)
    const before = digest.read()
    expect(await only(activityOf(101))).toStrictEqual({
      type: signing,
      decision: 'DENY',
      reason: 'No policies evaluated to outcome: Allow',
      voterIds: [],
      policies: [
        {
          policyId,
          outcome: 'OUTCOME_DENY_IMPLICIT',
          explanation: 'condition: `eth.tx.value <= 100` is false, `eth.tx.value` is 101',
          expressions: [
            {
              kind: 'condition',
              text: condition,
              result: 'false',
              clauses: [
                { column: 1, text: 'eth', value: expect.stringContaining('value: 101') },
                { column: 1, text: 'eth.tx', value: expect.stringContaining('value: 101') },
                { column: 1, text: 'eth.tx.value', value: '101' },
                { column: 1, text: condition, value: 'false' },
              ],
            },
            { kind: 'consensus', text: byAda, result: 'true', clauses: expect.any(Array) },
          ],
        },
      ],
    })
    const allowed = await only(activityOf(100))
    expect(allowed).toMatchObject({ decision: 'ALLOW', reason: `allowed by these policies: ${policyId}` })
    expect(digest.read()).toBe(before)
    // The real request is decided as simulated.
    expectRefused(await sign(101, ada), 403)
    expect((await sign(100, ada)).status).toBe(200)
  })

  test('is decided for the caller, for a user who needs approvals, and with those approvals', async () => {
    const { done, bob, activityOf, only, rootUserId } = await start()
    await done('create_policy', newPolicy({ effect, consensus: 'approvers.count() >= 2' }))
    expect(await only(activityOf(1, { userId: rootUserId }))).toMatchObject({
      decision: 'ALLOW',
      reason: 'the root quorum approves',
      policies: [{ outcome: 'OUTCOME_REQUIRES_CONSENSUS' }],
    })
    const waiting = await only(activityOf(1))
    expect(waiting).toMatchObject({ decision: 'CONSENSUS', voterIds: expect.arrayContaining([bob.userId]) })
    expect(await only(activityOf(1, { approverIds: [bob.userId] }))).toMatchObject({ decision: 'ALLOW' })
  })

  test('counts no approval of a user who could not give one, and names the user', async () => {
    const { done, activityOf, query, only, clock } = await start()
    await done('create_policy', newPolicy({ effect, consensus: 'approvers.count() >= 2' }))
    const userOf = async (given: Parameters) => (await done('create_users', { users: [newUser(given)] })).userIds[0]
    const approved = (userId: string) => activityOf(1, { approverIds: [userId] })
    const apiKeys = [newApiKey({ expirationSeconds: '60' })]
    const byContact = await userOf({ userName: 'contact', userEmail: 'cy@example.org' })
    const [without, expiring] = [await userOf({ userName: 'without' }), await userOf({ userName: 'expiring', apiKeys })]
    for (const able of [byContact, expiring]) {
      expect(await only(approved(able))).toMatchObject({ decision: 'ALLOW' })
    }
    clock.nowMs += 61_000
    for (const unable of [without, expiring]) {
      expectRefused(await query('simulate', approved(unable)), 400, 'activity.approverIds[0]', 'way to log in')
    }
    const both = activityOf(1, { approverIds: [byContact, without] })
    expectRefused(await query('simulate', both), 400, 'activity.approverIds[1]')
  })

  test('names the MFA policy whose steps its user would have to take', async () => {
    const { done, ada, activityOf, only } = await start()
    const { mfaPolicyId } = await done(
      'create_mfa_policy',
      newMfaPolicy({ userId: ada.userId, condition: 'eth.tx.value > 5' }),
    )
    expect(await only(activityOf(6))).toMatchObject({ mfaPolicyId })
    expect(await only(activityOf(5))).not.toHaveProperty('mfaPolicyId')
  })

  test('counts the amounts that were spent', async () => {
    const { done, byAda, activityOf, only, sign } = await start()
    const condition = "spent('eth.tx.value', '1h') + eth.tx.value <= 100"
    await done('create_policy', newPolicy({ effect, consensus: byAda, condition }))
    await sign(60)
    const { decision, policies } = await only(activityOf(41))
    expect(decision).toBe('DENY')
    expect(policies[0].explanation).toContain("`spent('eth.tx.value', '1h') + eth.tx.value` is 101")
  })

  test.each([
    ['neither an activity nor the past', {}, 'activity must be given'],
    ['both', { activity: { type: signing, parameters: {} }, past: {} }, 'activity must be given'],
    ['an unknown type', { activity: { type: 'ACTIVITY_TYPE_NONE', parameters: {} } }, 'activity.type'],
    ['a vote', { activity: { type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY', parameters: {} } }, 'activity.type'],
    ['parameters of another type', { activity: { type: signing, parameters: { a: 1 } } }, 'parameters'],
    ['an invalid expression', { past: {}, policy: { effect, condition: 'eth.tx.valu < 1' } }, 'policy.condition'],
    ['a limit of 0', { past: { limit: '0' } }, 'past.limit'],
  ])('%s is refused', async (_name, parameters, field) => {
    const { query } = await start()
    expectRefused(await query('simulate', parameters), 400, field)
  })

  test('an unknown user, policy or key is not found', async () => {
    const { query, activityOf, parametersOf } = await start()
    expectRefused(await query('simulate', activityOf(1, { userId: absentId })), 404, 'activity.userId')
    expectRefused(await query('simulate', activityOf(1, { approverIds: [absentId] })), 404, 'activity.approverIds[0]')
    const without = { past: {}, withoutPolicyIds: [absentId] }
    expectRefused(await query('simulate', without), 404, 'withoutPolicyIds[0]')
    const parameters = { ...parametersOf(1), signWith: absentId }
    expectRefused(await query('simulate', activityOf(1, { parameters })), 404)
  })
})

describe('a draft', () => {
  test('is evaluated beside the policies in force, or in place of one', async () => {
    const { done, byAda, activityOf, only } = await start()
    const { policyId } = await done('create_policy', newPolicy({ effect, consensus: byAda }))
    const policy = { effect: 'EFFECT_DENY', condition: 'eth.tx.value > 5' }
    const denied = await only({ ...activityOf(6), policy })
    expect(denied.decision).toBe('DENY')
    expect(denied.policies.map((each: Parameters) => [each.policyId, each.outcome])).toEqual([
      [policyId, 'OUTCOME_ALLOW'],
      ['', 'OUTCOME_DENY_EXPLICIT'],
    ])
    const replaced = {
      withoutPolicyIds: [policyId],
      policy: { effect, consensus: byAda, condition: 'eth.tx.value > 5' },
    }
    expect(await only({ ...activityOf(6), ...replaced })).toMatchObject({
      reason: 'allowed by these policies: the draft',
    })
    expect(await only({ ...activityOf(5), ...replaced })).toMatchObject({ decision: 'DENY' })
  })

  test('is evaluated for past activities, newest first, with the approvals of that time', async () => {
    const { done, ada, byAda, simulated, sign, clock, server } = await start()
    const { policyId } = await done('create_policy', newPolicy({ effect, consensus: byAda }))
    for (const value of [10, 60, 70]) expect((await sign(value, ada)).status).toBe(200)
    const digest = openDatabaseDigest(server)
    const before = digest.read()
    const filterByType = [signing]
    const policy = { effect, consensus: byAda, condition: 'eth.tx.value <= 60' }
    const asked = { withoutPolicyIds: [policyId], policy, past: { filterByType } }
    const { simulations, nextAfter } = await simulated(asked)
    const decisions = (found: readonly Parameters[]) => found.map(({ decision }) => decision)
    expect(decisions(simulations)).toEqual(['DENY', 'ALLOW', 'ALLOW'])
    expect(nextAfter).toBeUndefined()
    expect(simulations[0]).toMatchObject({
      activityId: expect.any(String),
      status: 'ACTIVITY_STATUS_COMPLETED',
      policies: [{ policyId: '', explanation: expect.stringContaining('`eth.tx.value` is 70'), expressions: [{}, {}] }],
    })

    // Only the simulated activities add to the sums: 10 and 60 are within the limit of 100, and 70 exceeds it.
    const limited = { ...policy, condition: "spent('eth.tx.value', '1h') + eth.tx.value <= 100" }
    expect(decisions((await simulated({ ...asked, policy: limited })).simulations)).toEqual(['DENY', 'ALLOW', 'ALLOW'])

    const first = await simulated({ ...asked, past: { filterByType, limit: '2' } })
    expect(decisions(first.simulations)).toEqual(['DENY', 'ALLOW'])
    const rest = await simulated({ ...asked, past: { filterByType, limit: '2', after: first.nextAfter } })
    expect(decisions(rest.simulations)).toEqual(['ALLOW'])

    const seconds = (timeMs: number) => String(Math.floor(timeMs / 1000))
    const laterMs = clock.nowMs + 10_000
    const at = async (past: Parameters) =>
      (await simulated({ ...asked, past: { ...past, filterByType } })).simulations.length
    expect(await at({ createdFrom: seconds(laterMs) })).toBe(0)
    expect(await at({ createdFrom: seconds(clock.nowMs - 10_000), createdTo: seconds(laterMs) })).toBe(3)
    expect(await at({ createdTo: seconds(clock.nowMs - 10_000) })).toBe(0)
    expect(digest.read()).toBe(before)
  })

  test('uses the sums of that time, also if a waiting activity was signed after a later one', async () => {
    const { done, ada, bob, submit, simulated, sign, clock } = await start()
    const consensus = `approvers.any(user, user.id == '${bob.userId}')`
    await done('create_policy', newPolicy({ effect, consensus }))
    const { fingerprint } = (await sign(60, ada)).body.activity
    clock.nowMs += 60_000
    expect((await sign(50, bob)).status).toBe(200)
    clock.nowMs += 60_000
    expect((await submit('approve_activity', { fingerprint }, bob)).status).toBe(200)
    const policy = { effect: 'EFFECT_DENY', condition: "spent('eth.tx.value', '1h') + eth.tx.value > 100" }
    const { simulations } = await simulated({ policy, past: { filterByType: [signing] } })
    expect(simulations.map(({ decision }: Parameters) => decision)).toEqual(['ALLOW', 'DENY'])
  })

  test('ends its answer after as many steps as a decision may take, and goes on behind it', async () => {
    const { simulated, sign } = await start()
    for (let value = 0; value < 7; value += 1) await sign(value)
    const past = { limit: '100', filterByType: [signing] }
    const policy = { effect, condition: heavyCondition(1), consensus: heavyCondition(2), time: heavyCondition(3) }
    const lengths: number[] = []
    const values: string[] = []
    for (let after: string | undefined, page = 0; page === 0 || after !== undefined; page += 1) {
      const { simulations, nextAfter } = await simulated({ policy, past: { ...past, ...(after && { after }) } })
      lengths.push(simulations.length)
      values.push(...simulations.map(({ activityId }: Parameters) => activityId))
      after = nextAfter
    }
    const { simulations: all } = await simulated({ past })
    expect(values).toEqual(all.map(({ activityId }: Parameters) => activityId))
    expect(Math.max(...lengths)).toBeLessThan(4)
  })

  test('reads few large requests for one answer, and one at least', async () => {
    const { simulated, submit, done } = await start()
    const { privateKeys } = await done('create_private_keys', {
      privateKeys: [{ privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }],
    })
    const [{ privateKeyId: signWith }] = privateKeys
    for (const letter of ['a', 'b', 'c']) {
      const payload = letter.repeat(700_000)
      const signed = { signWith, payload, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' }
      expect((await submit('sign_raw_payload', signed)).status).toBe(200)
    }
    const past = { filterByType: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'] }
    const ids: string[] = []
    for (let after: string | undefined, page = 0; page < 3; page += 1) {
      const { simulations, nextAfter } = await simulated({ past: { ...past, ...(after && { after }) } })
      expect(simulations).toHaveLength(1)
      ids.push(simulations[0].activityId)
      expect(nextAfter).toBe(page < 2 ? simulations[0].activityId : undefined)
      after = nextAfter
    }
    expect(new Set(ids).size).toBe(3)
  })

  test('limits its answer to some megabytes for many past activities and clauses', async () => {
    const { simulated, sign } = await start()
    for (let value = 0; value < 30; value += 1) await sign(value)
    const nested = `${'!('.repeat(20)}x == '${'a'.repeat(4500)}'${')'.repeat(20)}`
    const condition = `['${"','".repeat(30)}'].any(x, ${nested})`
    const answer = await simulated({ past: { limit: '30' }, policy: { effect, condition } })
    const clauses = answer.simulations.map(
      ({ policies: [draft] }: Answer['body']) => draft.expressions[0].clauses.length,
    )
    expect(clauses.reduce((sum: number, count: number) => sum + count, 0)).toBe(10_000)
    expect(JSON.stringify(answer).length).toBeLessThan(5_000_000)
  })

  test('finds old activities behind many others', async () => {
    const { simulated, submit, clock } = await start()
    const startMs = clock.nowMs
    for (let turn = 0; turn < 130; turn += 1) await submit('update_organization_name', { organizationName: `n${turn}` })
    clock.nowMs = startMs + 60_000
    for (let turn = 0; turn < 130; turn += 1) await submit('update_organization_name', { organizationName: `m${turn}` })
    const past = { limit: '100', createdTo: String(Math.floor(startMs / 1000) + 1), filterByType: [] }
    const { simulations, nextAfter } = await simulated({ past })
    expect(simulations).toHaveLength(100)
    expect(nextAfter).toEqual(expect.any(String))
    const rest = await simulated({ past: { ...past, after: nextAfter } })
    expect(rest.simulations.length).toBeGreaterThan(30)
  }, 60_000)
})
