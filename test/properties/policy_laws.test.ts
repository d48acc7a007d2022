import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Decision, decide } from '../../src/policy/decision/decide.ts'
import type { Effect } from '../../src/policy/decision/effects.ts'
import type { CompiledPolicy, PolicyInput } from '../../src/policy/decision/policy_evaluator.ts'
import { compileCondition, compileConsensus, compileTime } from '../../src/policy/decision/policy_expressions.ts'
import { print } from '../../src/policy/language/reading/print.ts'
import { evaluatePolicies } from '../support/evaluate_policies.ts'
import { generatedEnvironment, generatedExpression, instant, type Pick } from '../support/policy_generator.ts'

/** Laws of what policies decide, over any policies, approvals and requests. */

const tags = ['treasury', 'traders', 'ops']
const userIds = ['ada', 'bob', 'cy', 'dan']
/** A user of the organization with no tag, of whom no policy speaks. */
const stranger = 'zoe'

type Organization = { readonly tagsOf: ReadonlyMap<string, readonly string[]>; readonly memberIds: readonly string[] }

function approvalsOf({ tagsOf }: Organization, approverIds: readonly string[]) {
  return {
    approvers: approverIds.map((id) => ({ id, tags: tagsOf.get(id) ?? [], email: `${id}@example.com`, alias: id })),
    credentials: approverIds.map((id) => ({
      ...{ id: `key of ${id}`, user_id: id, type: 'CREDENTIAL_TYPE_API_KEY_P256' },
      ...{ credential_id: '', public_key: '02ab' },
    })),
  }
}

/**
 * Says who must approve: some by name, or how many of a tag. The more approve, the truer it is. With `counts` it may ask
 * for a number of anybody, and then speaks of everybody.
 */
function asking(pick: Pick, { counts, depth = 2 }: { readonly counts: boolean; readonly depth?: number }): string {
  if (depth > 0 && pick(fc.boolean)) {
    const operator = pick(fc.constantFrom, '&&', '||')
    const [left, right] = [asking(pick, { counts, depth: depth - 1 }), asking(pick, { counts, depth: depth - 1 })]
    return `(${left} ${operator} ${right})`
  }
  const userId = pick(fc.constantFrom, ...userIds)
  const tag = pick(fc.constantFrom, ...tags)
  const atLeast = pick(fc.integer, { min: 1, max: 3 })
  return pick(
    fc.constantFrom,
    `approvers.any(user, user.id == '${userId}')`,
    `approvers.any(user, user.id in ['${userId}', '${userIds[0]}'])`,
    `approvers.any(user, user.email == '${userId}@example.com' && user.tags.contains('${tag}'))`,
    `approvers.filter(user, user.tags.contains('${tag}')).count() >= ${atLeast}`,
    `credentials.any(used, used.user_id == '${userId}')`,
    ...(counts ? [`approvers.count() >= ${atLeast}`] : []),
  )
}

/** Any expression of the language, which more approvals may make untrue as well. */
function anyConsensus(pick: Pick): string {
  return pick(fc.boolean) ? asking(pick, { counts: true }) : print(generatedExpression(pick, 'consensus'))
}

type NewPolicy = {
  readonly effect: Effect
  readonly consensus: string
  readonly condition: string
  readonly time: string
}

function newPolicy(pick: Pick, effect: Effect, consensus: string): NewPolicy {
  const sometimes = (kind: 'condition' | 'time') =>
    pick(fc.integer, { min: 0, max: 2 }) > 0 ? '' : print(generatedExpression(pick, kind))
  return { effect, consensus, condition: sometimes('condition'), time: sometimes('time') }
}

const compiled = (policies: readonly NewPolicy[]) =>
  policies.map(
    ({ effect, consensus, condition, time }, index): CompiledPolicy => ({
      ...{ policyId: `policy ${index}`, effect },
      ...{ consensus: compileConsensus(consensus), condition: compileCondition(condition), time: compileTime(time) },
    }),
  )

/** An organization with policies, and a request: `consensusOf` writes what the policies ask for. */
function generatedCase(pick: Pick, consensusOf: (effect: Effect) => string) {
  const many = { length: pick(fc.integer, { min: 1, max: 5 }) }
  const policies = Array.from(many, () => {
    const effect = pick(fc.constantFrom, 'EFFECT_ALLOW' as const, 'EFFECT_ALLOW' as const, 'EFFECT_DENY' as const)
    return newPolicy(pick, effect, consensusOf(effect))
  })
  const extra = newPolicy(pick, 'EFFECT_DENY', anyConsensus(pick))
  const texts = [...policies, extra].map(({ condition }) => condition).join(' ')
  return {
    policies: compiled(policies),
    denying: { ...compiled([extra])[0], policyId: 'extra' } as CompiledPolicy,
    organization: {
      tagsOf: new Map(userIds.map((userId) => [userId, pick(fc.subarray<string>, tags)])),
      memberIds: [...userIds, stranger],
    },
    condition: generatedEnvironment(pick, 'condition', texts),
    nowMs: instant(pick),
    rootQuorum: { threshold: pick(fc.integer, { min: 1, max: 3 }), userIds: pick(fc.subarray<string>, userIds) },
    approverIds: pick(fc.shuffledSubarray<string>, [...userIds, stranger], { minLength: 1 }),
    ownerId: pick(fc.constantFrom, undefined, undefined, undefined, ...userIds),
  }
}
type Case = ReturnType<typeof generatedCase>

function evaluated({ organization, condition, nowMs, policies, approverIds }: Case) {
  const input: PolicyInput = {
    condition,
    nowMs,
    approvals: approvalsOf(organization, approverIds),
    everybody: () => approvalsOf(organization, organization.memberIds),
  }
  const evaluations = evaluatePolicies(policies, input)
  if (evaluations === undefined) throw new Error('these policies take too many steps')
  return evaluations
}

function decided(given: Case, submitterId = given.approverIds[0] ?? ''): Decision {
  const { rootQuorum, approverIds, ownerId } = given
  return decide({ rootQuorum, approverIds, submitterId, ownerId, evaluations: evaluated(given) })
}

const asksForSome = (pick: Pick) => generatedCase(pick, () => asking(pick, { counts: true }))
const asksForNamed = (pick: Pick) => generatedCase(pick, () => asking(pick, { counts: false }))
const asksForAnything = (pick: Pick) => generatedCase(pick, () => anyConsensus(pick))
const casesOf = (make: (pick: Pick) => Case) => fc.gen().map(make)

const numRuns = 500
const kinds = ['deny', 'consensus', 'allow']
const ranks = { deny: 0, consensus: 1, allow: 2 } as const

/** Runs the law, which says what it saw, and makes sure that it saw all of this: else it would say little. */
function holds<T>(cases: fc.Arbitrary<T>, sights: readonly string[], law: (given: T) => string): void {
  const seen = new Set<string>()
  fc.assert(
    fc.property(cases, (given) => {
      seen.add(law(given))
    }),
    { numRuns },
  )
  expect([...seen]).toEqual(expect.arrayContaining([...sights]))
}

describe('whatever the policies, approvals and request', () => {
  test('a policy more that denies leaves what was decided as it is, or denies', () => {
    holds(
      casesOf(asksForAnything),
      ['deny, then deny', 'consensus, then deny', 'allow, then deny', 'allow, then allow'],
      (given) => {
        const before = decided(given).kind
        const after = decided({ ...given, policies: [...given.policies, given.denying] }).kind
        expect([before, 'deny']).toContain(after)
        return `${before}, then ${after}`
      },
    )
  })

  test('the order of policies does not matter', () => {
    const cases = fc.gen().map((pick: Pick) => {
      const given = asksForAnything(pick)
      const minLength = given.policies.length
      return { given, policies: pick(fc.shuffledSubarray<CompiledPolicy>, given.policies, { minLength }) }
    })
    holds(cases, kinds, ({ given, policies }) => {
      const [one, other] = [decided(given), decided({ ...given, policies })]
      expect({ ...other, evaluations: undefined }).toEqual({ ...one, evaluations: undefined })
      const byId = ({ policyId }: { readonly policyId: string }, { policyId: next }: { readonly policyId: string }) =>
        policyId < next ? -1 : 1
      expect(evaluated({ ...given, policies }).toSorted(byId)).toEqual(evaluated(given).toSorted(byId))
      return one.kind
    })
  })

  test('the order of approvals does not matter, unless a rule counts on it', () => {
    const cases = fc.gen().map((pick: Pick) => {
      const given = asksForSome(pick)
      const minLength = given.approverIds.length
      return { given, approverIds: pick(fc.shuffledSubarray<string>, given.approverIds, { minLength }) }
    })
    holds(cases, kinds, ({ given, approverIds }) => {
      const submitterId = given.approverIds[0]
      const one = decided(given, submitterId)
      expect(decided({ ...given, approverIds }, submitterId)).toEqual(one)
      return one.kind
    })
  })
})

describe('where policies ask for approvals of some, and none for their absence', () => {
  test('more approvals never take away what fewer had, unless a policy denies by name', () => {
    const cases = fc.gen().map((pick: Pick) => {
      const given = asksForSome(pick)
      const others = given.organization.memberIds.filter((userId) => !given.approverIds.includes(userId))
      return { given, more: pick(fc.subarray<string>, others) }
    })
    holds(cases, ['deny, then allow', 'consensus, then allow', 'allow, then allow'], ({ given, more }) => {
      const before = decided(given)
      const after = { ...given, approverIds: [...given.approverIds, ...more] }
      const { kind } = decided(after)
      const isDenied = evaluated(after).some(({ outcome }) => outcome === 'OUTCOME_DENY_EXPLICIT')
      if (!(isDenied && kind === 'deny')) expect(ranks[kind]).toBeGreaterThanOrEqual(ranks[before.kind])
      return `${before.kind}, then ${kind}`
    })
  })
})

describe('a user of whom no policy speaks, by id, tag or number,', () => {
  test('adds nothing to the approvals of others', () => {
    holds(casesOf(asksForNamed), kinds, (given) => {
      const without = { ...given, approverIds: given.approverIds.filter((userId) => userId !== stranger) }
      const within = { ...given, approverIds: [...without.approverIds, stranger] }
      expect(evaluated(within)).toEqual(evaluated(without))
      const submitterId = within.approverIds[0] ?? ''
      expect(decided(within, submitterId)).toEqual(decided(without, submitterId))
      return decided(within, submitterId).kind
    })
  })

  test('is never allowed anything alone, and waits only where others whom a policy names could approve', () => {
    holds(casesOf(asksForNamed), ['deny', 'consensus'], (given) => {
      const alone = { ...given, approverIds: [stranger] }
      const { kind } = decided(alone)
      expect(kind).not.toBe('allow')
      const withNobodyElse = { ...alone, organization: { ...given.organization, memberIds: [stranger] } }
      expect(decided(withNobodyElse).kind).toBe('deny')
      return kind
    })
  })
})
