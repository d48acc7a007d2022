import type { Activity } from '../../contract/records/activity.ts'
import { changesSince } from '../../contract/records/recent_changes.ts'
import type { User } from '../../contract/records/records.ts'
import { isSpokenOf, namesCredentials } from '../../policy/about_rules/spoken_of.ts'
import type { StepMeter } from '../../policy/language/running/environment.ts'
import { stepsMax } from '../../policy/language/running/run.ts'
import type { Expression } from '../../policy/language/syntax.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { possibleApprovals } from './approver_facts.ts'
import { compiledOf } from './compiled_policies.ts'

type Waiting = Pick<Activity, 'voterIds' | 'voterPlaces' | 'createdAtMs' | 'votes'>

/**
 * Whether a policy that has waited asks for the user's approval. Each one is asked again if something of it or of the user
 * has changed since the activity began: one who has lost what it goes by is asked no more, and one who has got it is asked
 * too. `meter` has the steps of one question: who asks about several users or activities gives one meter to all. Beyond its
 * steps every policy speaks of every user.
 */
export function isStillAsked(
  activity: Waiting,
  user: User,
  organization: SeenOrganization,
  meter: StepMeter = { steps: 0 },
): boolean {
  const { voterIds = [], createdAtMs } = activity
  const waited = policiesThatWaited(activity)
  if (waited.length === 0) return voterIds.includes(user.userId)
  return waited.some((policyId) => {
    const policy = organization.listed('policy', policyId)
    // A policy that is gone cannot be asked. The users for whom it waited keep their vote.
    if (policy === undefined) return wasAsked(activity, user, policyId)
    const { root } = compiledOf(policy).consensus
    const isSame = policy.updatedAtMs <= createdAtMs && isSameUser(user, root, createdAtMs)
    return isSame
      ? wasAsked(activity, user, policyId)
      : speaksOf(root, user, { organization, nowMs: createdAtMs, meter })
  })
}

/** The policies for which the activity has waited, be they there still or not. */
export function policiesThatWaited({ votes }: Pick<Activity, 'votes'>): readonly string[] {
  const ofVotes = votes.flatMap(({ policiesByOutcome }) => policiesByOutcome?.OUTCOME_REQUIRES_CONSENSUS ?? [])
  return [...new Set(ofVotes)]
}

/** In activities from before the places, each policy has waited for all voters. */
function wasAsked({ voterIds = [], voterPlaces }: Waiting, { userId }: User, policyId: string): boolean {
  const place = voterIds.indexOf(userId)
  return place !== -1 && (voterPlaces === undefined || (voterPlaces[policyId] ?? []).includes(place))
}

function isSameUser(user: User, consensus: Expression, sinceMs: number): boolean {
  if (user.createdAtMs > sinceMs || changesSince(user, sinceMs).length > 0) return false
  const isNew = ({ createdAtMs }: { readonly createdAtMs: number }) => createdAtMs > sinceMs
  return ![...user.apiKeys, ...user.authenticators].some(isNew) || !namesCredentials(consensus)
}

function speaksOf(
  consensus: Expression,
  user: User,
  {
    organization,
    nowMs,
    meter,
  }: { readonly organization: SeenOrganization; readonly nowMs: number; readonly meter: StepMeter },
): boolean {
  const theirs = possibleApprovals([user], { nowMs })
  const others = () =>
    possibleApprovals(
      organization.allListed('user').filter(({ userId }) => userId !== user.userId),
      { nowMs },
    )
  return isSpokenOf(consensus, { theirs, others }, { stepsMax, meter })
}
