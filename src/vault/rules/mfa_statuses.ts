import { type Activity, isFinal } from '../../operations/records/activity.ts'
import type { MfaStatus } from '../../policy/mfa.ts'
import type { Situation } from '../caller/situation.ts'
import type { Organization } from '../state/organization.ts'
import { mfaFor } from './mfa.ts'
import { requestOf } from './recorded_request.ts'

/**
 * Of the users who may submit or approve it, how far each is whose MFA policy applies. As long as the one who submitted
 * it owes a step, nobody else is asked; once it has ended, nobody is.
 */
export async function mfaStatusesOf(
  situation: Situation,
  organization: Organization,
  activity: Activity,
): Promise<readonly MfaStatus[]> {
  const { votes, voterIds = [], status } = activity
  const submitterId = votes[0]?.userId
  if (isFinal(status) || submitterId === undefined) return []
  const { facts } = await requestOf(situation, organization, activity)
  const mfa = mfaFor(activity, { organization, nowMs: situation.nowMs }, facts)
  const others = mfa.of(submitterId, votes)?.due ? [] : [...organization.head.rootQuorum.userIds, ...voterIds]
  return [...new Set([submitterId, ...others])].flatMap((userId) => {
    const state = mfa.of(userId, votes)
    if (state === undefined) return []
    const { policy, satisfiedMethods, due } = state
    const { mfaPolicyId, requiredAuthenticationMethods: requiredMethods } = policy
    return [{ mfaPolicyId, userId, satisfied: due === undefined, satisfiedMethods, requiredMethods }]
  })
}
