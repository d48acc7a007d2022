import type { Operation } from '../../contract/define.ts'
import { readApiStamp, readWebAuthnStamp, type Stamp } from '../../deciding/caller/credential_stamps.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { DecisionCounts } from '../state/decision_counts.ts'
import type { Evidence } from '../state/evidence.ts'
import { type Organization, openOrganization } from '../state/organization.ts'
import type { VaultServices } from '../state/vault_services.ts'
import { readAttestedStamp } from './attested_stamps.ts'
import { type Caller, identifyCaller } from './caller.ts'
import { requireAllowedSource } from './ip_allowlists.ts'

/** The services and data that every stage needs: to read the organizations of a request, and to seal what is said. */
export type Reading = {
  readonly services: Pick<
    VaultServices,
    'seals' | 'books' | 'cache' | 'written' | 'limits' | 'mailDecider' | 'noticesTo' | 'log' | 'newId'
  >
  readonly request: Pick<VaultRequest, 'mayRecall' | 'dialect'>
  readonly evidence: Evidence
  /** The earlier counts, and those of this request. */
  readonly decisionCounts: DecisionCounts
  readonly nowMs: number
  /** Asked between two steps of long work. */
  readonly pause: Pause
  /** The same, if the request is so large that any step may be long. */
  readonly pauseIfLarge: Pause
}

/** The services and data to learn who asks for what, by which bytes. */
export type Asking = Reading & {
  readonly services: Pick<VaultServices, 'operatorLinks' | 'liftedAllowlists' | 'verifyOidcToken'>
  readonly request: VaultRequest
  /** The only stamp header. Its content is read after the envelope. Undefined for the auth proxy, which takes none. */
  readonly stampHeader: StampHeader | undefined
  /** The fingerprint of the request's body, from which its other keys are made (`books/entry_names.ts`). */
  readonly fingerprint: () => string
  /** Called after the stamp is verified. */
  readonly onVerified: (caller: Pick<Caller, 'user' | 'organization'>) => void
}

/** The services and data to run an operation. It has no bytes of the request. */
export type Making = Reading & {
  readonly services: Pick<VaultServices, MakingServices>
  readonly request: Pick<VaultRequest, 'sourceAddress'>
}

type MakingServices =
  | 'randomBytes'
  | 'verifyOidcToken'
  | 'exchangeCode'
  | 'ownIssuer'
  | 'oidcAudiences'
  | 'sandboxPasscodes'
  | 'loopbackHttp'
  | 'consoleUrl'
  | 'liftedAllowlists'

type StampHeader = VaultRequest['stamps'][number]

export function onlyStampHeader({ stamps }: VaultRequest): StampHeader {
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

/** Opens the organization that the request names. Throws ORGANIZATION_NOT_FOUND. */
export function openTarget(context: Reading, organizationId: string): Organization {
  const organization = openOrganization(context, organizationId)
  if (organization === undefined) throw new Failure('ORGANIZATION_NOT_FOUND', organizationId)
  return organization
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
