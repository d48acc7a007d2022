import { serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { clientOf } from '../support/client.ts'
import { type Chance, createChance } from '../support/histories/schedule.ts'
import {
  type Ask,
  absentId,
  newAccount,
  newApiKey,
  newMfaPolicy,
  newPolicy,
  newVelocityControl,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'
import { historyOf, verifiedHistory } from '../support/recorded_history.ts'

/** Honest servers with random histories: `claviger log verify` finds nothing wrong with their exports. */

const steps = 120
const signs = "activity.kind == 'SIGN_TRANSACTION'"
const conditions = [
  `${signs} && spent('eth.tx.value', '1h') + eth.tx.value <= 100`,
  `${signs} && controls.daily`,
  signs,
  "activity.kind == 'CREATE_USER_TAG'",
]

type World = TestOrganization & {
  readonly chance: Chance
  readonly signWith: string
  readonly users: (Ask & { userId: string })[]
}
type Request = readonly [operation: string, parameters: Record<string, unknown>]

/** Returns a random request. Many are refused. */
function requestIn(
  { chance, signWith, users, rootUserId }: World,
  step: number,
  known: { readonly policies: string[]; readonly waiting: string[] },
): Request {
  const { userId } = chance.pick(users)
  const vote = { fingerprint: chance.pick(known.waiting) }
  const fields = {
    type: 'eip1559',
    chainId: 1,
    nonce: step,
    value: BigInt(chance.below(90)),
    to: `0x${'11'.repeat(20)}`,
  } as const
  const transaction = { signWith, unsignedTransaction: serializeTransaction(fields), type: 'TRANSACTION_TYPE_ETHEREUM' }
  const consensus = chance.pick([
    'approvers.count() >= 2',
    'approvers.count() >= 3',
    `approvers.any(user, user.id == '${userId}')`,
  ])
  const effect = chance.happens(0.2) ? 'EFFECT_DENY' : 'EFFECT_ALLOW'
  const rule = { policyName: `rule ${step}`, condition: chance.pick(conditions), effect }
  const requests: readonly Request[] = [
    ...Array.from({ length: 5 }, (): Request => ['sign_transaction', transaction]),
    ...Array.from({ length: 6 }, (): Request => ['approve_activity', vote]),
    ['reject_activity', vote],
    ['create_user_tag', { userTagName: `tag ${step}`, userIds: [userId] }],
    ['create_policy', newPolicy(chance.happens(0.5) && effect === 'EFFECT_ALLOW' ? { ...rule, consensus } : rule)],
    ['delete_policy', { policyId: chance.pick(known.policies) }],
    ['update_root_quorum', { threshold: 1 + chance.below(2), userIds: [rootUserId, userId] }],
    ['create_mfa_policy', { userId, ...newMfaPolicy({ condition: signs, order: step }) }],
    ['create_api_keys', { userId, apiKeys: [newApiKey()] }],
    ['delete_users', { userIds: [userId] }],
  ]
  return chance.pick(requests)
}

test.each([1, 2, 3, 4])('the export of an honest server is right, whatever happened: seed %i', async (seed) => {
  const organization = await startOrganization()
  const { server, organizationId, rootKey, rootUserId, done, submit, anotherUser, clock } = organization
  const users: World['users'] = [{ userId: rootUserId, apiKey: rootKey }]
  for (const name of ['ada', 'bob', 'carol', 'dave']) users.push(await anotherUser(name))
  const { addresses } = await done('create_wallet', { walletName: 'w', accounts: [newAccount()] })
  const aggregation = {
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
    threshold: '3',
    window: { rolling: { duration: '3600' } },
  }
  const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' }] }
  await done(
    'create_velocity_control',
    newVelocityControl({ dataSource: { activityExecution: { filter } }, aggregation }),
  )
  const world = { ...organization, chance: createChance(seed), signWith: addresses[0], users }
  const known = { policies: [absentId], waiting: ['none'] }
  const versions = new Set<string>()
  const statuses = new Set<string>()
  for (let step = 0; step < steps; step++) {
    clock.nowMs += world.chance.below(200_000)
    const [operation, parameters] = requestIn(world, step, known)
    const { status, body } = await submit(operation, parameters, world.chance.pick(users))
    if (status !== 200) continue
    const { activity } = body
    versions.add(`${activity.id} ${activity.votes.length}`)
    statuses.add(activity.status)
    known.policies.push(
      ...(activity.result.createPolicyResult === undefined ? [] : [activity.result.createPolicyResult.policyId]),
    )
    if (activity.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') known.waiting.push(activity.fingerprint)
  }
  expect(statuses).toContain('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  // The organization, four users, a wallet and a control were made before.
  const size = versions.size + 7
  const told = await historyOf(server, clientOf(server, { organizationId, apiKey: rootKey }), size)
  const { chain, stamps, rules, changes } = await verifiedHistory(told)
  expect([chain.findings, stamps.findings, rules.findings, rules.notChecked]).toEqual([[], [], [], {}])
  expect(rules.checked).toBe(size - 1)
  expect([changes.findings, changes.notChecked]).toEqual([[], {}])
})
