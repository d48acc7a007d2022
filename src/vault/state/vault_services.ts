import type { Id } from '../../contract/fields/ids.ts'
import type { Limits } from '../../contract/limits.ts'
import type { Log } from '../../link/vault_log.ts'
import type { MailDecider } from '../../protocol/wire/sub_organization_mails.ts'
import type { DecisionBooks } from '../books/decision_books.ts'
import type { FingerprintMemory } from '../books/fingerprint_memory.ts'
import type { Seals } from '../keys/seal.ts'
import type { ExchangeCode } from '../outside/exchange_code.ts'
import type { VerifyOidcToken } from '../outside/verify_oidc_token.ts'
import type { HeldDecisions } from './held_decisions.ts'
import type { LiftedAllowlists } from './lifted_allowlists.ts'
import type { OrganizationCache } from './open_head.ts'
import type { OperatorLinks } from './operator_links.ts'
import type { Turns } from './turns.ts'

/** The services with which an unsealed vault decides. */
export type VaultServices = {
  readonly seals: Seals
  readonly books: DecisionBooks
  readonly cache: OrganizationCache
  /** Decisions that make heads, until the service says what became of their commits. */
  readonly heldDecisions: HeldDecisions
  /** The IP allowlists that the operator has lifted, by the operator's own socket. */
  readonly liftedAllowlists: LiftedAllowlists
  /** The links that the operator has made, by the same socket. */
  readonly operatorLinks: OperatorLinks
  /** The keys of changes that make no head, such as signatures, once the service has said that they are on disk. */
  readonly written: FingerprintMemory
  readonly limits: Limits
  readonly verifyOidcToken: VerifyOidcToken
  /** The OAuth 2.0 clients of the operator's apps. */
  readonly oidcAudiences: readonly string[]
  readonly exchangeCode: ExchangeCode
  /** The issuer as which this server signs ID tokens, or undefined if it signs none. */
  readonly ownIssuer: string | undefined
  /** The console's address for links in mails. Undefined: the server does not know it. */
  readonly consoleUrl: string | undefined
  /** Decides which choices users of sub-organizations have in mails. */
  readonly mailDecider: MailDecider
  /** The console's address for links in notices, without a slash at its end. Undefined: no notices are sent. */
  readonly noticesTo: string | undefined
  /** Whether the passcodes of the sandbox's contacts are known: under `dev` only. */
  readonly sandboxPasscodes: boolean
  /** Whether webhooks may go to this machine by plain HTTP: under `dev` only. */
  readonly loopbackHttp: boolean
  /** The vault's own time. It never runs backwards. */
  readonly nowMs: () => number
  readonly turns: Turns
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly randomBytes: (size: number) => Uint8Array
  readonly newId: () => Id
}
