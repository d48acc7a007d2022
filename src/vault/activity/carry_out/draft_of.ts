import { useAttestation } from '../../caller/attestation_use.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Making } from '../../caller/request_context.ts'
import { createDraft, type Draft } from '../../state/draft/draft.ts'
import { lineages } from '../../state/head.ts'
import type { ResolvedNeeds } from '../../state/resolve.ts'

/** The origin of a request's changes. */
export type ChangeSource = {
  /** The caller whose vote makes them. It need not be who submitted the activity. */
  readonly voter: Caller
  /** The resolved needs. They include those of `attestationReads`. */
  readonly resolved: ResolvedNeeds
  /** The key by which the books know the change. */
  readonly changeKey: () => string
}

/**
 * Returns the draft of a request's changes. It uses up the token of an attested stamp, so that no path can forget to.
 * Throws ATTESTATION_INVALID if the token was used before.
 */
export function draftOf(context: Making, { voter, resolved, changeKey }: ChangeSource): Draft {
  const { services, evidence, nowMs, pause } = context
  const { seals, limits, newId } = services
  const tools = { seals, evidence, nowMs, limits, newId, pause, lineageOf: lineages(services, changeKey) }
  const draft = createDraft(tools, resolved)
  useAttestation(voter, { organization: draft.writer, nowMs })
  return draft
}
