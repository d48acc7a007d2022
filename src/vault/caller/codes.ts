import { requireOnSince } from '../../contract/records/features.ts'
import type { AuthProxy } from '../../contract/records/records.ts'
import { closedProxyReason, isOfClosedProxy } from '../../operations/sessions/shared/verification_tokens.ts'
import type { VerificationClaims } from '../../protocol/tokens/tokens.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { passcodeSwitches } from '../../protocol/wire/feature_names.ts'
import type { Organization } from '../state/organization.ts'

type SentCode = Pick<VerificationClaims, 'verificationType' | 'ofAuthProxyAtMs'> & { readonly sentAtMs: number }

/**
 * Refuses a stamp by a code where the user's organization has switched such codes off since, also if they are on again,
 * and one by a token of an auth proxy that takes no codes any more. `proxy` is the one of the organization that issued
 * the token.
 */
export function requireCodesOn(
  organization: Organization,
  { verificationType, ofAuthProxyAtMs, sentAtMs }: SentCode,
  proxy: () => AuthProxy | undefined,
): void {
  const name = passcodeSwitches[verificationType]
  const feature = organization.listed('feature', name)
  if (feature !== undefined) requireOnSince([feature], name, sentAtMs)
  if (ofAuthProxyAtMs !== undefined && isOfClosedProxy(ofAuthProxyAtMs, proxy())) {
    throw new Failure('ATTESTATION_INVALID', closedProxyReason)
  }
}
