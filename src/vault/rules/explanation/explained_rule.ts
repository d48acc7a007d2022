import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Row, Value } from '../../../contract/explanation/explanation.ts'
import {
  code,
  list,
  listed,
  note,
  number,
  row,
  rowsOf,
  tree,
  wholeText,
} from '../../../contract/explanation/shown_values.ts'
import { type Activity, isFinal, type Vote } from '../../../contract/records/activity.ts'
import { submissionOf } from '../../../deciding/organization/submitted.ts'
import { approvalsIn } from '../../../deciding/rules/approver_facts.ts'
import { allApprovalsIn } from '../../../deciding/rules/ended_approvals.ts'
import type { Mfa } from '../../../deciding/rules/mfa_steps.ts'
import { type Ruling, rule } from '../../../deciding/rules/rules.ts'
import { mayAddCredential } from '../../../deciding/rules/voters.ts'
import type { Reading } from '../../caller/request_context.ts'
import type { Organization } from '../../state/organization.ts'
import { mfaStatusesOf } from '../mfa_statuses.ts'
import type { ActivityRequest } from '../open_request.ts'
import { ableVoters } from './able_voters.ts'

type Ruled = {
  readonly organization: Organization
  readonly activity: Activity
  readonly request: ActivityRequest
  readonly now: Now
  /** The approvals that count now. */
  readonly counted: readonly Vote[]
  readonly mfa: Mfa
}

/** The rule that decides or has decided, and for an activity that waits what is missing. */
export async function ruleRows(context: Reading, ruled: Ruled): Promise<readonly Row[]> {
  return isFinal(ruled.activity.status) ? endedRows(ruled) : waitingRows(context, ruled)
}

async function waitingRows(context: Reading, ruled: Ruled): Promise<readonly Row[]> {
  const { organization, activity, request, now, counted, mfa } = ruled
  const { nowMs, pause } = context
  const { userId: submitterId } = submissionOf(activity)
  const approvals = approvalsIn(organization, counted)
  const allApprovals = allApprovalsIn(organization, activity.votes)
  const asked = { ...request, organization, submitterId, approvals, allApprovals, nowMs, pause }
  const ruling = await rule(asked)
  const approverIds: ReadonlySet<string> = new Set(approvals.map(({ user }) => user.userId))
  const { rootQuorum } = organization.head
  const { countsCredentials } = ruling
  const mayVote = (userId: string) => {
    if (!approverIds.has(userId)) return true
    const user = organization.listed('user', userId)
    return user !== undefined && mayAddCredential(user, { ...activity, countsCredentials }, { before: counted, nowMs })
  }
  const waitsForSubmitter = mfa.stateOf(submitterId, activity.votes)?.due !== undefined
  const asks = waitsForSubmitter
    ? [submitterId]
    : [...rootQuorum.userIds, ...ruling.voterIds, ...mfa.provingIds(activity.votes)]
  const voters = [...new Set(asks)].filter(mayVote)
  const { able, isWhole } = await ableVoters(asked, { voters, ruling, votes: activity.votes, mfa })
  const others = voters.filter((userId) => !able.includes(userId))
  const waiting = policiesWith(ruling, 'OUTCOME_REQUIRES_CONSENSUS')
  const denying = policiesWith(ruling, 'OUTCOME_DENY_EXPLICIT')
  const ofOthers = able.length === 0 && isWhole ? 'canApprove' : 'canAlsoApprove'
  return [
    row('decides', code(decidesNow(ruling, waiting))),
    ...waiting.map((policyId) => row('waitingPolicy', policyValue(policyId, now))),
    ...denying.map((policyId) => row('denyingPolicy', now.named(policyId))),
    row('rootQuorum', quorumValue(organization, approverIds, now)),
    ...(await mfaRows(context, ruled)),
    ...(able.length === 0 ? [] : [row('missing', number(1)), row('canComplete', usersValue(able, now))]),
    ...(others.length === 0 ? [] : [row(ofOthers, usersValue(others, now))]),
    ...(voters.length === 0 && ruling.kind === 'allow' ? [row('missing', number(0))] : []),
  ]
}

function decidesNow(ruling: Ruling, waiting: readonly string[]): string {
  if (ruling.kind === 'allow') return 'alreadyAllowed'
  if (ruling.kind === 'deny') return 'rootQuorumOnly'
  return waiting.length === 0 ? 'rootQuorum' : 'policiesOrRootQuorum'
}

function policiesWith({ evaluations }: Ruling, outcome: Ruling['evaluations'][number]['outcome']): readonly string[] {
  return evaluations.filter((evaluation) => evaluation.outcome === outcome).map(({ policyId }) => policyId)
}

function policyValue(policyId: string, now: Now): Value {
  const policy = now.find('policy', policyId)
  return tree({
    policy: now.named(policyId),
    consensus: policy?.consensus === undefined ? undefined : wholeText(policy.consensus),
    condition: policy?.condition === undefined ? undefined : wholeText(policy.condition),
  })
}

function quorumValue({ head: { rootQuorum } }: Organization, approverIds: ReadonlySet<string>, now: Now): Value {
  const { threshold, userIds } = rootQuorum
  const approved = userIds.filter((userId) => approverIds.has(userId)).length
  return tree({
    threshold: number(threshold),
    members: usersValue(userIds, now),
    approvals: number(approved),
    missing: number(Math.max(0, threshold - approved)),
  })
}

function usersValue(userIds: readonly string[], now: Now): Value {
  return list(listed(userIds, (userId) => now.named(userId)))
}

/** The steps of MFA policies that the submitter and the voters have taken or owe. */
async function mfaRows(context: Reading, { organization, activity, now }: Ruled): Promise<readonly Row[]> {
  const statuses = await mfaStatusesOf(context, organization, activity)
  return statuses.map(({ mfaPolicyId, userId, satisfied, satisfiedMethods, requiredMethods }) => {
    const due = requiredMethods[satisfiedMethods.length]
    return row(
      'mfa',
      tree({
        user: now.named(userId),
        policy: now.named(mfaPolicyId),
        satisfied: code(satisfied ? 'yes' : 'no'),
        stepsTaken: number(satisfiedMethods.length),
        steps: number(requiredMethods.length),
        nextStep: due === undefined ? undefined : list(due.any.map(({ type, id }) => methodValue(type, id, now))),
      }),
    )
  })
}

function methodValue(type: string, id: string | undefined, now: Now): Value {
  return id === undefined ? code(type) : tree({ means: code(type), credential: now.named(id) })
}

/** Says what is sealed with the votes: the outcomes of the policies at the last of them. */
function endedRows({ activity, request, now }: Ruled): readonly Row[] {
  const { votes, status } = activity
  const last = votes.at(-1)
  if (status === 'ACTIVITY_STATUS_REJECTED') return rowsOf({ decides: code('rejected') })
  const allowing = last?.policiesByOutcome?.OUTCOME_ALLOW ?? []
  if (allowing.length > 0) {
    // Those of the parent have no names here, and are not for readers of a sub-organization.
    const own = last?.organizationId === activity.organizationId ? allowing : []
    return [row('decides', code('policies')), ...own.map((policyId) => row('allowingPolicy', now.named(policyId)))]
  }
  const { userId: submitterId, isUnstamped } = submissionOf(activity)
  if (isUnstamped) return [row('decides', code('authProxy'))]
  const isOwn = request.bound.ownerOf(submitterId) === submitterId
  const { policy } = request.bound.operation
  // The key of one link: no rule and no quorum was asked.
  if (policy === 'recoveryOnly') return [row('decides', code('recovery'))]
  if (policy === 'invitationOnly') return [row('decides', code('invitationLink'))]
  return [row('decides', code(isOwn ? 'rootQuorumOrOwn' : 'rootQuorum')), row('quorumThen', note('notKnownAnyMore'))]
}
