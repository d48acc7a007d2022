import type { Activity } from '../../contract/records/activity.ts'
import { changesSince } from '../../contract/records/recent_changes.ts'
import type { User } from '../../contract/records/records.ts'
import { isSpokenOf } from '../../policy/about_rules/spoken_of.ts'
import { stepsMax } from '../../policy/language/running/run.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { possibleApprovals } from './approver_facts.ts'
import { compiledOf } from './compiled_policies.ts'

/**
 * Whether a policy asks, or has asked, for the user's approval. If something of the user has changed since the activity
 * began, the policies that have waited are asked again: whoever has lost what they go by is asked no more, and
 * whoever has got it is asked too.
 */
export function isStillAsked(
  { voterIds = [], createdAtMs, votes }: Pick<Activity, 'voterIds' | 'createdAtMs' | 'votes'>,
  user: User,
  organization: SeenOrganization,
): boolean {
  const wasAsked = voterIds.includes(user.userId)
  const isSame = user.createdAtMs <= createdAtMs && changesSince(user, createdAtMs).length === 0
  if (isSame) return wasAsked
  const waited = new Set(votes.flatMap(({ policiesByOutcome }) => policiesByOutcome?.OUTCOME_REQUIRES_CONSENSUS ?? []))
  const policies = [...waited].map((policyId) => organization.listed('policy', policyId))
  // A policy that is gone cannot be asked. The users for whom it waited keep their vote.
  if (policies.length === 0 || policies.includes(undefined)) return wasAsked
  const before = { nowMs: createdAtMs }
  const theirs = possibleApprovals([user], before)
  const others = () =>
    possibleApprovals(
      organization.allListed('user').filter(({ userId }) => userId !== user.userId),
      before,
    )
  return policies.some(
    (policy) =>
      policy !== undefined &&
      isSpokenOf(compiledOf(policy).consensus.root, { theirs, others }, { stepsMax, meter: { steps: 0 } }),
  )
}
