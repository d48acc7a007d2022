import type { Need } from '../../contract/needs.ts'
import type { Activity } from '../../contract/records/activity.ts'
import { requireScope } from '../../deciding/caller/session_scope.ts'
import { readerOf } from '../../deciding/organization/organization_reader.ts'
import { boundOf } from '../../deciding/organization/submitted.ts'
import { seenOf } from '../../deciding/rules/rules.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
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
  const bound = boundOf(activity)
  const needs = [...bound.needs(activity.organizationId), ...moreNeeds]
  const resolved = orFailure(() => resolveNeeds(context, target, needs))
  return { target, bound, resolved, reader: resolved instanceof Failure ? undefined : readerOf(resolved) }
}

/**
 * Returns such a request as the rules see it. If something that it names is gone, or its payload cannot be read any
 * more, conditions see less of it. The activity cannot run then, but its voters can still end it.
 */
export async function readRequest(context: Reading, found: ReturnType<typeof foundRequestOf>) {
  const { resolved } = found
  const whole = await seenOf(found, context)
  const isReadable = !(orFailure(whole.facts) instanceof Failure)
  const shown = isReadable ? whole : await seenOf({ ...found, reader: undefined }, context)
  const { facts, smartContractInterfaceIds } = shown
  /** Returns the needs and facts to run the request. Throws a `Failure` if something is gone, or conditions cannot read it fully. */
  function toRun() {
    if (resolved instanceof Failure) throw resolved
    whole.facts()
    return { resolved, facts: whole.facts }
  }
  return { ...found, ...whole, facts, smartContractInterfaceIds, toRun }
}

export type ActivityRequest = Awaited<ReturnType<typeof readRequest>>

/** Finds and reads the request of an activity. */
export async function requestOf(...asked: Parameters<typeof foundRequestOf>): Promise<ActivityRequest> {
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
  requireScope(caller, { facts, parameters: bound.parameters })
}
