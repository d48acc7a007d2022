import type { Operation } from '../../contract/define.ts'
import { readApiStamp, readWebAuthnStamp, type Stamp } from '../../deciding/caller/credential_stamps.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Organization } from '../state/organization.ts'
import { readAttestedStamp } from './attested_stamps.ts'
import { type Caller, identifyCaller } from './caller.ts'
import { requireAllowedSource } from './ip_allowlists.ts'
import type { Asking } from './request_context.ts'

export function onlyStampHeader({ stamps }: VaultRequest): VaultRequest['stamps'][number] {
  const [stamp, another] = stamps
  if (stamp === undefined) throw new Failure('STAMP_MISSING')
  if (another !== undefined) throw new Failure('STAMP_COUNT')
  return stamp
}

/** Reads the stamp. This precedes opening the organization, so that a malformed stamp is refused first. */
export async function readStamp({ stampHeader, services, nowMs }: Asking): Promise<Stamp> {
  if (stampHeader === undefined) throw new Failure('STAMP_MISSING')
  const { header, value } = stampHeader
  switch (header) {
    case 'x-stamp':
      return readApiStamp(value)
    case 'x-stamp-webauthn':
      return readWebAuthnStamp(value)
    case 'x-stamp-attested':
      return readAttestedStamp(value, services, nowMs)
  }
}

/** Returns the caller who stamped the request. Refuses a source address that is not allowed. */
export async function identify(
  context: Asking,
  stamped: { readonly operation: Operation; readonly target: Organization; readonly stamp: Stamp },
): Promise<Caller> {
  const caller = await identifyCaller(context, stamped)
  context.onVerified(caller)
  requireAllowedSource(context, { target: stamped.target, caller })
  return caller
}
