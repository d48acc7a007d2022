import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newPolicy,
  type Parameters,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'

const { submit, done, found, rootUserId, server, anotherUser, subOrganization } = await startOrganization()
const policyOf = async (policyId: string) => (await found('get_policy', { policyId })).policy
const approvedBy = (userId: string) => `approvers.any(user, user.id == '${userId}')`

test('a policy is kept with every field as it was given', async () => {
  const given = {
    policyName: 'office hours',
    effect: 'EFFECT_ALLOW',
    condition: "activity.resource == 'WALLET' && activity.action == 'CREATE'",
    consensus: approvedBy(rootUserId),
    time: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Berlin')",
    notes: 'a note',
  }
  const result = await done('create_policy', given)
  expect(result).toStrictEqual({ policyId: uuid })
  expect(await policyOf(result.policyId)).toMatchObject(given)
})

test('absent, null and empty expressions are stored as none', async () => {
  for (const [index, none] of [{}, { condition: null, consensus: null, time: null }, empty].entries()) {
    const given = newPolicy({ policyName: `none ${index}`, effect: 'EFFECT_DENY' })
    const { policyId } = await done('create_policy', { ...given, ...none })
    const policy = await policyOf(policyId)
    expect(policy).toMatchObject({ ...given, condition: '', consensus: '' })
    expect(policy).not.toHaveProperty('time')
  }
})
const empty = { condition: '', consensus: '', time: '' }

test('wallets and tags that an expression names need not exist', async () => {
  const condition = `wallet.id == '${absentId}'`
  const consensus = `approvers.any(user, user.tags.contains('${absentId}'))`
  await done('create_policy', newPolicy({ policyName: 'of nothing', condition, consensus }))
})

test('expressions of 5000 characters are accepted, of 5001 refused', async () => {
  const condition = `true${' '.repeat(4_996)}`
  await done('create_policy', newPolicy({ policyName: 'long', condition }))
  const answer = await submit('create_policy', newPolicy({ policyName: 'longer', condition: `${condition} ` }))
  expectRefused(answer, 400, 'parameters.condition must be an expression of at most 5000 characters')
})

describe('invalid requests are refused', async () => {
  await done('create_policy', newPolicy({ policyName: 'taken' }))
  const { userId: foreignId } = await server.createOrganization()
  const sub = await subOrganization()
  test.each<[string, Parameters, string]>([
    ['a name that is taken', { policyName: 'taken' }, 'already in use: parameters.policyName'],
    ['no name', { policyName: '' }, 'parameters.policyName must be a text of 1 to 256 characters'],
    ['no effect', { effect: 'ALLOW' }, 'parameters.effect must be one of EFFECT_ALLOW, EFFECT_DENY'],
    ['no notes', { notes: null }, 'parameters.notes'],
    ['too many notes', { notes: 'x'.repeat(2_001) }, 'parameters.notes must be a text of at most 2000 characters'],
    [
      'a condition that contradicts itself',
      { condition: 'eth.tx.chain_id == 1 && eth.tx.chain_id == 5' },
      'parameters.condition: column 44: eth.tx.chain_id == 1 and eth.tx.chain_id == 5 are never true together',
    ],
    [
      'a denial that denies nothing',
      { effect: 'EFFECT_DENY', condition: 'false' },
      'parameters.condition: column 1: a denial by what is never true denies nothing',
    ],
    [
      'a public key that is no point of its curve',
      { condition: `activity.params.target_public_key == '02${'0'.repeat(63)}7'` },
      'parameters.condition: column 38: this is no public key: it is no point of its curve',
    ],
    [
      'a condition that does not parse',
      { condition: 'true &&' },
      'invalid policy condition: parameters.condition: column',
    ],
    [
      'a condition with an unknown field',
      { condition: "activity.resorce == 'WALLET'" },
      'invalid policy condition: parameters.condition: column 10: activity has no field resorce',
    ],
    [
      'a condition that is not boolean',
      { condition: 'activity.type' },
      'parameters.condition: column 1: expected a boolean',
    ],
    [
      'a consensus that does not parse',
      { consensus: 'approvers.any(user)' },
      'invalid policy consensus: parameters.consensus: column 19: ',
    ],
    [
      'a consensus that reads the activity',
      { consensus: "activity.type == 'x'" },
      'parameters.consensus: column 1: activity can be read in condition, not in consensus',
    ],
    [
      'a time in an unknown zone',
      { time: "CronSpan('0 9 * * *', '8h', 'Mars/Olympus')" },
      'invalid policy time: parameters.time: column 29: ',
    ],
    [
      'a time that reads approvers',
      { time: 'approvers.count() > 1' },
      'parameters.time: column 1: approvers can be read',
    ],
    [
      'an unknown approver',
      { consensus: approvedBy(absentId) },
      `invalid policy consensus: parameters.consensus: column 32: there is no user "${absentId}" in this organization`,
    ],
    [
      'an approver with a malformed id',
      { consensus: approvedBy('Ada') },
      "parameters.consensus: column 32: user.id is never 'Ada'; it holds an id",
    ],
    ['an approver of another organization', { consensus: approvedBy(foreignId) }, `there is no user "${foreignId}"`],
    ['an approver of a sub-organization', { consensus: approvedBy(sub.rootUserId) }, `no user "${sub.rootUserId}"`],
    [
      'an unknown owner of a credential',
      { consensus: `credentials.any(key, key.user_id == '${absentId}')` },
      `there is no user "${absentId}"`,
    ],
  ])('%s', async (_, given, text) => {
    const before = await found('list_policies')
    expectRefused(await submit('create_policy', newPolicy({ policyName: 'refused', ...given })), 400, text)
    expect(await found('list_policies')).toEqual(before)
  })

  test('a request by a user outside of the root quorum', async () => {
    const { apiKey } = await anotherUser()
    expectRefused(await submit('create_policy', newPolicy({ policyName: 'mine' }), { apiKey }), 403)
  })
})

test('an approver is known by an id in capitals too', async () => {
  const consensus = approvedBy(rootUserId.toUpperCase())
  const { policyId } = await done('create_policy', newPolicy({ policyName: 'capitals', consensus }))
  expect(await policyOf(policyId)).toMatchObject({ consensus })
  await done('delete_policy', { policyId })
})

test('the names of deleted policies and of policies of sub-organizations are free', async () => {
  const { policyId } = await done('create_policy', newPolicy({ policyName: 'again' }))
  await done('delete_policy', { policyId })
  await done('create_policy', newPolicy({ policyName: 'again' }))
  const { organizationId, apiKey } = await subOrganization()
  await done('create_policy', newPolicy({ policyName: 'again' }), { organizationId, apiKey })
})

test('one of two simultaneous policies with the same name is made', async () => {
  const answers = await Promise.all(
    ['EFFECT_ALLOW', 'EFFECT_DENY'].map((effect) => submit('create_policy', newPolicy({ policyName: 'once', effect }))),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
})

describe('selectors of older types', () => {
  const typeV1 = 'ACTIVITY_TYPE_CREATE_POLICY'
  const typeV2 = 'ACTIVITY_TYPE_CREATE_POLICY_V2'
  const address = '0x1f9090aae28b8a3dceadf281b0f12828e676c326'
  const [idA, idB] = ['01234567-89ab-7cde-8f01-23456789abc1', '01234567-89ab-7cde-8f01-23456789abc2'] as const
  const given = (selectors: unknown) => ({ policyName: 'of selectors', effect: 'EFFECT_ALLOW', selectors })
  const selector = (subject: string, operator: string, ...targets: string[]) => ({
    subject,
    operator: `OPERATOR_${operator}`,
    targets,
  })
  test.each<[string, Parameters[], { condition?: string; consensus?: string }]>([
    ['none', [], {}],
    [
      'comparisons',
      [
        selector('eth.tx.to', 'EQUAL', address),
        selector('eth.tx.value', 'MORE_THAN', '1'),
        selector('eth.tx.value', 'LESS_THAN_OR_EQUAL', '20'),
        selector('wallet.imported', 'NOT_EQUAL', 'true'),
      ],
      { condition: `eth.tx.to == '${address}' && eth.tx.value > 1 && eth.tx.value <= 20 && wallet.imported != true` },
    ],
    [
      'more and less',
      [selector('eth.tx.nonce', 'MORE_THAN_OR_EQUAL', '0'), selector('eth.tx.nonce', 'LESS_THAN', '9')],
      { condition: 'eth.tx.nonce >= 0 && eth.tx.nonce < 9' },
    ],
    [
      'lists of targets',
      [selector('wallet.label', 'IN', 'a', "b's \\"), selector('wallet.label', 'NOT_IN', 'c')],
      { condition: "wallet.label in ['a', 'b\\'s \\\\'] && !(wallet.label in ['c'])" },
    ],
    [
      'lists of subjects',
      [
        selector('private_key.tags', 'CONTAINS', idA),
        selector('private_key.tags', 'CONTAINS_ONE', idA, idB),
        selector('private_key.tags', 'CONTAINS_ALL', idA, idB),
      ],
      {
        condition: `private_key.tags.contains('${idA}') && (private_key.tags.contains('${idA}') || private_key.tags.contains('${idB}')) && private_key.tags.contains('${idA}') && private_key.tags.contains('${idB}')`,
      },
    ],
    [
      'users',
      [
        selector('user.tags', 'CONTAINS_ONE', idA, idB),
        selector('wallet.id', 'EQUAL', idA),
        selector('user.id', 'EQUAL', rootUserId),
      ],
      {
        condition: `wallet.id == '${idA}'`,
        consensus: `approvers.any(user, (user.tags.contains('${idA}') || user.tags.contains('${idB}')) && user.id == '${rootUserId}')`,
      },
    ],
  ])('%s become expressions', async (_, selectors, { condition = '', consensus = '' }) => {
    const { policyId } = await done('create_policy', given(selectors), { type: typeV2 })
    expect(await policyOf(policyId)).toMatchObject({ notes: '', condition, consensus })
    await done('delete_policy', { policyId })
  })

  test.each<[string, Parameters, string]>([
    ['an unknown subject', selector('wallet.colour', 'EQUAL', 'a'), 'parameters.selectors[0]: column 8'],
    [
      'a subject that is not a field',
      selector("true || 'a", 'EQUAL', 'a'),
      'parameters.selectors[0].subject must be a field',
    ],
    ['a target that does not fit', selector('eth.tx.value', 'EQUAL', 'a'), 'parameters.selectors[0]: column'],
    [
      'two targets for one comparison',
      selector('wallet.id', 'EQUAL', 'a', 'b'),
      'selectors[0].targets must be one target',
    ],
    ['no target', selector('wallet.id', 'IN'), 'parameters.selectors[0].targets must be a list of 1 to 100'],
    ['an unknown operator', selector('wallet.id', 'LIKE', 'a'), 'parameters.selectors[0].operator must be'],
    ['an unknown user', selector('user.id', 'EQUAL', absentId), `there is no user "${absentId}"`],
    [
      'too many selectors for one expression',
      selector('wallet.label', 'IN', ...Array.from({ length: 100 }, () => 'x'.repeat(60))),
      'parameters.selectors must be no more than fits into an expression of 5000 characters',
    ],
    [
      'too many selectors for one expression, before any is judged',
      selector('wallet.colour', 'IN', ...Array.from({ length: 100 }, () => 'x'.repeat(60))),
      'parameters.selectors must be no more than fits into an expression of 5000 characters',
    ],
  ])('%s is refused', async (_, one, text) => {
    expectRefused(await submit('create_policy', given([one]), { type: typeV2 }), 400, text)
  })

  test('a selector of the first version has one target', async () => {
    const selectors = [{ subject: 'wallet.id', operator: 'OPERATOR_IN', target: idA }]
    const { policyId } = await done('create_policy', given(selectors), { type: typeV1 })
    expect(await policyOf(policyId)).toMatchObject({ condition: `wallet.id in ['${idA}']`, consensus: '' })
  })
})
