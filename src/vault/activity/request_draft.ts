import type { OrganizationWriter } from '../../operations/define.ts'
import { useAttestation } from '../caller/attestation_use.ts'
import type { Caller } from '../caller/caller.ts'
import type { RequestContext } from '../caller/request_context.ts'
import { type Changes, createDraft, type Draft } from '../state/draft.ts'
import { lineages } from '../state/head.ts'
import type { ResolvedNeeds } from '../state/resolve.ts'

/** The origin of a request's changes. */
export type ChangeSource = {
  readonly caller: Caller
  /** The resolved needs. They include those of `attestationReads`. */
  readonly resolved: ResolvedNeeds
  /** The key by which the books know the change. */
  readonly changeKey: () => string
}

/**
 * Returns the draft of a request's changes. It uses up the token of an attested stamp, so that no path can forget to.
 * Throws ATTESTATION_INVALID if the token was used before.
 */
export function draftOf(context: RequestContext, { caller, resolved, changeKey }: ChangeSource): Draft {
  const { services, evidence, nowMs } = context
  const { seals, limits, newId } = services
  const tools = { seals, evidence, nowMs, limits, newId, lineageOf: lineages(services, changeKey) }
  const draft = createDraft(tools, resolved)
  useAttestation(caller, { organization: draft.writer, nowMs })
  return draft
}

/** Changes records that belong to the activity itself, without running its operation. */
export function changeRecords(
  context: RequestContext,
  source: ChangeSource,
  change: (writer: OrganizationWriter) => void,
): Changes {
  const draft = draftOf(context, source)
  change(draft.writer)
  return draft.changes()
}
