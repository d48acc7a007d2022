import type { Limits } from '../operations/limits.ts'
import type { FingerprintMemory } from './fingerprint_memory.ts'
import type { Mark } from './mark.ts'
import type { ExchangeCode } from './oauth2/exchange_code.ts'
import type { VerifyOidcToken } from './oidc/verify_oidc_token.ts'
import type { OrganizationCache } from './organization.ts'
import type { Seals } from './seal.ts'

/** What the vault decides with, once it is unsealed. */
export type Means = {
  readonly seals: Seals
  readonly mark: Mark
  readonly cache: OrganizationCache
  /** What this vault knows to be on disk: a database that has lost it, or shows an older version, is found out. */
  readonly recorded: { readonly request: FingerprintMemory; readonly record: FingerprintMemory }
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
