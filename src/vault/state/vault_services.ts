import type { Limits } from '../../operations/limits.ts'
import type { Books } from '../books/books.ts'
import type { FingerprintMemory } from '../books/fingerprint_memory.ts'
import type { Seals } from '../keys/seal.ts'
import type { ExchangeCode } from '../outside/exchange_code.ts'
import type { VerifyOidcToken } from '../outside/verify_oidc_token.ts'
import type { Held } from './held.ts'
import type { OrganizationCache } from './organization.ts'

/** What the vault decides with, once it is unsealed. */
export type VaultServices = {
  readonly seals: Seals
  readonly books: Books
  readonly cache: OrganizationCache
  /** Decisions that change heads, until the service says what became of them. */
  readonly held: Held
  /** Changes that change no head, by their keys, of which the service said that they are on disk: signatures. */
  readonly written: FingerprintMemory
  readonly limits: Limits
  readonly verifyOidcToken: VerifyOidcToken
  /** The clients of the operator's apps. */
  readonly oidcAudiences: readonly string[]
  readonly exchangeCode: ExchangeCode
  /** As whom this server signs ID tokens; undefined: it signs none. */
  readonly ownIssuer: string | undefined
  /** The vault's own time, never older than the last that it used. */
  readonly nowMs: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly newId: () => string
}
