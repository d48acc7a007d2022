import { expect, test } from 'vitest'
import { expectRefused, newAccount, newPolicy, startOrganization } from '../support/organization.ts'

/** A denial by a field that a request lacks denies nothing, and the operator learns it in three places. */

const raw = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'
const stranger = '0x000000000000000000000000000000000000dead'

async function start() {
  const organization = await startOrganization()
  const { done, anotherUser } = organization
  const ada = await anotherUser('ada')
  const { walletId, addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
  const byAda = `approvers.any(user, user.id == '${ada.userId}')`
  const allow = {
    effect: 'EFFECT_ALLOW',
    consensus: byAda,
    condition: "activity.action == 'SIGN'",
    policyName: 'allow',
  }
  await done('create_policy', newPolicy(allow))
  const condition = `wallet.id == '${walletId}' && eth.tx.to == '${stranger}'`
  const denial = newPolicy({ effect: 'EFFECT_DENY', condition, policyName: 'no stranger' })
  const { policyId } = await done('create_policy', denial)
  const payload = {
    signWith: addresses[0],
    payload: 'ab'.repeat(32),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  }
  const encodings = "activity.params.encoding in ['PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8']"
  const unseen = {
    requests: 'raw payloads',
    missingFields: ['eth.tx.to'],
    clause: `${encodings} && wallet.id == '${walletId}'`,
  }
  return { ...organization, ada, allow, policyId, payload, unseen }
}

test.each([
  ["activity.type == 'ACTIVITY_TYPE_RECOVER_USER'", 'name what makes that key, RECOVERY with CREATE'],
  ["activity.type in ['ACTIVITY_TYPE_ACCEPT_INVITATION']", 'name what makes that key, INVITATION with CREATE'],
  ["'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM' == activity.type", 'which only the root quorum does'],
  ["activity.resource == 'AUTH_PROXY' && activity.action == 'UPDATE'", 'which only the root quorum does'],
  ["!(activity.resource != 'AUTH_PROXY')", 'which only the root quorum does'],
  ["activity.resource == ''", 'leave it out'],
])('a policy that is never asked is refused: %s', async (condition, reason) => {
  const { submit, done } = await startOrganization()
  for (const effect of ['EFFECT_DENY', 'EFFECT_ALLOW']) {
    const refused = await submit('create_policy', newPolicy({ policyName: effect, effect, condition }))
    expectRefused(refused, 400, reason)
  }
  const { policyId } = await done('create_policy', newPolicy({ condition: "activity.resource == 'RECOVERY'" }))
  expectRefused(await submit('update_policy', { policyId, policyCondition: condition }), 400, reason)
})

test('a raw payload passes a denial by recipient until the clause of the check is a policy too', async () => {
  const { submit, done, found, ada, policyId, payload, unseen } = await start()
  expect((await submit('sign_raw_payload', payload, ada)).status).toBe(200)

  const activity = { type: raw, parameters: payload, userId: ada.userId }
  const [simulated] = (await found('simulate', { activity })).simulations
  expect(simulated).toMatchObject({ decision: 'ALLOW', policies: [{}, { policyId, outcome: 'OUTCOME_ERROR', unseen }] })
  expect(simulated.policies[0]).not.toHaveProperty('unseen')
  const { simulations } = await found('simulate', { past: { filterByType: [raw] } })
  expect(simulations).toMatchObject([{ decision: 'ALLOW', policies: [{}, { policyId, unseen }] }])

  const { denials } = await found('check_policies')
  expect(denials).toMatchObject([{ policyId, policyName: 'no stranger' }])
  expect(denials[0].unseen).toContainEqual(unseen)

  // The draft denies the payload, so nothing is unseen.
  const policy = { effect: 'EFFECT_DENY', condition: unseen.clause }
  const [drafted] = (await found('simulate', { activity, policy })).simulations
  expect(drafted.decision).toBe('DENY')
  expect(JSON.stringify(drafted)).not.toContain('unseen')

  const second = newPolicy({ effect: 'EFFECT_DENY', condition: unseen.clause, policyName: 'no digests' })
  const { policyId: secondId } = await done('create_policy', second)
  const refused = await submit('sign_raw_payload', payload, ada)
  expectRefused(refused, 403, secondId)
  expect(JSON.stringify(refused.body.details)).not.toContain('unseen')
  expect((await found('check_policies')).denials[0].unseen).not.toContainEqual(unseen)
})

test('a refusal for want of an allowance says which denial could not see the request', async () => {
  const { submit, done, found, anotherUser, ada, policyId, payload, unseen } = await start()
  const { policies } = await found('list_policies')
  await done('update_policy', { policyId: policies[0].policyId, policyCondition: "activity.action == 'CREATE'" })
  const refused = await submit('sign_raw_payload', payload, ada)
  expectRefused(refused, 403, 'No policies evaluated to outcome: Allow')
  expect(refused.body.details.at(-1).policyEvaluations[1]).toStrictEqual({
    policyId,
    outcome: 'OUTCOME_ERROR',
    explanation: 'condition: column 56: field does not exist: eth',
    unseen,
  })

  // A denial whose consensus does not apply would not deny the request either way.
  const bob = await anotherUser('bob')
  const policyConsensus = `approvers.any(user, user.id == '${bob.userId}')`
  await done('update_policy', { policyId, policyConsensus })
  expect(JSON.stringify((await submit('sign_raw_payload', payload, ada)).body)).not.toContain('unseen')
  expect(JSON.stringify((await submit('sign_raw_payload', payload, bob)).body)).toContain('unseen')
})
