import fc from 'fast-check'
import { serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { dayMs } from '../../src/policy/language/time/durations.ts'
import { newAccount, newApiKey, newPolicy, type Parameters, startOrganization } from '../support/organization.ts'

/** The answer of `simulate` to a request is what then happens to the request, and for the past what happened. */

const numRuns = Number(process.env.CLAVIGER_CASES ?? 20)
const signing = 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'
type Decision = 'ALLOW' | 'CONSENSUS' | 'DENY'
const statusOf = { ALLOW: 'ACTIVITY_STATUS_COMPLETED', CONSENSUS: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', DENY: 403 }

const conditions = fc.constantFrom(
  '',
  'eth.tx.value <= 50',
  'eth.tx.value > 80',
  "spent('eth.tx.value', '1h') + eth.tx.value <= 100",
  "spent('eth.tx.value', '2m') + eth.tx.value > 120",
  "activity.kind == 'SIGN_TRANSACTION' && wallet.label == 'hot'",
  "private_key.label == 'none' || eth.tx.value < 1000",
  'tron.tx.fee_limit > 1',
)
const times = fc.constantFrom('', "time.now < Timestamp('2026-06-01T00:00:00Z')", "CronSpan('* * * * *', '1m', 'UTC')")
const policiesAbout = (userIds: readonly string[]) =>
  fc.array(
    fc.record({
      effect: fc.constantFrom('EFFECT_ALLOW', 'EFFECT_ALLOW', 'EFFECT_DENY'),
      condition: conditions,
      time: times,
      consensus: fc.constantFrom(
        '',
        'approvers.count() >= 2',
        'approvers.count() < 2',
        ...userIds.map((id) => `approvers.any(user, user.id == '${id}')`),
        "credentials.any(used, used.type == 'CREDENTIAL_TYPE_API_KEY_P256')",
      ),
    }),
    { maxLength: 4 },
  )

type Evaluated = { readonly policyId: string; readonly outcome: string; readonly explanation: string }
/** Drops the milliseconds of times, because an activity is one millisecond later than the query before it. */
const comparable = (evaluations: readonly Evaluated[]) =>
  evaluations.map(({ policyId, outcome, explanation }) => [policyId, outcome, explanation.replace(/\.\d{3}Z/, '')])

test('any requests, by any policies', async () => {
  const { done, anotherUser, submit, query, found, clock, rootUserId, rootKey } = await startOrganization()
  const users = [await anotherUser('ada'), await anotherUser('bob')]
  const accounts = [newAccount(), newAccount({ path: "m/44'/60'/0'/0/1" })]
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts })
  const request = fc.record({
    value: fc.integer({ min: 0, max: 130 }),
    signWith: fc.constantFrom(...addresses),
    by: fc.constantFrom(...users, ...users, { userId: rootUserId, apiKey: rootKey }),
    laterMs: fc.constantFrom(0, 1000, 60_000, 240_000),
  })
  const decisions = new Set<Decision>()
  let nonce = 0

  async function ask({ value, signWith, by, laterMs }: typeof request extends fc.Arbitrary<infer T> ? T : never) {
    clock.nowMs += laterMs
    nonce += 1
    const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, nonce, value: BigInt(value) })
    const parameters = { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
    const [said] = (await found('simulate', { activity: { type: signing, parameters, userId: by.userId } })).simulations
    const { status, body } = await submit('sign_transaction', parameters, by)
    expect(status === 200 ? body.activity.status : status).toBe(statusOf[said.decision as Decision])
    decisions.add(said.decision)
    if (status === 200) return [body.activity.id, said.decision]
    expect(body.message).toContain(said.reason)
    expect(comparable(body.details.at(-1)?.policyEvaluations ?? [])).toEqual(comparable(said.policies))
    return undefined
  }

  /** A fixed case that brings all three decisions, which random cases may miss. */
  const certain = [
    [{ effect: 'EFFECT_ALLOW', condition: 'eth.tx.value <= 50', time: '', consensus: 'approvers.count() >= 2' }],
    [
      { value: 10, signWith: addresses[0], by: { userId: rootUserId, apiKey: rootKey }, laterMs: 0 },
      { value: 10, signWith: addresses[0], by: users[0], laterMs: 0 },
      { value: 60, signWith: addresses[0], by: users[0], laterMs: 0 },
    ],
  ]
  await fc.assert(
    fc.asyncProperty(
      policiesAbout(users.map(({ userId }) => userId)),
      fc.array(request, { minLength: 3, maxLength: 8 }),
      async (policies, requests) => {
        clock.nowMs += 8 * dayMs
        const createdFrom = String(Math.floor(clock.nowMs / 1000))
        for (const { policyId } of (await query('list_policies', {})).body.policies)
          await done('delete_policy', { policyId })
        for (const [index, policy] of policies.entries()) {
          await done('create_policy', newPolicy({ ...policy, policyName: `p${index}` }))
        }
        const asked: unknown[] = []
        for (const each of requests) asked.push(...[await ask(each)].filter((answer) => answer !== undefined))
        const past = { limit: '100', createdFrom, filterByType: [signing] }
        const { simulations } = await found('simulate', { past })
        expect(simulations.map(({ activityId, decision }: Parameters) => [activityId, decision])).toEqual(
          asked.toReversed(),
        )
      },
    ),
    { numRuns, examples: [certain] },
  )
  expect(decisions).toEqual(new Set(['ALLOW', 'CONSENSUS', 'DENY']))
}, 300_000)

test('simulate says of a past change of own credentials what happened, also after its user was deleted', async () => {
  const { anotherUser, done, found } = await startOrganization()
  const ada = await anotherUser('ada')
  await done('create_api_keys', { userId: ada.userId, apiKeys: [newApiKey({ apiKeyName: 'own' })] }, ada)
  const past = async () => {
    const { simulations } = await found('simulate', { past: { filterByType: ['ACTIVITY_TYPE_CREATE_API_KEYS_V2'] } })
    return simulations.map(({ status, decision }: { status: string; decision: string }) => [status, decision])
  }
  expect(await past()).toEqual([['ACTIVITY_STATUS_COMPLETED', 'ALLOW']])
  await done('delete_users', { userIds: [ada.userId] })
  expect(await past()).toEqual([['ACTIVITY_STATUS_COMPLETED', 'ALLOW']])
})
