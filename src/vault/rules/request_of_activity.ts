import type { Need } from '../../contract/needs.ts'
import type { Activity } from '../../contract/records/activity.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import type { Caller } from '../caller/caller.ts'
import type { Reading } from '../caller/request_context.ts'
import { requireScope } from '../caller/session_scope.ts'
import type { Organization } from '../state/organization.ts'
import { readerOf } from '../state/organization_reader.ts'
import { resolveNeeds } from '../state/resolve.ts'
import { boundOf } from '../state/sealed_activity.ts'
import { conditionFacts, prepare, seenOf } from './rules.ts'

/**
 * Returns the request of an activity. If something that the request names is gone, or its payload cannot be read any
 * more, conditions see less of the request. The activity cannot run then, but its voters can still end it.
 * `moreNeeds` are resolved together with those of the request.
 */
export function requestOf(context: Reading, target: Organization, activity: Activity, moreNeeds: readonly Need[] = []) {
  const bound = boundOf(activity)
  const needs = [...bound.needs(activity.organizationId), ...moreNeeds]
  const resolved = orFailure(() => resolveNeeds(context, target, needs))
  const request = { target, bound, reader: resolved instanceof Failure ? undefined : readerOf(resolved) }
  const seen = seenOf(request, context)
  const facts = lazily(() => {
    const all = orFailure(seen.facts)
    return all instanceof Failure ? conditionFacts({ ...request, reader: undefined }) : all
  })
  const smartContractInterfaceIds = () => {
    const ids = orFailure(seen.smartContractInterfaceIds)
    return ids instanceof Failure ? [] : ids
  }
  /** Returns the needs and facts to run the request. Throws a `Failure` if something is gone, or conditions cannot read it fully. */
  function toRun() {
    if (resolved instanceof Failure) throw resolved
    seen.facts()
    return { resolved, facts: seen.facts }
  }
  return { ...request, ...seen, facts, smartContractInterfaceIds, toRun }
}

/** Returns the request of an activity, of which everything is read that takes long. */
export async function preparedRequestOf(...asked: Parameters<typeof requestOf>): Promise<ReturnType<typeof requestOf>> {
  const [context] = asked
  const request = requestOf(...asked)
  await prepare(request, context)
  return request
}

/** Refuses to show this activity to a session, or to take its vote, unless the session's scope allows the activity. */
export async function requireScopeFor(
  context: Reading,
  { target, caller }: { readonly target: Organization; readonly caller: Caller },
  activity: Activity,
): Promise<void> {
  if (caller.sessionProfileId === undefined) return
  const { facts, bound } = await preparedRequestOf(context, target, activity)
  requireScope(context, caller, { facts, parameters: bound.parameters })
}
