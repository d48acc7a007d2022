import type { TokenSubject } from '../protocol/tokens/id_tokens.ts'

/** An ID token in a request, and its place in the body. */
export type OidcToken = { readonly token: string; readonly fieldPath?: string }

/**
 * The claims of an ID token (OpenID Connect Core 1.0, section 2). They are verified, except the nonces, and except the
 * audience if the operator lists no clients.
 */
export type OidcIdentity = TokenSubject & {
  readonly email: string | undefined
  /** Whether the issuer says that the e-mail address belongs to the subject. */
  readonly emailVerified: boolean
  /** The domain of the organization at Google that the account belongs to (`hd`). Only Google's tokens have one. */
  readonly hostedDomain?: string
  readonly nonce: string | undefined
  /** A second nonce, for issuers that use the first one themselves. */
  readonly tknonce: string | undefined
  /** From when on nobody is logged in by the token: a day after its `iat`, and a minute for clocks. */
  readonly tooOldAtMs: number
}
