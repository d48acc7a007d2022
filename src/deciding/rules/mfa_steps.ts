import type { Vote } from '../../contract/records/activity.ts'
import type { MfaPolicy, User } from '../../contract/records/records.ts'
import {
  type CompiledExpression,
  compileCondition,
  guardHolds,
  truthOf,
} from '../../policy/decision/policy_expressions.ts'
import type { Struct } from '../../policy/language/expression_values.ts'
import type { Environment } from '../../policy/language/running/environment.ts'
import { within } from '../../policy/language/running/run.ts'
import {
  type Applies,
  enforcedPolicies,
  type Progress,
  progressOf,
  proofIn,
  type Stamped,
  stepText,
} from '../../policy/mfa.ts'
import { onceFor, onceForEach } from '../../protocol/tools/once_for.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import { together } from '../organization/reads_needed.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { type Electorate, standingApprovals } from './standing_approvals.ts'

/**
 * How far the user is with `policy`: the first of the enforced MFA policies of which a step is due, or the last one if
 * none is due. `stepsTaken` counts the steps of all enforced policies.
 */
export type MfaState = Progress & { readonly policy: MfaPolicy; readonly stepsTaken: number }

/** Undefined if no MFA policy of the user applies. `stamps` are those that count, in order. */
export function mfaStateOf(
  user: User,
  stamps: readonly Stamped[],
  applies: ReturnType<typeof applyingTo>,
): MfaState | undefined {
  const proofs = stamps.flatMap(proofIn)
  const states = enforcedPolicies(user.mfaPolicies ?? [], applies).map((policy) => ({
    policy,
    ...progressOf(policy.requiredAuthenticationMethods, proofs),
  }))
  const state = states.find(({ due }) => due !== undefined) ?? states.at(-1)
  const stepsTaken = states.reduce((sum, { satisfiedMethods }) => sum + satisfiedMethods.length, 0)
  return state && { ...state, stepsTaken }
}

/** The demands of MFA policies on the users who submit or approve an activity. */
export type Mfa = {
  stateOf(userId: string, votes: readonly Vote[]): MfaState | undefined
  /** The approvals of users who owe no step, which the rules may count. An attested approval counts as a step only. */
  counted(votes: readonly Vote[]): readonly Vote[]
  /** The users who have begun and owe a step. The submitter has begun. */
  provingIds(votes: readonly Vote[]): readonly string[]
}

/** `userIds`: those of whom it will be asked. Their conditions are compiled here, with pauses. */
export async function mfaFor(
  electorate: Electorate,
  {
    userIds,
    facts,
    pause,
  }: { readonly userIds: readonly string[]; readonly facts: () => Struct; readonly pause: Pause },
): Promise<Mfa> {
  await compileMfaOf(electorate.organization, userIds, pause)
  const standing = (votes: readonly Vote[]) => standingApprovals(votes, electorate)
  const applies = applyingTo(facts)
  const stateOf: Mfa['stateOf'] = (userId, votes) => {
    const user = electorate.organization.listed('user', userId)
    const theirs = () => standing(votes).filter((vote) => vote.userId === userId)
    return user && mfaStateOf(user, theirs(), applies)
  }
  return {
    stateOf,
    counted: (votes) =>
      standing(votes).filter(({ userId, attested }) => {
        const state = stateOf(userId, votes)
        return state === undefined ? attested === undefined : state.due === undefined
      }),
    provingIds(votes) {
      const begun = new Set([...votes.slice(0, 1), ...standing(votes)].map(({ userId }) => userId))
      return [...begun].filter((userId) => stateOf(userId, votes)?.due !== undefined)
    },
  }
}

/** The failure that names the step that is due. `where` says why the step cannot be taken now, if that is so. */
export function stepDue({ policy, due }: MfaState, where = ''): Failure {
  const step = due === undefined ? '' : stepText(due, policy.requiredAuthenticationMethods)
  return new Failure('FORBIDDEN', `your MFA policy ${policy.mfaPolicyId} asks for ${step}${where}`)
}

/** Throws the `Failure` of a stored condition that no longer compiles, because the language has become narrower since. */
export function conditionOf(policy: MfaPolicy): CompiledExpression {
  const compiled = compiledOf(policy)
  if (compiled instanceof Failure) throw compiled
  return compiled
}

const compiledOf = onceFor(({ condition }: MfaPolicy) => orFailure(() => compileCondition(condition)))

/**
 * Compiles the conditions of all MFA policies of these users one after another, before they are asked for in one step.
 * To compile one takes milliseconds, the first time and again once the record of its user is read anew.
 */
export async function compileMfaOf(
  organization: Pick<SeenOrganization, 'listed'>,
  userIds: readonly string[],
  pause: Pause,
): Promise<void> {
  const users = together([...new Set(userIds)].map((userId) => () => organization.listed('user', userId)))
  await onceForEach(
    compiledOf,
    users.flatMap((user) => user?.mfaPolicies ?? []),
    pause,
  )
}

/** For the conditions of all MFA policies that are asked about one request or vote. */
const stepsOfMfaMax = 200_000

/**
 * Returns a function that says whether a policy applies to `facts`. It evaluates each policy once for all votes. Once the
 * conditions have taken too many steps together, each further one applies perhaps.
 */
export function applyingTo(facts: () => Struct): (policy: MfaPolicy) => Applies {
  const budget = { stepsMax: stepsOfMfaMax, meter: { steps: 0 } }
  return onceFor((policy: MfaPolicy) => holds(policy, within(budget, { keywords: facts() })))
}

/**
 * A policy whose condition lacks a field that it names does not apply. One that is true only because it guards does
 * perhaps: it is true of what cannot be read, and then must not hide a policy after it that asks for more.
 */
function holds(policy: MfaPolicy, environment: Environment): Applies {
  const condition = conditionOf(policy)
  if (guardHolds(condition, environment) !== true) return 'no'
  return truthOf(condition, environment) === true ? 'yes' : 'perhaps'
}
