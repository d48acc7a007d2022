import Type, { type Static } from 'typebox'
import type { ActivityContext, Readers } from '../../../contract/define.ts'
import { ExpressionOrNone, Label, Notes, namedFields, optional, Timestamp } from '../../../contract/fields/fields.ts'
import { texts, view } from '../../../contract/fields/named.ts'
import { shown } from '../../../contract/fields/shown.ts'
import { all, type Need } from '../../../contract/needs.ts'
import type { Activity, PoliciesByOutcome } from '../../../contract/records/activity.ts'
import type { Policy, WithoutTimes } from '../../../contract/records/records.ts'
import { EffectName, OutcomeName, times, timestampView, timesView } from '../../../contract/records/views.ts'
import { namedUsers } from '../../../policy/about_rules/named_users.ts'
import { outcomes, type PolicyEvaluation } from '../../../policy/decision/effects.ts'
import {
  compileConsensus,
  type ExpressionPaths,
  type ExpressionTexts,
} from '../../../policy/decision/policy_expressions.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { mayNameControls, requireNamedControls } from '../../velocity_controls/shared/velocity_controls.ts'

export const NewPolicy = namedFields('CreatePolicyIntentV3', {
  policyName: Label,
  effect: EffectName,
  condition: optional(ExpressionOrNone),
  consensus: optional(ExpressionOrNone),
  time: optional(ExpressionOrNone),
  notes: Notes,
})
export type NewPolicy = Static<typeof NewPolicy>

/** The users whom the expressions may name as approvers, and the velocity controls that they may name. */
export function nameable(...given: readonly ExpressionTexts[]): readonly Need[] {
  const needs = [
    given.some(({ consensus = '' }) => consensus !== '') ? [all('user')] : [],
    given.some(({ condition }) => mayNameControls(condition)) ? [all('velocity_control')] : [],
  ]
  return needs.flat()
}

/** Refuses expressions that name what does not exist, and so would never hold. Needs the reads of `nameable`. */
export function requireNamed(
  { condition, consensus }: ExpressionTexts,
  readers: Pick<Readers, 'users' | 'velocityControls'>,
  paths: ExpressionPaths,
): void {
  requireNamedUsers(consensus, readers, paths.consensus)
  requireNamedControls(condition, readers, paths.condition)
}

/** An approval by somebody who is no user could never be given. */
function requireNamedUsers(consensus = '', { users }: Pick<Readers, 'users'>, fieldPath: string): void {
  const named = namedUsers(compileConsensus(consensus).root)
  if (named.length === 0) return
  const known: ReadonlySet<string> = new Set(users.all().map(({ userId }) => userId))
  const absent = named.find(({ userId }) => !known.has(userId))
  if (absent === undefined) return
  const { userId, column } = absent
  throw new Failure('POLICY_CONSENSUS_INVALID', {
    fieldPath,
    reason: `column ${column}: there is no user ${JSON.stringify(userId)} in this organization`,
  })
}

/** Adds a policy whose expressions have passed the checks, and returns its id. */
export function addPolicy(
  { policyName, effect, notes, ...expressions }: NewPolicy,
  { organization, newId }: Pick<ActivityContext<unknown>, 'organization' | 'newId'>,
): string {
  const policyId = newId()
  organization.policies.add(withExpressions({ policyId, policyName, effect, notes }, expressions))
  return policyId
}

/** Replaces expressions of a policy. An absent expression stays; an empty one is removed. */
export function withExpressions<P extends WithoutTimes<Policy>>(policy: P, given: ExpressionTexts) {
  const { condition = '', consensus = '', time = '', ...others } = { ...policy, ...withoutUndefined(given) }
  return {
    ...others,
    ...(condition === '' ? {} : { condition }),
    ...(consensus === '' ? {} : { consensus }),
    ...(time === '' ? {} : { time }),
  }
}

function withoutUndefined(given: ExpressionTexts): ExpressionTexts {
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== undefined))
}

export const PolicyView = view('Policy', {
  policyId: Type.String(),
  policyName: Type.String(),
  effect: EffectName,
  ...times,
  ...texts('notes', 'consensus', 'condition'),
  time: optional(Type.String()),
})

/** Always has `consensus` and `condition`, which clients require as texts. */
export function policyView(policy: Policy): Static<typeof PolicyView> {
  return shown(PolicyView, { consensus: '', condition: '', ...policy, ...timesView(policy) })
}

export const PolicyEvaluationView = view('PolicyEvaluation', {
  ...texts('id', 'activityId', 'organizationId', 'voteId'),
  policyEvaluations: Type.Array(Type.Object({ policyId: Type.String(), outcome: OutcomeName })),
  /** The interfaces by which the policies were shown a call, if there was one. */
  smartContractInterfaceIds: optional(Type.Array(Type.String())),
  createdAt: Timestamp,
})

/**
 * One evaluation for each vote at which policies were asked. Its id is the id of that vote. A vote of the parent was about
 * the policies of the parent, which users of its sub-organization do not see.
 */
export function policyEvaluationViews(
  { activityId, organizationId, votes }: Activity,
  caller: { readonly organizationId: string },
): Static<typeof PolicyEvaluationView>[] {
  return votes.flatMap(({ voteId, policiesByOutcome, smartContractInterfaceIds, createdAtMs, ...vote }) =>
    policiesByOutcome === undefined ||
    (vote.organizationId !== organizationId && caller.organizationId === organizationId)
      ? []
      : [
          {
            id: voteId,
            activityId,
            organizationId,
            voteId,
            policyEvaluations: evaluationsIn(policiesByOutcome),
            ...(smartContractInterfaceIds === undefined
              ? {}
              : { smartContractInterfaceIds: [...smartContractInterfaceIds] }),
            createdAt: timestampView(createdAtMs),
          },
        ],
  )
}

/** In the order in which the policies were created, which is the order of their ids. */
function evaluationsIn(policiesByOutcome: PoliciesByOutcome): PolicyEvaluation[] {
  return outcomes
    .flatMap((outcome) => (policiesByOutcome[outcome] ?? []).map((policyId) => ({ policyId, outcome })))
    .toSorted((one, other) => (one.policyId < other.policyId ? -1 : 1))
}
