import { lazily } from '../../protocol/tools/lazily.ts'
import type { Struct } from '../language/expression_values.ts'
import type { Environment, StepMeter } from '../language/running/evaluate.ts'
import { stepsOfPoliciesMax } from '../language/running/run.ts'
import type { Effect, Outcome, PolicyEvaluation } from './effects.ts'
import type { Approvals, Possible } from './equal_approvals.ts'
import { type CompiledExpression, guardHolds, truthOf } from './policy_expressions.ts'
import { isSatisfiableBy } from './satisfiable.ts'

export type { Approvals, Possible } from './equal_approvals.ts'

/** An absent expression is true. */
export type CompiledPolicy = {
  readonly policyId: string
  readonly effect: Effect
  readonly consensus?: CompiledExpression
  readonly condition?: CompiledExpression
  readonly time?: CompiledExpression
}

/** The structs are those of docs/policies.md. */
export type PolicyInput = {
  readonly condition: Environment
  /** Milliseconds since 1970, one for the whole request. */
  readonly nowMs: number
  /** The approvals that count, the submitter's included. */
  readonly approvals: Approvals
  /** The same approvals with other credentials of the factors. A consensus may be true of any of these. */
  readonly otherForms?: readonly Approvals[]
  /** The approvals with others that were given and count no more. A denial applies by these too. */
  readonly withEnded?: readonly Approvals[]
  /** The approvals if all users of the organization approved, each with all credentials. It has those that were used. */
  readonly everybody: () => Possible
}

/** Evaluates the policies of one request, one after another. A policy knows nothing of the others. */
export type PolicyEvaluator = {
  /**
   * Undefined once the policies so far have taken more than `stepsOfPoliciesMax` steps together: their outcomes and
   * those of all others are then unknown.
   */
  evaluate(policy: CompiledPolicy): PolicyEvaluation | undefined
  /** The steps of all policies so far, and of the search for approvals that would be enough. */
  steps(): number
}

/**
 * The steps of the policies, and those of the search for approvals that would be enough. The organization's users and
 * their credentials decide how long the search is, so it must not use up the steps of the policies.
 */
export type PolicyMeters = { readonly policies: StepMeter; readonly search: StepMeter }

export function newPolicyMeters(): PolicyMeters {
  return { policies: { steps: 0 }, search: { steps: 0 } }
}

/** `meters`: those of several evaluators, which then share the steps. */
export function createPolicyEvaluator(input: PolicyInput, meters = newPolicyMeters()): PolicyEvaluator {
  const environments = environmentsOf(input, meters)
  const { policies, search } = meters
  return {
    evaluate(policy) {
      const outcome = outcomeOf(policy, environments)
      return policies.steps > stepsOfPoliciesMax ? undefined : { policyId: policy.policyId, outcome }
    },
    steps: () => policies.steps + search.steps,
  }
}

type Environments = {
  readonly time: Environment
  readonly condition: Environment
  /** The forms of the approvals. */
  readonly consensus: readonly Environment[]
  readonly denials: readonly Environment[]
  readonly hasApprovers: boolean
  /** The approvals once everybody has approved, also those who have, with what else they have. */
  readonly complete: () => readonly Possible[]
  readonly search: StepMeter
}

function environmentsOf(
  { nowMs, condition, approvals, otherForms = [], withEnded = [], everybody }: PolicyInput,
  { policies: meter, search }: PolicyMeters,
): Environments {
  return {
    time: { keywords: { time: { now: BigInt(nowMs) } }, meter },
    condition: { ...condition, meter },
    consensus: [approvals, ...otherForms].map((keywords) => ({ keywords, meter })),
    denials: [approvals, ...withEnded].map((keywords) => ({ keywords, meter })),
    hasApprovers: approvals.approvers.length > 0,
    complete: lazily(() => [approvals, ...otherForms].flatMap((form) => completedBy(everybody(), form))),
    search,
  }
}

/**
 * Adds the users who have not approved yet. The others keep the credentials that they used, and only those; or they
 * approve again with their other ones, where a rule asks for another kind.
 */
function completedBy(everybody: Possible, { approvers, credentials }: Approvals): readonly Possible[] {
  const approved = new Set(approvers.map(({ id }) => id))
  const all = [...approvers, ...everybody.approvers.filter(({ id }) => !approved.has(id))]
  const isOfOthers = ({ user_id: userId }: Struct) => !approved.has(userId)
  const ofOthers = everybody.credentials.filter(isOfOthers)
  const known = new Set(everybody.credentials.map(keyOf))
  const further = [...credentials.filter((one) => !known.has(keyOf(one))), ...everybody.credentials]
  const { factors = [] } = everybody
  const once = { approvers: all, credentials: [...credentials, ...ofOthers], factors: factorsOf(factors, isOfOthers) }
  // Most have one credential: nothing would be asked twice.
  if (further.length === once.credentials.length) return [once]
  return [once, { approvers: all, credentials: further, factors }]
}

function factorsOf(factors: readonly (readonly Struct[])[], isOne: (credential: Struct) => boolean) {
  return factors.filter((factor) => factor.every(isOne))
}

function keyOf({ user_id: userId, public_key: publicKey }: Struct): string {
  return `${String(userId)} ${String(publicKey)}`
}

function outcomeOf({ effect, consensus, condition, time }: CompiledPolicy, environments: Environments): Outcome {
  const isDenial = effect === 'EFFECT_DENY'
  const isTrue = isDenial ? holdsIn(guardHolds) : holdsIn(truthOf)
  const isActive = isTrue(time, environments.time)
  if (isActive === undefined) return 'OUTCOME_ERROR'
  if (!isActive) return 'OUTCOME_TIME_INACTIVE'
  const matches = isTrue(condition, environments.condition)
  if (matches === undefined) return 'OUTCOME_ERROR'
  const agrees = holdsInOne(isTrue, consensus, isDenial ? environments.denials : environments.consensus)
  if (agrees === undefined) return 'OUTCOME_ERROR'
  if (!matches) return 'OUTCOME_DENY_IMPLICIT'
  if (isDenial) return agrees ? 'OUTCOME_DENY_EXPLICIT' : 'OUTCOME_DENY_IMPLICIT'
  // If no approval counts any more, `all` is true of the empty list, and so is an absent consensus.
  if (agrees && environments.hasApprovers) return 'OUTCOME_ALLOW'
  const { complete, search } = environments
  const isSatisfiable = consensus === undefined || complete().some((one) => isSatisfiableBy(one, consensus, search))
  return isSatisfiable ? 'OUTCOME_REQUIRES_CONSENSUS' : 'OUTCOME_DENY_IMPLICIT'
}

/** Whether the consensus is true of one of these lists; undefined if it is of none and an error of one. */
function holdsInOne(
  isTrue: ReturnType<typeof holdsIn>,
  consensus: CompiledExpression | undefined,
  environments: readonly Environment[],
): boolean | undefined {
  let truth: boolean | undefined = false
  for (const environment of environments) {
    const told = isTrue(consensus, environment)
    if (told === true) return true
    truth = truth === undefined ? undefined : told
  }
  return truth
}

/** An expression that is left out is true. */
function holdsIn(truth: typeof truthOf) {
  return (expression: CompiledExpression | undefined, environment: Environment): boolean | undefined =>
    expression === undefined ? true : truth(expression, environment)
}
