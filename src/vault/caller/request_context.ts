import type { VaultRequest } from '../../link/verbs.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import type { DecisionCounts } from '../state/decision_counts.ts'
import type { Evidence } from '../state/evidence.ts'
import type { VaultServices } from '../state/vault_services.ts'
import type { Caller } from './caller.ts'

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
  readonly stampHeader: VaultRequest['stamps'][number] | undefined
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
