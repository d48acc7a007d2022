import type { Vote } from '../../contract/records/activity.ts'
import { credentialKeyOf } from '../caller/credential_stamps.ts'
import { submissionOf } from '../organization/submitted.ts'
import type { Ruling } from '../rules/rules.ts'
import { addsCredential, isOfQuorumOr, isSubmitter, isVoter } from '../rules/voters.ts'
import { isRepeated } from './repeated.ts'
import type { AdmissionFacts } from './tables/admission.ts'
import type { UncountedVote } from './uncounted_vote.ts'

type Weighed = Pick<UncountedVote, 'target' | 'caller' | 'activity' | 'vote' | 'mfa'> & {
  /** The approvals that count without this vote, and whom and what policies wait for then. */
  readonly before: readonly Vote[]
  readonly waitsFor: Pick<Ruling, 'voterIds' | 'countsCredentials'>
}

/** Returns what decides whether the caller may cast a vote on an activity that waits. */
export function admissionFacts({ target, caller, activity, vote, mfa, before, waitsFor }: Weighed): AdmissionFacts {
  const { votes } = activity
  const { voterIds, countsCredentials } = waitsFor
  const { userId } = caller.user
  const { userId: submitterId } = submissionOf(activity)
  const submitterOwes = mfa.stateOf(submitterId, votes)?.due !== undefined
  const voter = { organization: target, caller }
  const mfaBefore = mfa.stateOf(userId, votes)
  const mfaAfter = mfa.stateOf(userId, [...votes, vote])
  return {
    isRejection: vote.selection === 'VOTE_SELECTION_REJECTED',
    isAsked: isOfQuorumOr([...voterIds, ...(submitterOwes ? [submitterId] : [])], voter),
    wasAsked: isVoter(activity, voter),
    isSubmitter: isSubmitter(activity, caller),
    isRepeated: isRepeated(activity, vote),
    hasApproved: before.some((approval) => approval.userId === userId),
    addsCredential:
      countsCredentials && addsCredential(activity, { userId, publicKeys: [credentialKeyOf(vote)], before }),
    isAttested: caller.attested !== undefined,
    submitterOwes,
    owes: mfaBefore?.due !== undefined,
    takesStep: (mfaAfter?.stepsTaken ?? 0) > (mfaBefore?.stepsTaken ?? 0),
  }
}
