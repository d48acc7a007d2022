import { isSubmitter } from '../../../deciding/rules/voters.ts'
import { requireFresh } from '../../../deciding/votes/freshness.ts'
import { credentialNeeded } from '../../../deciding/votes/refusals.ts'
import { isRepeated } from '../../../deciding/votes/repeated.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { requestKeyOf } from '../../../protocol/wire/fingerprint.ts'
import { countKeyOf } from '../../books/entry_names.ts'
import type { Asking } from '../../caller/request_context.ts'
import { requireScopeFor } from '../../rules/open_request.ts'
import { findByBytes, findByFingerprint } from '../../state/known_activity.ts'
import { laterVoteBallot } from './later_vote.ts'
import { submissionBallot } from './submission.ts'
import { messageOf } from './vote_of.ts'
import type { IdentifiedRequest, VoteOrShown } from './vote_or_answer.ts'

const approved = 'VOTE_SELECTION_APPROVED'

/** Says what the bytes of a known caller are: a vote, a submission, or bytes that made an activity, which is only shown. */
export async function askIdentified(context: Asking, identified: IdentifiedRequest): Promise<VoteOrShown> {
  const { operation, envelope, target, caller } = identified
  const { organizationId } = target.head
  const { timestampMs } = envelope
  const requestKey = requestKeyOf(timestampMs, context.fingerprint())
  // This only names the key of what is counted. Attempts at a passcode count when they are made, all else in `release.ts`.
  context.decisionCounts.setCountKey(() => countKeyOf(organizationId, requestKey))

  if (operation.casts !== undefined) {
    requireFresh(timestampMs, context.nowMs)
    const { selection, fingerprintIn } = operation.casts
    const named = findByFingerprint(context, organizationId, fingerprintIn(envelope.parameters))
    if (named === undefined) throw new Failure('ACTIVITY_NOT_FOUND')
    return laterVoteBallot(context, { target, caller, known: named, selection })
  }

  const known = findByBytes(context, { organizationId, timestampMs })
  if (known !== undefined && isSubmitter(known.activity, caller)) {
    const { activity } = known
    // A token serves once, also to be shown something: only the stamp that the activity has shows it again.
    const { userId } = caller.user
    const isOwnStamp = () => isRepeated(activity, { userId, message: messageOf(context), ...caller.stamp })
    if (caller.attested !== undefined && !isOwnStamp()) throw credentialNeeded()
    await requireScopeFor(context, { target, caller }, activity)
    return { kind: 'shown', target, caller, activity }
  }
  requireFresh(timestampMs, context.nowMs)
  // Another user's copy of the bytes is that user's approval.
  if (known !== undefined) return laterVoteBallot(context, { target, caller, known, selection: approved })
  return { kind: 'cast', ballot: await submissionBallot(context, identified, requestKey) }
}
