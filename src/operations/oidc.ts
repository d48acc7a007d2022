/** A token somebody presents, and where it stands in the body. */
export type OidcToken = { readonly token: string; readonly fieldPath?: string }

/** What an ID token says (OpenID Connect Core 1.0, section 2): verified, but for `aud` and the nonces. */
export type OidcIdentity = {
  readonly iss: string
  /** The client to which the token was issued: compare it with the one that is registered. */
  readonly aud: string
  readonly sub: string
  readonly email: string | undefined
  /** Whether the issuer says that the e-mail address is that person's. */
  readonly emailVerified: boolean
  readonly nonce: string | undefined
  /** A second nonce, for issuers that fill the first themselves. */
  readonly tknonce: string | undefined
  readonly expMs: number
}
