import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Row, Value } from '../../../contract/explanation/explanation.ts'
import { code, itemRows, listed, rowsOf, text, time, tree } from '../../../contract/explanation/shown_values.ts'
import { type Activity, isFinal, type Vote } from '../../../contract/records/activity.ts'
import { recordedKeyOf } from '../../../contract/records/factors.ts'
import type { User } from '../../../contract/records/records.ts'
import { apiKeyOf } from '../../../deciding/caller/credential_stamps.ts'
import { submissionOf } from '../../../deciding/organization/submitted.ts'
import { firstLapseMs, lapsesAtMs } from '../../../deciding/rules/standing_approvals.ts'
import type { Organization } from '../../state/organization.ts'
import { idValue } from './explained_now.ts'

type Counting = { readonly organization: Organization; readonly counted: readonly Vote[] }

/** Who asked, by which credential, when, and until when the approvals that count do so. */
export function requestRows(
  activity: Activity,
  { organization, counted, now }: Counting & { readonly now: Now },
): readonly Row[] {
  const { type, status, createdAtMs, updatedAtMs } = activity
  const submission = submissionOf(activity)
  const lapsesMs = isFinal(status) ? undefined : firstLapseMs(counted)
  return rowsOf({
    type: code(type),
    status: code(status),
    organization: idValue(now.organizationId, 'organization', now.organizationName),
    requestedBy: voterValue(submission, organization),
    ofParent: submission.organizationId === activity.organizationId ? undefined : code('yes'),
    credential: credentialValue(submission, organization),
    requestedAt: time(createdAtMs),
    countsUntil: lapsesMs === undefined ? undefined : time(lapsesMs),
    endedAt: isFinal(status) ? time(updatedAtMs) : undefined,
  })
}

/** The votes in their order. `counted`: the approvals that count now. */
export function voteRows({ votes, status }: Activity, { organization, counted }: Counting): readonly Row[] {
  const stamped = votes.filter(({ isUnstamped }) => isUnstamped !== true)
  const shown = listed(stamped, (vote) => {
    const isApproval = vote.selection === 'VOTE_SELECTION_APPROVED'
    const isWaiting = !isFinal(status)
    return tree({
      selection: code(vote.selection),
      user: voterValue(vote, organization),
      credential: credentialValue(vote, organization),
      at: time(vote.createdAtMs),
      countsUntil: isWaiting && isApproval && counted.includes(vote) ? time(lapsesAtMs(vote)) : undefined,
      countsNow: isWaiting && isApproval && !counted.includes(vote) ? code('no') : undefined,
    })
  })
  return itemRows('vote', shown)
}

/** The name that the vote recorded, so that a later change of it cannot mislead. */
function voterValue({ userId, userName, isUnstamped }: Vote, organization: Organization): Value {
  if (isUnstamped) return code('authProxy')
  const isGone = !organization.isListed('user', userId)
  return idValue(userId, isGone ? 'gone_user' : 'user', userName)
}

/** The credential of a stamp: what it is, and its name if the user still has it. */
function credentialValue(vote: Vote, organization: Organization): Value {
  const { method, scheme, attested, isUnstamped } = vote
  if (isUnstamped) return code('unstamped')
  const user =
    vote.organizationId === organization.head.organizationId ? organization.listed('user', vote.userId) : undefined
  const name = user && credentialName(user, vote)
  return tree({
    means: code(method?.type ?? scheme),
    // The key of a session has a name of its own digits.
    name: name === undefined || method?.type === 'AUTHENTICATION_TYPE_SESSION' ? undefined : text(name),
    contact: attested === undefined ? undefined : code(attested.lookup),
  })
}

function credentialName(user: User, vote: Vote): string | undefined {
  const passkey = user.authenticators.find((one) => recordedKeyOf(one) === vote.publicKey)
  return apiKeyOf({ user, stamp: vote })?.apiKeyName ?? passkey?.authenticatorName
}
