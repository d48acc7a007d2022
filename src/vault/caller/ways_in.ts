import type { ActivityOperation } from '../../contract/operation.ts'
import type { Activity, Attested, Vote } from '../../contract/records/activity.ts'
import type { User } from '../../contract/records/records.ts'
import { apiKeyOf, passkeyScheme } from '../../deciding/caller/credential_stamps.ts'
import { proxyOver } from '../../deciding/caller/proxy_over.ts'
import { isOriginAllowed } from '../../protocol/stamps/webauthn_data.ts'
import { parseWebAuthnStamp } from '../../protocol/stamps/webauthn_stamps.ts'
import { tooOldReason } from '../../protocol/tokens/id_tokens.ts'
import type { VerificationType } from '../../protocol/tokens/tokens.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Organization, Sources } from '../state/organization.ts'
import { requireCodesOn } from './codes.ts'
import { isAllowedBy } from './ip_allowlists.ts'
import { allowedOriginsOf } from './verify_stamp.ts'

type Waited = {
  readonly organization: Organization
  /** The user who submitted it. */
  readonly user: User
  readonly operation: ActivityOperation
  readonly submittedFrom: Activity['submittedFrom']
}

/**
 * Refuses an activity that only now runs, after `submission` has waited for `approvals`, if it would be refused today for
 * the way in which one of them came: codes were switched off, or the auth proxy was closed. A login is asked for its
 * address, its page and the age of its token too, since nothing but these stands between it and a session.
 */
export function requireWaysInOpen(
  sources: Sources & Omit<Parameters<typeof isAllowedBy>[0], 'request'>,
  { organization, user, operation, submittedFrom }: Waited,
  { submission, approvals }: { readonly submission: Vote; readonly approvals: readonly Vote[] },
): void {
  for (const { attested, isOfAuthProxy, createdAtMs } of [submission, ...approvals]) {
    const verificationType = attested && codeOf(attested)
    if (verificationType === undefined) continue
    // The code of a vote was good when it was cast.
    const code = { verificationType, sentAtMs: createdAtMs, ...(isOfAuthProxy && { ofAuthProxyAtMs: createdAtMs }) }
    requireCodesOn(organization, code, () => proxyOver(organization))
  }
  if (!operation.logsIn) return
  const { tooOldAtMs = Number.POSITIVE_INFINITY } = submission.attested ?? {}
  if (tooOldAtMs <= sources.nowMs) throw new Failure('ATTESTATION_INVALID', tooOldReason)
  const asked = { ...sources, request: { sourceAddress: submittedFrom } }
  if (!isAllowedBy(asked, organization, apiKeyOf({ user, stamp: submission })?.ipAllowlist)) {
    throw new Failure('SOURCE_FORBIDDEN', 'it was submitted from an address that is not in the IP allowlist any more')
  }
  if (submission.scheme !== passkeyScheme) return
  if (isOriginAllowed(parseWebAuthnStamp(submission.signature).clientData, allowedOriginsOf(organization))) return
  throw new Failure('FORBIDDEN', 'a passkey stamped it on a page where passkeys may not be used any more')
}

/** The kind of code that proved what is attested. The token of an issuer is none. */
function codeOf({ lookup }: Attested): VerificationType | undefined {
  switch (lookup) {
    case 'user_email':
    case 'verified_email':
      return 'OTP_TYPE_EMAIL'
    case 'user_phone_number':
    case 'verified_phone_number':
      return 'OTP_TYPE_SMS'
    default:
      return undefined
  }
}
