import type { Static } from 'typebox'
import { withoutBearerParameters } from '../../../contract/fields/bearer_token.ts'
import { withoutNulls } from '../../../contract/fields/check_object.ts'
import type { Activity, Vote } from '../../../contract/records/activity.ts'
import type { ShownActivity, VoteView } from '../../../contract/records/activity_view.ts'
import type { User } from '../../../contract/records/records.ts'
import { timestampView, userView } from '../../../contract/records/views.ts'
import { bodyOf, goneUser, operationOfActivity, submissionOf } from '../../../deciding/organization/submitted.ts'
import { possibleVotes, seesAsSubmitter } from '../../../deciding/rules/voters.ts'
import type { Dialect } from '../../../protocol/wire/dialect.ts'
import { isJsonObject, type JsonValue } from '../../../protocol/wire/json.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Reading } from '../../caller/request_context.ts'
import type { Organization } from '../../state/organization.ts'

/**
 * Returns a function that shows any of `activities`, and no other activity, to the caller. Without a caller, as in a
 * webhook, it shows what any other user sees, in the form of the hosted dialect. A vote of a user who is gone shows the
 * facts that it recorded itself.
 */
export function activityViewer(
  context: Reading,
  { organization, caller }: { readonly organization: Organization; readonly caller: Caller | undefined },
  activities: readonly Activity[],
) {
  const { request, nowMs } = context
  const { organizationId } = organization.head
  const dialect = caller === undefined ? 'hosted' : request.dialect
  askForVoters(organization, activities)
  // A page of activities takes the steps of one.
  const meter = { steps: 0 }
  const userOf = (vote: Vote) =>
    vote.organizationId === organizationId ? organization.listed('user', vote.userId) : undefined

  return (activity: Activity): ShownActivity => {
    const isOwn = caller !== undefined && seesAsSubmitter(activity, caller)
    const { parameters: sent } = bodyOf(activity)
    const parameters = isOwn ? sent : parametersForOthers(activity, sent)
    const shown = isOwn ? activity : withoutTokens(activity, { inRequest: parameters !== sent })
    const { activityId, status, type, result, votes, fingerprint, failure, appProofs } = shown
    const { canApprove, canReject } = possibleVotes(activity, { organization, caller, nowMs, meter })
    return {
      id: activityId,
      organizationId: activity.organizationId,
      status,
      type,
      intent: intentOf(activity, parameters),
      result,
      votes: votes.flatMap((vote) => (vote.isUnstamped ? [] : [voteView(vote, activityId, userOf(vote))])),
      fingerprint,
      canApprove,
      canReject,
      createdAt: timeView(activity.createdAtMs, dialect),
      updatedAt: timeView(activity.updatedAtMs, dialect),
      ...(failure === undefined ? {} : { failure: { ...failure, details: [...failure.details] } }),
      ...(appProofs === undefined ? {} : { appProofs: [...appProofs] }),
    }
  }
}

/** Makes the reads that it takes to show the activities. */
export function askForVoters(organization: Organization, activities: readonly Activity[]): void {
  const { organizationId } = organization.head
  const votes = activities.flatMap((activity) => activity.votes)
  const stamped = votes.filter((vote) => vote.organizationId === organizationId && vote.isUnstamped !== true)
  organization.askFor(
    'user',
    stamped.map(({ userId }) => userId),
  )
}

function timeView(timeMs: number, dialect: Dialect) {
  return dialect === 'hosted' ? timestampView(timeMs) : new Date(timeMs).toISOString()
}

/** Returns the parameters, without nulls, under the intent key of the type that was sent. */
function intentOf(activity: Activity, parameters: JsonValue): Record<string, unknown> {
  const { accepted } = operationOfActivity(activity)
  return { [accepted.intentKey]: withoutAppProofsFlag(withoutNulls(parameters)) }
}

/**
 * Returns the parameters without what only the submitter may see. Anybody who has such a token can use it, and all users
 * of the organization and of its parent can read its activities.
 */
function parametersForOthers(activity: Activity, parameters: JsonValue): JsonValue {
  const { hasBearerParameters } = operationOfActivity(activity).operation
  return hasBearerParameters ? withoutBearerParameters(parameters) : parameters
}

/**
 * Hides the tokens of the request, which the signed bytes hold too, and those of the result. Where there are any, it
 * hides all stamps of the submitter and the proofs: whoever sent a stamp again would be taken for the submitter.
 */
function withoutTokens(activity: Activity, { inRequest }: { readonly inRequest: boolean }): Activity {
  const { submitterOnly } = operationOfActivity(activity).operation
  if (!inRequest && submitterOnly.length === 0) return activity
  const emptied = Object.entries(activity.result).map(([key, fields]) => {
    const named = Object.entries(fields as object)
    return [key, Object.fromEntries(named.map(([name, value]) => [name, submitterOnly.includes(name) ? '' : value]))]
  })
  const { userId, message } = submissionOf(activity)
  const votes = activity.votes.map((vote) => ({
    ...vote,
    ...(inRequest && vote.message === message ? { message: '' } : {}),
    ...(vote.userId === userId ? { signature: '' } : {}),
  }))
  const { appProofs: _, ...rest } = activity
  return { ...rest, votes, result: Object.fromEntries(emptied) }
}

function withoutAppProofsFlag(parameters: JsonValue): JsonValue {
  if (!isJsonObject(parameters)) return parameters
  const { generateAppProofs: _, ...rest } = parameters
  return rest
}

function voteView(vote: Vote, activityId: string, user: User | undefined): Static<typeof VoteView> {
  const { voteId, userId, selection, message, publicKey, signature, scheme, createdAtMs } = vote
  return {
    id: voteId,
    userId,
    user: userView(user ?? goneUser(vote)),
    activityId,
    selection,
    message,
    publicKey,
    signature,
    scheme,
    createdAt: timestampView(createdAtMs),
  }
}
