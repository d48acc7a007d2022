import type { Need } from '../../contract/needs.ts'
import type { Activity } from '../../contract/records/activity.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import { type ResolvedNeeds, readerOf } from '../organization/organization_reader.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { boundOf } from '../organization/submitted.ts'
import type { Counts } from './counts.ts'
import { seenOf } from './rules.ts'

/** Finds what the request of an activity names. `resolve` throws a `Failure` if some of that is gone. */
export function foundRequest<O extends SeenOrganization>(
  target: O,
  activity: Activity,
  resolve: (needs: readonly Need[]) => ResolvedNeeds<O>,
) {
  const bound = boundOf(activity)
  const resolved = orFailure(() => resolve(bound.needs(activity.organizationId)))
  return { target, bound, resolved, reader: resolved instanceof Failure ? undefined : readerOf(resolved) }
}

/**
 * Returns such a request as the rules see it. If something that it names is gone, or its payload cannot be read any
 * more, conditions see less of it. The activity cannot run then, but its voters can still end it.
 */
export async function readRequest<O extends SeenOrganization>(
  context: Counts & { readonly pause: Pause },
  found: ReturnType<typeof foundRequest<O>>,
) {
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
