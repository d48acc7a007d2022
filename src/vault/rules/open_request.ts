import type { Need } from '../../contract/needs.ts'
import type { Activity } from '../../contract/records/activity.ts'
import { requireScope } from '../../deciding/caller/session_scope.ts'
import { foundRequest, readRequest } from '../../deciding/rules/request_of_activity.ts'
import type { Caller } from '../caller/caller.ts'
import type { Reading } from '../caller/request_context.ts'
import type { Organization } from '../state/organization.ts'
import { resolveNeeds } from '../state/resolve.ts'

/** Finds what the request of an activity names. `moreNeeds` are resolved together with the needs of the request. */
export function foundRequestOf(
  context: Reading,
  target: Organization,
  activity: Activity,
  moreNeeds: readonly Need[] = [],
) {
  return foundRequest(target, activity, (needs) => resolveNeeds(context, target, [...needs, ...moreNeeds]))
}

export type ActivityRequest = Awaited<ReturnType<typeof requestOf>>

/** Finds and reads the request of an activity. */
export async function requestOf(...asked: Parameters<typeof foundRequestOf>) {
  const [context] = asked
  return readRequest(context, foundRequestOf(...asked))
}

/** Refuses to show this activity to a session, or to take its vote, unless the session's scope allows the activity. */
export async function requireScopeFor(
  context: Reading,
  { target, caller }: { readonly target: Organization; readonly caller: Caller },
  activity: Activity,
): Promise<void> {
  if (caller.sessionProfileId === undefined) return
  const { facts, bound } = await requestOf(context, target, activity)
  requireScope(caller, { facts, bound })
}
