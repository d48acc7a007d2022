import Type, { type Static } from 'typebox'
import { fieldInvalid } from '../protocol/wire/failures.ts'
import {
  ActivityType,
  ActivityTypes,
  fields,
  list,
  oneOf,
  optional,
  PageLimit,
  rootQuorumUsersMax,
  Uuid,
} from './fields/fields.ts'
import { view } from './fields/named.ts'
import { UnseenRequests } from './policy_check.ts'
import { supposed } from './policy_draft.ts'
import { ActivityStatusName } from './records/activity.ts'
import { OutcomeName } from './records/views.ts'

/** The parameters and the result of `simulate` (docs/policies.md, "Trying out"). */

const UnixSeconds = Type.String({
  pattern: '^(0|[1-9][0-9]{0,10})$',
  expected: 'a time in whole seconds since 1970, as a string',
})

export const SimulationParameters = fields({
  organizationId: Uuid,
  /** A hypothetical request. */
  activity: optional(
    fields({
      type: ActivityType,
      parameters: Type.Record(Type.String(), Type.Unknown(), { expected: 'the parameters of that type' }),
      userId: optional(Uuid),
      approverIds: optional(list(Uuid, { itemsMax: rootQuorumUsersMax })),
    }),
  ),
  /** Existing activities, newest first. */
  past: optional(
    fields({
      limit: optional(PageLimit),
      after: optional(Uuid),
      createdFrom: optional(UnixSeconds),
      createdTo: optional(UnixSeconds),
      filterByType: optional(ActivityTypes),
    }),
  ),
  ...supposed,
})
export type SimulationParameters = Static<typeof SimulationParameters>

const TracedExpression = view('TracedExpression', {
  kind: oneOf(['time', 'condition', 'consensus']),
  text: Type.String(),
  result: Type.String(),
  clauses: Type.Array(Type.Object({ column: Type.Integer(), text: Type.String(), value: Type.String() })),
})

export const Simulation = view('Simulation', {
  activityId: optional(Type.String()),
  status: optional(ActivityStatusName),
  type: Type.String(),
  decision: oneOf(['ALLOW', 'CONSENSUS', 'DENY']),
  reason: Type.String(),
  voterIds: Type.Array(Type.String()),
  smartContractInterfaceIds: optional(Type.Array(Type.String())),
  mfaPolicyId: optional(Type.String()),
  policies: Type.Array(
    Type.Object({
      policyId: Type.String(),
      outcome: OutcomeName,
      explanation: Type.String(),
      expressions: optional(Type.Array(TracedExpression)),
      /** Present if this policy would deny such requests, but cannot see this one, and no other policy denies it. */
      unseen: optional(UnseenRequests),
    }),
  ),
})
export type Simulation = Static<typeof Simulation>

export const SimulationResult = Type.Object({
  simulations: Type.Array(Simulation),
  nextAfter: optional(Type.String()),
})
export type SimulationResult = Static<typeof SimulationResult>

export function checkSimulation({ activity, past }: SimulationParameters): void {
  if ((activity === undefined) !== (past === undefined)) return
  throw fieldInvalid('activity', 'given, or `past`, and not both')
}
