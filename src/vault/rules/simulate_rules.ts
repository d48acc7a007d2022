import type { User } from '../../contract/records/records.ts'
import type { SimulationParameters, SimulationResult } from '../../contract/simulation.ts'
import { readerOf } from '../../deciding/organization/organization_reader.ts'
import { everyApproval, isUsable } from '../../deciding/rules/approver_facts.ts'
import { applyingTo, compileMfaOf, mfaStateOf } from '../../deciding/rules/mfa_steps.ts'
import { type RuleQuestion, seenOf } from '../../deciding/rules/rules.ts'
import type { Electorate } from '../../deciding/rules/standing_approvals.ts'
import { operationOfType } from '../../operations/catalogue.ts'
import { hasWayIn } from '../../operations/users/shared/lockout.ts'
import { Failure, fieldInvalid } from '../../protocol/wire/failures.ts'
import type { JsonValue } from '../../protocol/wire/json.ts'
import type { Caller } from '../caller/caller.ts'
import type { Reading } from '../caller/request_context.ts'
import type { Organization } from '../state/organization.ts'
import { resolveNeeds } from '../state/resolve.ts'
import { simulatePast } from './simulate_past.ts'
import { roomForClauses, simulatedRuling } from './simulated_ruling.ts'
import { supposedPolicies } from './supposed_policies.ts'

type Simulating = { readonly organization: Organization; readonly caller: Caller }

/** Simulates the ruling on a request, or on past ones, with changed policies. Nothing is run or written. */
export async function simulate(
  context: Reading,
  { organization, caller }: Simulating,
  parameters: SimulationParameters,
): Promise<SimulationResult> {
  const policies = await supposedPolicies(organization, parameters, context.pause)
  const { activity, past } = parameters
  if (activity === undefined) return simulatePast(context, { organization, policies, past: past ?? {} })
  const { type, asked } = await askedOf(context, { organization, caller }, activity)
  const users = asked.approvals.map(({ user }) => user)
  const userIds = users.slice(0, 1).map(({ userId }) => userId)
  await compileMfaOf(organization, userIds, context.pause)
  const mfa = users.slice(0, 1).map((user) => mfaStateOf(user, [], applyingTo(asked.facts)))[0]
  const simulation = await simulatedRuling(asked, policies, { isTraced: () => true, room: roomForClauses() })
  return {
    simulations: [{ type, ...simulation, ...(mfa === undefined ? {} : { mfaPolicyId: mfa.policy.mfaPolicyId }) }],
  }
}

/**
 * Returns the question to the rules as if the user had submitted the request and the approvers had approved it, each
 * with all of their credentials.
 */
async function askedOf(
  context: Reading,
  { organization, caller }: Simulating,
  { type, parameters: given, userId, approverIds = [] }: NonNullable<SimulationParameters['activity']>,
): Promise<{ readonly type: string; readonly asked: RuleQuestion }> {
  const found = operationOfType(type)
  if (found === undefined || found.operation.casts !== undefined) {
    throw fieldInvalid('activity.type', 'the type of an activity, not of a vote')
  }
  const bound = found.accepted.read(given as JsonValue, 'activity.parameters')
  await bound.check(context.pause)
  const needs = bound.needs(organization.head.organizationId)
  const reader = readerOf(resolveNeeds(context, organization, needs))
  const seen = await seenOf({ target: organization, bound, reader }, context)
  const submitterId = userId ?? caller.user.userId
  const named = [submitterId, ...approverIds]
  organization.askFor('user', named)
  const users = named.map((id, index) => {
    const user = organization.listed('user', id)
    if (user !== undefined) return user
    const fieldPath = index === 0 ? 'activity.userId' : `activity.approverIds[${index - 1}]`
    throw new Failure('NOT_FOUND', { fieldPath, expected: 'the id of a user of this organization' })
  })
  const unable = approverIds.findIndex(
    (_id, index) => !canVote(users[index + 1], { organization, nowMs: context.nowMs }),
  )
  if (unable !== -1) throw fieldInvalid(`activity.approverIds[${unable}]`, expectedApprover)
  const approvals = users.flatMap(everyApproval)
  const asked = {
    organization,
    ...seen,
    ...{ approvals, allApprovals: undefined },
    submitterId,
    nowMs: context.nowMs,
    pause: context.pause,
  }
  return { type, asked }
}

const expectedApprover =
  'the id of a user who could approve: with a passkey, an API key that has not expired, or another way to log in'

/** Whether the user could approve now: with a key that has not expired, or after a login. */
function canVote(user: User | undefined, { organization, nowMs }: Electorate): boolean {
  if (user === undefined) return false
  return user.apiKeys.some((apiKey) => isUsable(apiKey, { nowMs })) || hasWayIn(user, organization.allListed('feature'))
}
