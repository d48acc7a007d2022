import type { TokenSubject } from '../protocol/tokens/id_tokens.ts'

/** A token somebody presents, and where it stands in the body. */
export type OidcToken = { readonly token: string; readonly fieldPath?: string }

/** What an ID token says (OpenID Connect Core 1.0, section 2): verified, but for the audience and the nonces. */
export type OidcIdentity = TokenSubject & {
  readonly email: string | undefined
  /** Whether the issuer says that the e-mail address is that person's. */
  readonly emailVerified: boolean
  readonly nonce: string | undefined
  /** A second nonce, for issuers that fill the first themselves. */
  readonly tknonce: string | undefined
  readonly expMs: number
}
