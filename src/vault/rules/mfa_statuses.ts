import { type Activity, isFinal } from '../../contract/records/activity.ts'
import { compileMfaOf, mfaFor } from '../../deciding/rules/mfa_steps.ts'
import type { MfaStatus } from '../../policy/mfa.ts'
import type { Reading } from '../caller/request_context.ts'
import type { Organization } from '../state/organization.ts'
import { requestOf } from './open_request.ts'

/**
 * Returns the progress of each user whose MFA policy applies to the activity, among its submitter and its voters. While
 * the submitter owes a step, no other user is listed. An activity that has ended lists no user.
 */
export async function mfaStatusesOf(
  context: Reading,
  organization: Organization,
  activity: Activity,
): Promise<readonly MfaStatus[]> {
  const { votes, voterIds = [], status } = activity
  const submitterId = votes[0]?.userId
  if (isFinal(status) || submitterId === undefined) return []
  const { facts } = await requestOf(context, organization, activity)
  const { nowMs, pause } = context
  const mfa = await mfaFor({ organization, nowMs }, { userIds: [submitterId], facts, pause })
  const others = mfa.stateOf(submitterId, votes)?.due ? [] : [...organization.head.rootQuorum.userIds, ...voterIds]
  await compileMfaOf(organization, others, pause)
  return [...new Set([submitterId, ...others])].flatMap((userId) => {
    const state = mfa.stateOf(userId, votes)
    if (state === undefined) return []
    const { policy, satisfiedMethods, due } = state
    const { mfaPolicyId, requiredAuthenticationMethods: requiredMethods } = policy
    return [{ mfaPolicyId, userId, satisfied: due === undefined, satisfiedMethods, requiredMethods }]
  })
}
