import { operationOfType } from '../../operations/catalogue.ts'
import type { BoundActivity } from '../../operations/define.ts'
import { withoutNulls } from '../../operations/fields/check_object.ts'
import type { Activity, Vote } from '../../operations/records/activity.ts'
import type { User } from '../../operations/records/records.ts'
import { timestampView, userView } from '../../operations/records/views.ts'
import type { FoundActivity } from '../../protocol/reads.ts'
import { onceFor } from '../../protocol/tools/once_for.ts'
import type { Dialect } from '../../protocol/wire/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/wire/json.ts'
import type { Seals } from '../keys/seal.ts'
import { IntegrityError } from './evidence.ts'
import { whenSealed } from './organization.ts'

export function sealActivity(seals: Seals, activity: Activity, version: number): Uint8Array {
  const { organizationId, activityId } = activity
  return seals.seal(slotOf({ organizationId, activityId, version }), Buffer.from(JSON.stringify(activity)))
}

export function openActivity(seals: Seals, organizationId: string, found: FoundActivity): Activity {
  const name = `organization ${organizationId}: activity ${found.activityId}`
  const plaintext = whenSealed(name, () => seals.unseal(slotOf({ organizationId, ...found }), found.sealed))
  // The seal has proved that the vault wrote these bytes.
  const activity: Activity = JSON.parse(Buffer.from(plaintext).toString('utf8'))
  if (activity.activityId !== found.activityId) throw new IntegrityError(`${name} names another id`)
  return activity
}

function slotOf({
  organizationId,
  activityId,
  version,
}: {
  organizationId: string
  activityId: string
  version: number
}) {
  return { organizationId, kind: 'activity', id: activityId, version }
}

type ActivityViewing = {
  readonly dialect: Dialect
  readonly isSubmitter: boolean
  readonly userOf: (vote: Vote) => User | undefined
  /** Returns whether the caller can still approve or reject the activity. */
  readonly may: (activity: Activity) => { readonly canApprove: boolean; readonly canReject: boolean }
}

/**
 * Returns the activity as a caller sees it. `userOf` returns a voter's user record, or undefined if that user is gone.
 * The vote then shows the facts that it recorded itself.
 */
export function activityView(
  activity: Activity,
  { dialect, isSubmitter, userOf, may }: ActivityViewing,
): Record<string, unknown> {
  const { activityId, organizationId, status, type, votes, fingerprint, failure = null, appProofs } = activity
  const { canApprove, canReject } = may(activity)
  return {
    id: activityId,
    organizationId,
    status,
    type,
    intent: intentOf(activity),
    result: isSubmitter ? activity.result : resultForOthers(activity),
    votes: votes.map((vote) => voteView(vote, activityId, userOf(vote))),
    fingerprint,
    canApprove,
    canReject,
    createdAt: timeView(activity.createdAtMs, dialect),
    updatedAt: timeView(activity.updatedAtMs, dialect),
    failure,
    ...(appProofs === undefined ? {} : { appProofs }),
  }
}

function timeView(timeMs: number, dialect: Dialect) {
  return dialect === 'hosted' ? timestampView(timeMs) : new Date(timeMs).toISOString()
}

/** Returns the parameters as they were signed, without nulls, under the intent key of the type that was sent. */
function intentOf(activity: Activity): Record<string, unknown> {
  const { accepted } = operationOfActivity(activity)
  return { [accepted.intentKey]: withoutAppProofsFlag(withoutNulls(bodyOf(activity).parameters)) }
}

/**
 * Returns the result without the fields that only the submitter may see. Anybody who has such a token can use it, and
 * all users of the organization can read its activities.
 */
function resultForOthers(activity: Activity): Activity['result'] {
  const { submitterOnly } = operationOfActivity(activity).operation
  if (submitterOnly.length === 0) return activity.result
  const emptied = Object.entries(activity.result).map(([key, fields]) => {
    const named = Object.entries(fields as object)
    return [key, Object.fromEntries(named.map(([name, value]) => [name, submitterOnly.includes(name) ? '' : value]))]
  })
  return Object.fromEntries(emptied)
}

export function operationOfActivity({ activityId, type }: Activity) {
  const found = operationOfType(type)
  if (found === undefined) throw new Error(`activity ${activityId} has the unknown type ${type}`)
  return found
}

type Body = { readonly parameters: JsonObject; readonly timestampMs: string; readonly generateAppProofs?: JsonValue }

/** Returns the request that became the activity. */
export function bodyOf(activity: Activity): Body {
  return messageOf(submissionOf(activity))
}

/** Returns the first vote, which is the request that became the activity. */
export function submissionOf({ activityId, votes: [submission] }: Pick<Activity, 'activityId' | 'votes'>): Vote {
  if (submission === undefined) throw new Error(`activity ${activityId} has no submission`)
  return submission
}

/** Returns the operation of an activity, with the parameters of the request that became the activity. */
export function boundOf(activity: Activity): BoundActivity {
  const { accepted } = operationOfActivity(activity)
  return accepted.read(bodyOf(activity).parameters)
}

/** Returns the request that a vote was. It was parsed strictly before it was recorded, and is parsed once here. */
export const messageOf = onceFor(({ message }: Vote): Body => JSON.parse(message))

function withoutAppProofsFlag(parameters: JsonValue): JsonValue {
  if (!isJsonObject(parameters)) return parameters
  const { generateAppProofs: _, ...rest } = parameters
  return rest
}

function voteView(vote: Vote, activityId: string, user: User | undefined): Record<string, unknown> {
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

/** Returns a user record for a user who is gone, from the facts that the vote recorded. */
export function goneUser({ userId, userName, createdAtMs }: Vote): User {
  return {
    userId,
    userName,
    apiKeys: [],
    authenticators: [],
    oauthProviders: [],
    userTags: [],
    createdAtMs,
    updatedAtMs: createdAtMs,
  }
}
