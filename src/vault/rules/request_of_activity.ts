import { readParameters } from '../../operations/fields/parameters.ts'
import type { Need } from '../../operations/needs.ts'
import type { Activity } from '../../operations/records/activity.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Caller } from '../caller/caller.ts'
import { type RequestContext, sourcesOf } from '../caller/request_context.ts'
import { requireScope } from '../caller/session_scope.ts'
import type { Organization } from '../state/organization.ts'
import { readerOf } from '../state/organization_reader.ts'
import { resolveNeeds } from '../state/resolve.ts'
import { bodyOf, operationOfActivity } from '../state/sealed_activity.ts'
import { conditionFacts, seenOf } from './rules.ts'

/**
 * Returns the request of an activity. If something that the request names is gone, or its payload cannot be read any
 * more, conditions see less of the request. The activity cannot run then, but its voters can still end it.
 */
export async function requestOf(context: RequestContext, target: Organization, activity: Activity) {
  const { operation, accepted } = operationOfActivity(activity)
  const parameters = readParameters(accepted, bodyOf(activity).parameters)
  const reader = await readerIfThere(context, target, operation.needs(parameters as never, activity.organizationId))
  const request = { target, operation, type: accepted.type, parameters, reader }
  const seen = seenOf(request, context)
  const facts = lazily(() => unlessRefused(seen.facts) ?? conditionFacts({ ...request, reader: undefined }))
  return { ...request, ...seen, facts }
}

/** Refuses to show this activity to a session, or to take its vote, unless the session's scope allows the activity. */
export async function requireScopeFor(
  context: RequestContext,
  { target, caller }: { readonly target: Organization; readonly caller: Caller },
  activity: Activity,
): Promise<void> {
  if (caller.sessionProfileId === undefined) return
  const { facts } = await requestOf(context, target, activity)
  await requireScope(caller, { open: sourcesOf(context).open, facts })
}

function unlessRefused<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

async function readerIfThere(context: RequestContext, target: Organization, needs: readonly Need[]) {
  try {
    return readerOf(await resolveNeeds(sourcesOf(context), target, needs))
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
