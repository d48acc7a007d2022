import type { OrganizationReader, OrganizationWriter } from '../../contract/define.ts'
import type { Need } from '../../contract/needs.ts'
import { usedTokenReads, useUp } from '../../operations/sessions/shared/verification_tokens.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Caller } from './caller.ts'

/** The reads that `useAttestation` needs. */
export function attestationReads({ uses }: Pick<Caller, 'uses'>): readonly Need[] {
  return uses === undefined ? [] : usedTokenReads(uses.id)
}

/** Uses up the token of an attested stamp, whoever issued it, or a link of the operator. It serves one activity or one vote. */
export function useAttestation(
  { uses }: Caller,
  place: { readonly organization: OrganizationWriter; readonly nowMs: number },
): void {
  if (uses === undefined) return
  useUp(uses, place, (reason) =>
    'isLink' in uses ? new Failure('LINK_USED') : new Failure('ATTESTATION_INVALID', reason),
  )
}

/** Throws if the operator's link that stamped a query was used before: whoever opens it again makes no passkey first. */
export function requireUnusedLink({ uses }: Caller, { usedTokens }: Pick<OrganizationReader, 'usedTokens'>): void {
  if (uses !== undefined && 'isLink' in uses && usedTokens.find(uses.id) !== undefined) throw new Failure('LINK_USED')
}
