import type { RecordedOrganization } from '../../../../deciding/organization/recorded_organization.ts'
import type { CountedVote } from '../../../../deciding/votes/count_vote.ts'
import type { Outcome } from '../findings.ts'
import type { RecordedVersion } from '../waiting_versions.ts'

type Explaining = {
  readonly organization: RecordedOrganization
  readonly version: RecordedVersion
  readonly counted: CountedVote | undefined
}

/** Adds to a fault the activity, its votes, and the policies by their names. */
export function explained(outcome: Outcome, { organization, version, counted }: Explaining): Outcome {
  if (outcome.kind !== 'wrong') return outcome
  const nameOf = (id: string) => organization.listed('policy', id)?.policyName
  const named = (id: string) => (nameOf(id) === undefined ? id : `${id} ('${nameOf(id)}')`)
  const { type, activityId, votes } = version.activity
  const last = (counted !== undefined && 'voted' in counted ? counted.voted : undefined)?.votes.at(-1)
  const policies = Object.entries(last?.policiesByOutcome ?? {}).flatMap(([outcomeOfPolicy, ids]) => {
    const word = words[outcomeOfPolicy]
    return word === undefined ? [] : ids.map((id) => `policy '${nameOf(id) ?? id}' ${word}`)
  })
  const after = votes.length === 1 ? 'after 1 vote' : `after ${votes.length} votes`
  return {
    ...outcome,
    what: outcome.what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, named),
    about: [`${type.replace('ACTIVITY_TYPE_', '')} ${activityId} ${after}`, ...policies].join(', '),
  }
}

const words: Readonly<Record<string, string>> = {
  OUTCOME_ALLOW: 'allows it',
  OUTCOME_DENY_EXPLICIT: 'denies it',
  OUTCOME_REQUIRES_CONSENSUS: 'asks for more approvals',
}
