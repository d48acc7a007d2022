import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluatePolicies } from '../../../test/support/evaluate_policies.ts'
import { generatedRuns } from '../../../test/support/generated_runs.ts'
import type { Pick } from '../../../test/support/policy_generator.ts'
import type { Struct } from '../language/expression_values.ts'
import { type Decision, decide, type Question } from './decide.ts'
import { type Outcome, outcomes } from './effects.ts'
import type { CompiledPolicy, PolicyInput } from './policy_evaluator.ts'
import { compileCondition, compileConsensus, compileTime } from './policy_expressions.ts'

type Texts = { effect?: 'EFFECT_ALLOW' | 'EFFECT_DENY'; consensus?: string; condition?: string; time?: string }

function policyOf({ effect = 'EFFECT_ALLOW', consensus, condition, time }: Texts, policyId = 'policy'): CompiledPolicy {
  return {
    policyId,
    effect,
    ...(consensus === undefined ? {} : { consensus: compileConsensus(consensus) }),
    ...(condition === undefined ? {} : { condition: compileCondition(condition) }),
    ...(time === undefined ? {} : { time: compileTime(time) }),
  }
}

const users: Readonly<Record<string, Struct>> = {
  ada: { id: 'ada', tags: ['treasury'], email: 'ada@example.com', alias: 'Ada' },
  bob: { id: 'bob', tags: ['treasury'], email: 'bob@example.com', alias: 'Bob' },
  eve: { id: 'eve', tags: [], email: 'eve@example.com', alias: 'Eve' },
}
const everybody = Object.values(users)
const credentialOf = ({ id }: Struct): Struct => ({
  id: `key-of-${id}`,
  user_id: id,
  type: 'CREDENTIAL_TYPE_API_KEY_P256',
  public_key: '02ab',
})

function policyInputOf(approverIds: readonly string[], nowMs = Date.parse('2026-07-06T12:00:00Z')): PolicyInput {
  const approvers = everybody.filter(({ id }) => approverIds.some((approverId) => approverId === id))
  return {
    condition: { keywords: { activity: { action: 'SIGN' }, eth: { tx: { value: 5n } } }, spent: () => 7n },
    nowMs,
    approvals: { approvers, credentials: approvers.map(credentialOf) },
    everybody: () => ({ approvers: everybody, credentials: everybody.map(credentialOf) }),
  }
}

function evaluated(policies: readonly CompiledPolicy[], approverIds: readonly string[]) {
  const evaluations = evaluatePolicies(policies, policyInputOf(approverIds))
  if (evaluations === undefined) throw new Error('these policies take too many steps')
  return evaluations
}

function outcomeOf(texts: Texts, approverIds: readonly string[]): Outcome | undefined {
  return evaluated([policyOf(texts)], approverIds)[0]?.outcome
}

describe('policies that take too many steps together', () => {
  const digits = `[${Array.from({ length: 210 }, (_, index) => index % 10).join(', ')}]`
  /** Reads and compares 210 items for each of 210 items: about 89,000 steps. */
  const heavy = `${digits}.all(x, ${digits}.contains(x))`
  const several = (count: number, texts: Texts) =>
    Array.from({ length: count }, (_, index) => policyOf(texts, `heavy ${index}`))

  test.each<[string, number, Texts]>([
    ['conditions', 12, { condition: heavy }],
    ['consensus', 12, { consensus: heavy }],
    // One step too many makes a policy an error, which must not make it cheap.
    ['errors', 11, { condition: `${heavy} && ${heavy}` }],
    ['time', 11, { time: Array.from({ length: 20 }, () => "CronSpan('0 0 * * *', '7d', 'UTC')").join(' && ') }],
  ])('have no outcomes, not even those that were reached: %s', (_, count, texts) => {
    const policies = several(count, texts)
    const enough = (some: readonly CompiledPolicy[]) => evaluatePolicies(some, policyInputOf(['ada'])) !== undefined
    expect(enough(policies.slice(0, -2))).toBe(true)
    expect(enough([policyOf({}), ...policies])).toBe(false)
    expect(enough([...policies, policyOf({})])).toBe(false)
  })

  test('wait where the search for approvals that would be enough takes too many, which use up none of the others', () => {
    for (const consensus of [
      `${heavy} && approvers.count() >= 3`,
      `approvers.any(user, ${heavy} && user.id == 'none')`,
    ]) {
      const outcomes = evaluatePolicies(several(10, { consensus }), policyInputOf([]))?.map(({ outcome }) => outcome)
      expect(new Set(outcomes)).toEqual(new Set(['OUTCOME_REQUIRES_CONSENSUS']))
    }
  })

  test('count only the steps that are taken: an inactive policy costs little', () => {
    const policies = several(12, { time: inactive, condition: heavy })
    expect(evaluatePolicies(policies, policyInputOf(['ada']))).toHaveLength(12)
  })
})

const [matches, matchesNot, fails] = ['eth.tx.value == 5', 'eth.tx.value == 6', 'wallet.exported']
const [active, inactive] = [
  "time.now >= Timestamp('2026-07-06T12:00:00Z')",
  "time.now > Timestamp('2026-07-06T12:00:00Z')",
]

describe('one expression that takes too many steps', () => {
  const digits = `[${Array.from({ length: 210 }, (_, index) => index % 10).join(', ')}]`
  const tooLong = `${digits}.any(x, !${digits}.any(y, x == y && y != x))`
  const tooLongTime = Array.from({ length: 21 }, () => "CronSpan('0 0 * * *', '7d', 'UTC')").join(' && ')

  test.each<[string, Texts, Outcome]>([
    ['a condition that allows', { condition: tooLong }, 'OUTCOME_ERROR'],
    ['a consensus that allows', { consensus: tooLong }, 'OUTCOME_ERROR'],
    ['a time that allows', { time: tooLongTime }, 'OUTCOME_ERROR'],
    ['a condition that denies', { effect: 'EFFECT_DENY', condition: tooLong }, 'OUTCOME_DENY_EXPLICIT'],
    ['a consensus that denies', { effect: 'EFFECT_DENY', consensus: tooLong }, 'OUTCOME_DENY_EXPLICIT'],
    ['a time that denies', { effect: 'EFFECT_DENY', time: tooLongTime }, 'OUTCOME_DENY_EXPLICIT'],
    [
      'a condition that denies at another time',
      { effect: 'EFFECT_DENY', condition: tooLong, time: inactive },
      'OUTCOME_TIME_INACTIVE',
    ],
    [
      'a condition that denies others',
      { effect: 'EFFECT_DENY', condition: tooLong, consensus: "approvers.any(user, user.id == 'bob')" },
      'OUTCOME_DENY_IMPLICIT',
    ],
    [
      'a condition that denies requests of another kind',
      { effect: 'EFFECT_DENY', condition: `${fails} && ${tooLong}` },
      'OUTCOME_ERROR',
    ],
    [
      'a condition that denies requests of another kind, which it names last',
      { effect: 'EFFECT_DENY', condition: `${tooLong} && ${fails}` },
      'OUTCOME_ERROR',
    ],
  ])('%s', (_name, texts, outcome) => {
    expect(outcomeOf(texts, ['ada'])).toBe(outcome)
  })
})

const twoOfTreasury = "approvers.filter(user, user.tags.contains('treasury')).count() >= 2"

describe('the outcome of a policy', () => {
  test.each<[string, Texts, string[], Outcome]>([
    ['allow with nothing to fulfil', {}, ['eve'], 'OUTCOME_ALLOW'],
    ['allow with empty texts', { consensus: '', condition: '', time: '' }, ['eve'], 'OUTCOME_ALLOW'],
    [
      'allow with all three',
      { consensus: twoOfTreasury, condition: matches, time: active },
      ['ada', 'bob'],
      'OUTCOME_ALLOW',
    ],
    [
      'consensus when others may approve',
      { consensus: twoOfTreasury, condition: matches, time: active },
      ['ada'],
      'OUTCOME_REQUIRES_CONSENSUS',
    ],
    ['consensus when others alone may approve', { consensus: twoOfTreasury }, ['eve'], 'OUTCOME_REQUIRES_CONSENSUS'],
    ['nothing when nobody could', { consensus: 'approvers.count() >= 4' }, ['ada'], 'OUTCOME_DENY_IMPLICIT'],
    ['consensus when nobody approves any more', {}, [], 'OUTCOME_REQUIRES_CONSENSUS'],
    [
      'nothing when nobody approves any more and not everybody could',
      { consensus: "approvers.all(user, user.tags.contains('treasury'))" },
      [],
      'OUTCOME_DENY_IMPLICIT',
    ],
    ['deny also when nobody approves any more', { effect: 'EFFECT_DENY' }, [], 'OUTCOME_DENY_EXPLICIT'],
    ['consensus when everybody must', { consensus: 'approvers.count() >= 3' }, ['ada'], 'OUTCOME_REQUIRES_CONSENSUS'],
    [
      'nothing when the user is not there',
      { consensus: "approvers.any(user, user.id == 'zoe')" },
      ['ada'],
      'OUTCOME_DENY_IMPLICIT',
    ],
    [
      'nothing when the condition does not match, whatever the consensus',
      { consensus: twoOfTreasury, condition: matchesNot },
      ['ada'],
      'OUTCOME_DENY_IMPLICIT',
    ],
    ['nothing when the condition alone does not match', { condition: matchesNot }, ['ada'], 'OUTCOME_DENY_IMPLICIT'],
    [
      'consensus by a credential that another user has',
      { consensus: "credentials.any(used, used.id == 'key-of-bob')" },
      ['ada'],
      'OUTCOME_REQUIRES_CONSENSUS',
    ],
    // An approver counts with the credential that was used, and is not counted twice.
    [
      'nothing by a second approval of the same user',
      { consensus: 'approvers.count() >= 4 || credentials.count() >= 4' },
      ['ada', 'bob'],
      'OUTCOME_DENY_IMPLICIT',
    ],
    [
      'allow at the number that more would undo',
      { consensus: 'approvers.count() == 2' },
      ['ada', 'bob'],
      'OUTCOME_ALLOW',
    ],
    [
      'nothing before the number that more would undo',
      { consensus: 'approvers.count() == 2' },
      ['ada'],
      'OUTCOME_DENY_IMPLICIT',
    ],
    ['an error of the condition', { condition: fails }, ['ada'], 'OUTCOME_ERROR'],
    [
      'an error of the condition, although the consensus is unmet',
      { condition: fails, consensus: twoOfTreasury },
      ['ada'],
      'OUTCOME_ERROR',
    ],
    ['an error of the consensus', { consensus: "approvers[1].id == 'bob'" }, ['ada'], 'OUTCOME_ERROR'],
    [
      'an error of the consensus, although nothing matches',
      { consensus: "approvers[1].id == 'bob'", condition: matchesNot },
      ['ada'],
      'OUTCOME_ERROR',
    ],
    [
      'nothing when the consensus fails with everybody',
      { consensus: 'approvers.count() > 1 && [true, true, false][approvers.count() + -1]' },
      ['ada'],
      'OUTCOME_DENY_IMPLICIT',
    ],
    [
      'nothing when the consensus is an error with everybody',
      { consensus: 'approvers.count() > 1 && [true, true][approvers.count() + -1]' },
      ['ada'],
      'OUTCOME_DENY_IMPLICIT',
    ],
    ['no more than inactive outside its time', { time: inactive }, ['ada'], 'OUTCOME_TIME_INACTIVE'],
    [
      'no more than inactive, although its condition is an error',
      { time: inactive, condition: fails },
      ['ada'],
      'OUTCOME_TIME_INACTIVE',
    ],
    ['an error of the time', { time: '[true][1]' }, ['ada'], 'OUTCOME_ERROR'],
    ['a sum', { condition: "spent('eth.tx.value', '1h') + eth.tx.value == 12" }, ['ada'], 'OUTCOME_ALLOW'],
    ['deny', { effect: 'EFFECT_DENY', condition: matches }, ['ada'], 'OUTCOME_DENY_EXPLICIT'],
    [
      'no denial when the condition does not match',
      { effect: 'EFFECT_DENY', condition: matchesNot },
      ['ada'],
      'OUTCOME_DENY_IMPLICIT',
    ],
    [
      'deny by those who approved',
      { effect: 'EFFECT_DENY', consensus: "approvers.any(user, user.id == 'eve')" },
      ['eve'],
      'OUTCOME_DENY_EXPLICIT',
    ],
    [
      'no denial by those who may yet approve',
      { effect: 'EFFECT_DENY', consensus: "approvers.any(user, user.id == 'eve')" },
      ['ada'],
      'OUTCOME_DENY_IMPLICIT',
    ],
    ['no denial outside its time', { effect: 'EFFECT_DENY', time: inactive }, ['ada'], 'OUTCOME_TIME_INACTIVE'],
    ['no denial by an error', { effect: 'EFFECT_DENY', condition: fails }, ['ada'], 'OUTCOME_ERROR'],
  ])('%s', (_name, texts, approverIds, outcome) => {
    expect(outcomeOf(texts, approverIds)).toBe(outcome)
  })
})

const quorum = { threshold: 2, userIds: ['ada', 'bob', 'cy'] }

describe('an activity is decided', () => {
  const implicit = 'No policies evaluated to outcome: Allow'
  const questionOf = (approverIds: string[], given: Outcome[], ownerId?: string): Question => ({
    rootQuorum: quorum,
    approverIds,
    submitterId: approverIds[0] ?? '',
    ownerId,
    evaluations: given.map((outcome, index) => ({ policyId: `p${9 - index}`, outcome })),
  })

  test.each<[string, string[], Outcome[], string | undefined, Decision['kind'], string?]>([
    ['by the root quorum, whatever policies say', ['ada', 'bob'], ['OUTCOME_DENY_EXPLICIT'], undefined, 'allow'],
    ['by the same member twice: no quorum', ['ada', 'ada'], [], undefined, 'consensus'],
    ['by a member and another: no quorum', ['ada', 'eve'], [], undefined, 'consensus'],
    [
      'by a denial before an allowance',
      ['eve'],
      ['OUTCOME_ALLOW', 'OUTCOME_DENY_EXPLICIT'],
      undefined,
      'deny',
      'The following policies denied this action: p8',
    ],
    [
      'by all denials',
      ['eve'],
      ['OUTCOME_DENY_EXPLICIT', 'OUTCOME_ALLOW', 'OUTCOME_DENY_EXPLICIT'],
      undefined,
      'deny',
      'The following policies denied this action: p7, p9',
    ],
    [
      'by a denial before the quorum is complete',
      ['ada'],
      ['OUTCOME_DENY_EXPLICIT'],
      undefined,
      'deny',
      'The following policies denied this action: p9',
    ],
    [
      'by a denial before one’s own credentials',
      ['eve'],
      ['OUTCOME_DENY_EXPLICIT'],
      'eve',
      'deny',
      'The following policies denied this action: p9',
    ],
    [
      'by an allowance',
      ['eve'],
      ['OUTCOME_DENY_IMPLICIT', 'OUTCOME_ALLOW', 'OUTCOME_REQUIRES_CONSENSUS'],
      undefined,
      'allow',
    ],
    ['by an allowance for a lone member of the quorum', ['ada'], ['OUTCOME_ALLOW'], undefined, 'allow'],
    ['by whose credentials they are', ['eve'], [], 'eve', 'allow'],
    ['by whose they are, without waiting', ['ada'], ['OUTCOME_REQUIRES_CONSENSUS'], 'ada', 'allow'],
    ['not by whose they are, when they are another’s', ['eve'], [], 'bob', 'deny', implicit],
    ['later, by a policy that others may fulfil', ['eve'], ['OUTCOME_REQUIRES_CONSENSUS'], undefined, 'consensus'],
    [
      'later, by the quorum',
      ['ada'],
      ['OUTCOME_DENY_IMPLICIT', 'OUTCOME_ERROR', 'OUTCOME_TIME_INACTIVE'],
      undefined,
      'consensus',
    ],
    ['against, without policies', ['eve'], [], undefined, 'deny', implicit],
    [
      'against, when no policy applies',
      ['eve'],
      ['OUTCOME_DENY_IMPLICIT', 'OUTCOME_ERROR', 'OUTCOME_TIME_INACTIVE'],
      undefined,
      'deny',
      implicit,
    ],
  ])('%s', (_name, approverIds, given, ownerId, kind, reason) => {
    const question = questionOf(approverIds, given, ownerId)
    const decision = decide(question)
    expect(decision).toEqual(kind === 'deny' ? { kind, reason, evaluations: question.evaluations } : { kind })
  })

  test('without evaluations as with none', () => {
    const { evaluations: _, ...question } = questionOf(['eve'], [])
    expect(decide(question)).toEqual({ kind: 'deny', reason: implicit, evaluations: [] })
  })

  test('never by a quorum without a threshold', () => {
    const question = { ...questionOf(['eve'], []), rootQuorum: { threshold: 0, userIds: [] } }
    expect(decide(question).kind).toBe('deny')
  })
})

test('outcomes have the names of the interface', () => {
  expect(outcomes).toEqual([
    'OUTCOME_ALLOW',
    'OUTCOME_DENY_EXPLICIT',
    'OUTCOME_DENY_IMPLICIT',
    'OUTCOME_REQUIRES_CONSENSUS',
    'OUTCOME_REJECTED',
    'OUTCOME_ERROR',
    'OUTCOME_REQUIRES_AUTHENTICATORS',
    'OUTCOME_TIME_INACTIVE',
  ])
})

/** The laws for arbitrary expressions are in test/properties/policy_laws.test.ts. */
describe('laws', () => {
  const consensuses = [
    undefined,
    twoOfTreasury,
    "approvers.any(user, user.id == 'ada')",
    "approvers.any(user, user.id == 'eve')",
    'approvers.count() >= 3',
    'approvers.count() == 2',
    'approvers[1].tags.count() == 0',
  ]
  const conditions = [undefined, matches, matchesNot, fails]
  const times = [undefined, active, inactive]
  const pickPolicy = (pick: Pick, policyId: string) => {
    const [consensus, condition, time] = [
      pick(fc.constantFrom, ...consensuses),
      pick(fc.constantFrom, ...conditions),
      pick(fc.constantFrom, ...times),
    ]
    return policyOf(
      {
        effect: pick(fc.constantFrom, 'EFFECT_ALLOW', 'EFFECT_DENY'),
        ...(consensus === undefined ? {} : { consensus }),
        ...(condition === undefined ? {} : { condition }),
        ...(time === undefined ? {} : { time }),
      },
      policyId,
    )
  }
  const cases = fc.gen().map((pick: Pick) => {
    const policies = Array.from({ length: pick(fc.integer, { min: 0, max: 5 }) }, (_, index) =>
      pickPolicy(pick, `p${index}`),
    )
    const approverIds = pick(fc.subarray<string>, ['ada', 'bob', 'eve'], { minLength: 1 })
    const question = {
      rootQuorum: {
        threshold: pick(fc.integer, { min: 1, max: 3 }),
        userIds: pick(fc.subarray<string>, ['ada', 'bob', 'cy', 'dan']),
      },
      approverIds,
      submitterId: approverIds[0] ?? '',
      ownerId: pick(fc.constantFrom, undefined, 'ada', 'eve'),
    }
    return { policies, question }
  })
  type Case = { policies: readonly CompiledPolicy[]; question: Omit<Question, 'evaluations'> }
  const decided = ({ question }: Case, policies: readonly CompiledPolicy[]) =>
    decide({ ...question, evaluations: evaluated(policies, question.approverIds) })
  const numRuns = 15 * generatedRuns

  test('removing a policy that allows never allows more', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const before = decided(given, given.policies).kind
        for (const gone of given.policies.filter(({ effect }) => effect === 'EFFECT_ALLOW')) {
          const after = decided(
            given,
            given.policies.filter((policy) => policy !== gone),
          ).kind
          if (before !== 'allow') expect(after).not.toBe('allow')
          if (before === 'deny') expect(after).toBe('deny')
        }
      }),
      { numRuns },
    )
  })

  test('a user whom a policy does not name gains nothing from it', () => {
    const named = policyOf(
      { consensus: "approvers.any(user, user.id == 'zoe') && credentials.any(used, used.user_id == 'zoe')" },
      'named',
    )
    fc.assert(
      fc.property(cases, (given) => {
        expect(decided(given, [...given.policies, named]).kind).toBe(decided(given, given.policies).kind)
      }),
      { numRuns },
    )
  })

  test('a policy that is inactive or an error changes nothing', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom('EFFECT_ALLOW' as const, 'EFFECT_DENY' as const), (given, effect) => {
        const before = decided(given, given.policies).kind
        for (const without of [
          { effect, time: inactive },
          { effect, condition: fails },
        ]) {
          expect(decided(given, [...given.policies, policyOf(without, 'without')]).kind).toBe(before)
        }
      }),
      { numRuns },
    )
  })

  test('a policy that waits for approvals allows once everybody approves', () => {
    fc.assert(
      fc.property(cases, ({ policies }) => {
        const waiting = evaluated(policies, ['ada']).filter(({ outcome }) => outcome === 'OUTCOME_REQUIRES_CONSENSUS')
        const complete = evaluated(policies, ['ada', 'bob', 'eve'])
        for (const { policyId } of waiting) expect(complete).toContainEqual({ policyId, outcome: 'OUTCOME_ALLOW' })
      }),
      { numRuns },
    )
  })

  test('no policy stops a complete quorum', () => {
    fc.assert(
      fc.property(cases, ({ policies, question }) => {
        const rootQuorum = { threshold: question.approverIds.length, userIds: question.approverIds }
        expect(decided({ policies, question: { ...question, rootQuorum } }, policies)).toEqual({ kind: 'allow' })
      }),
      { numRuns },
    )
  })
})
