import type { BoundActivity } from '../../contract/define.ts'
import { withoutBearerParameters } from '../../contract/fields/bearer_token.ts'
import type { ActivityOperation } from '../../contract/operation.ts'
import type { Activity, Vote } from '../../contract/records/activity.ts'
import type { User } from '../../contract/records/records.ts'
import { unreadableRequest } from '../../contract/unreadable_request.ts'
import { operationOfType } from '../../operations/catalogue.ts'
import { onceFor } from '../../protocol/tools/once_for.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import type { JsonObject, JsonValue } from '../../protocol/wire/json.ts'

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

/**
 * Returns the operation of an activity, with the parameters of the request that became the activity. Rules for
 * parameters may have become stricter since then, and must not keep the activity from being seen and ended.
 */
export const boundOf = onceFor((activity: Activity): BoundActivity => {
  const { operation, accepted } = operationOfActivity(activity)
  const { parameters } = bodyOf(activity)
  const bound = orFailure(() => accepted.read(parameters))
  return bound instanceof Failure ? unreadableRequest({ operation, type: accepted.type, parameters }, bound) : bound
})

/**
 * Whether the activity holds what only its submitter may see. Then its stamps are to be withheld too: whoever sent one
 * again would be taken for the submitter.
 */
export function holdsTokens(activity: Activity): boolean {
  const { submitterOnly, hasBearerParameters } = operationOfActivity(activity).operation
  if (submitterOnly.length > 0) return true
  const { parameters } = bodyOf(activity)
  return hasBearerParameters && withoutBearerParameters(parameters) !== parameters
}

/** Whether activities of this operation may hold such things. */
export function mayHoldTokens({
  submitterOnly,
  hasBearerParameters,
}: Pick<ActivityOperation, 'submitterOnly' | 'hasBearerParameters'>): boolean {
  return submitterOnly.length > 0 || hasBearerParameters
}

/** Returns the request that a vote was. It was parsed strictly before it was recorded, and is parsed once here. */
export const messageOf = onceFor(({ message }: Vote): Body => JSON.parse(message))

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
