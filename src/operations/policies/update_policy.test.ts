import { beforeEach, describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newPolicy,
  type Parameters,
  startOrganization,
} from '../../../test/support/organization.ts'

const { submit, done, found, clock, rootUserId, server, anotherUser } = await startOrganization()
const approved = (userId: string) => `approvers.any(user, user.id == '${userId}')`
const original = {
  policyName: 'original',
  effect: 'EFFECT_ALLOW',
  condition: "activity.action == 'SIGN'",
  consensus: approved(rootUserId),
  time: "time.now > Timestamp('2026-01-01T00:00:00Z')",
  notes: 'a note',
}
const policyOf = async (policyId: string) => (await found('get_policy', { policyId })).policy
let policyId = ''
await done('create_policy', newPolicy({ policyName: 'taken' }))
beforeEach(async () => {
  if (policyId !== '') await done('delete_policy', { policyId })
  policyId = (await done('create_policy', original)).policyId
})

test('everything can be changed at once', async () => {
  const before = await policyOf(policyId)
  clock.nowMs += 5_000
  const changes = {
    policyName: 'changed',
    policyEffect: 'EFFECT_DENY',
    policyCondition: 'true',
    policyConsensus: 'approvers.count() >= 2',
    policyNotes: 'another note',
    time: "time.now < Timestamp('2027-01-01T00:00:00Z')",
  }
  expect(await done('update_policy', { policyId: policyId.toUpperCase(), ...changes })).toStrictEqual({ policyId })
  const after = await policyOf(policyId)
  expect(after).toStrictEqual({
    policyId,
    policyName: 'changed',
    effect: 'EFFECT_DENY',
    condition: 'true',
    consensus: 'approvers.count() >= 2',
    notes: 'another note',
    time: changes.time,
    createdAt: before.createdAt,
    updatedAt: after.updatedAt,
  })
  expect(after.updatedAt).not.toEqual(before.updatedAt)
})

test.each<[string, Parameters, Parameters]>([
  ['nothing', {}, {}],
  ['nothing, by nulls', { policyName: null, policyCondition: null, policyConsensus: null, time: null }, {}],
  ['the name', { policyName: 'renamed' }, { policyName: 'renamed' }],
  ['the name to its own', { policyName: 'original' }, {}],
  ['the effect', { policyEffect: 'EFFECT_DENY' }, { effect: 'EFFECT_DENY' }],
  ['the condition', { policyCondition: '!false' }, { condition: '!false' }],
  ['the consensus', { policyConsensus: 'true' }, { consensus: 'true' }],
  ['the time', { time: 'true' }, { time: 'true' }],
  ['the notes', { policyNotes: '' }, { notes: '' }],
  ['the condition to none', { policyCondition: '' }, { condition: '' }],
  ['the consensus to none', { policyConsensus: '' }, { consensus: '' }],
  ['the time to none', { time: '' }, { time: undefined }],
])('it changes %s and leaves the rest', async (_, change, changed) => {
  const { updatedAt: _before, ...before } = await policyOf(policyId)
  await done('update_policy', { policyId, ...change })
  const { updatedAt: _after, ...after } = await policyOf(policyId)
  expect(after).toEqual({ ...before, ...changed })
})

test('the old name is free and the new one is taken', async () => {
  await done('update_policy', { policyId, policyName: 'new name' })
  const other = await done('create_policy', newPolicy({ policyName: 'original' }))
  expectRefused(await submit('create_policy', newPolicy({ policyName: 'new name' })), 400, 'already in use')
  await done('delete_policy', other)
})

describe('the older type', () => {
  const type = 'ACTIVITY_TYPE_UPDATE_POLICY'
  test('changes everything but the time', async () => {
    const parameters = { policyId, policyCondition: 'true' }
    const { status, body } = await submit('update_policy', parameters, { type })
    expect(status).toBe(200)
    expect(body.activity).toMatchObject({
      intent: { updatePolicyIntent: parameters },
      result: { updatePolicyResult: { policyId } },
    })
    expect(await policyOf(policyId)).toMatchObject({ ...original, condition: 'true' })
  })
  test('has no time', async () => {
    const answer = await submit('update_policy', { policyId, time: 'true' }, { type })
    expectRefused(answer, 400, 'parameters.time must be left out')
  })
})

test('a denial is not changed to one that denies nothing, and is not made of an allowance that allows nothing', async () => {
  const reason = 'column 1: a denial by what is never true denies nothing'
  const make = async (policy: Parameters) =>
    (await done('create_policy', newPolicy({ effect: 'EFFECT_DENY', condition: 'wallet.imported', ...policy })))
      .policyId
  const denial = await make({ policyName: 'denies' })
  const change = { policyId: denial, policyCondition: 'wallet.imported && false' }
  expectRefused(await submit('update_policy', change), 400, `parameters.policyCondition: ${reason}`)
  const allowance = await make({ policyName: 'off', effect: 'EFFECT_ALLOW', time: 'false' })
  const turned = { policyId: allowance, policyEffect: 'EFFECT_DENY' }
  expectRefused(await submit('update_policy', turned), 400, `parameters.time: ${reason}`)
  await done('update_policy', { ...turned, time: '' })
})

describe('invalid requests are refused', async () => {
  const other = await server.createOrganization()
  const body = { type: 'ACTIVITY_TYPE_CREATE_POLICY_V3', timestampMs: String(clock.nowMs) }
  const foreign = await server.post(
    '/public/v1/submit/create_policy',
    { ...body, organizationId: other.organizationId, parameters: newPolicy() },
    other.apiKey,
  )
  const foreignId = foreign.body.activity.result.createPolicyResult.policyId
  test.each<[string, Parameters, number, string]>([
    ['the name of another policy', { policyName: 'taken' }, 400, 'already in use: parameters.policyName'],
    ['an empty name', { policyName: '' }, 400, 'parameters.policyName must be a text of 1 to 256'],
    ['another effect', { policyEffect: 'EFFECT_UNSPECIFIED' }, 400, 'parameters.policyEffect must be one of'],
    ['a condition that does not parse', { policyCondition: '(' }, 400, 'parameters.policyCondition: column 2: '],
    ['a consensus of the wrong type', { policyConsensus: '1' }, 400, 'parameters.policyConsensus: column 1: '],
    ['a time of the wrong type', { time: '1' }, 400, 'parameters.time: column 1: '],
    [
      'an unknown approver',
      { policyConsensus: approved(absentId) },
      400,
      `parameters.policyConsensus: column 32: there is no user "${absentId}" in this organization`,
    ],
    ['an unknown policy', { policyId: absentId }, 404, `there is no policy ${absentId}`],
    ["another organization's policy", { policyId: foreignId }, 404, `there is no policy ${foreignId}`],
    ['a user for a policy', { policyId: rootUserId }, 404, `there is no policy ${rootUserId}`],
  ])('%s', async (_, change, status, text) => {
    const before = await found('list_policies')
    expectRefused(await submit('update_policy', { policyId, policyNotes: 'never', ...change }), status, text)
    expect(await found('list_policies')).toEqual(before)
  })

  test('a request by a user outside of the root quorum', async () => {
    const { apiKey } = await anotherUser()
    expectRefused(await submit('update_policy', { policyId, policyNotes: 'mine' }, { apiKey }), 403)
  })
})

test('a policy may go on naming a user who was deleted since', async () => {
  const { userId } = await anotherUser()
  await done('update_policy', { policyId, policyConsensus: approved(userId) })
  await done('delete_users', { userIds: [userId] })
  await done('update_policy', { policyId, policyNotes: 'the approver left' })
  expect(await policyOf(policyId)).toMatchObject({ consensus: approved(userId), notes: 'the approver left' })
})
