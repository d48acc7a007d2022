import type { ProxiedName } from '../../../protocol/wire/auth_proxy.ts'
import type { Times } from './record_times.ts'

/** A client at an OIDC issuer with which a page lets its users log in. */
export type ProxiedIssuer = {
  /** `google` */
  readonly providerName: string
  readonly issuer: string
  readonly clientId: string
  /** The page on which a user logs in. */
  readonly authorizationUrl: string
}

/**
 * The rules of an organization's auth proxy, which takes requests without a stamp. Without this record it does nothing.
 * Its id is the organization's, so there is only one.
 */
export type AuthProxy = Times & {
  readonly organizationId: string
  /** Empty: the proxy was disabled, and `sessionsMayChangeCredentials` goes on to bind. */
  readonly operations: readonly ProxiedName[]
  /**
   * Since when, without a break, it takes codes, if it does. A token that it gave out before stamps nothing. Records that
   * are older than this member lack it.
   */
  readonly takesCodesSinceMs?: number
  /** The origins of pages that may ask, or `*`. */
  readonly allowedOrigins: readonly string[]
  /** The name in mails and text messages. */
  readonly appName: string
  /** Seconds, as texts. */
  readonly sessionExpirationSeconds: string
  readonly otpExpirationSeconds: string
  readonly otpLength: number
  readonly otpAlphanumeric: boolean
  readonly oauthProviders: readonly ProxiedIssuer[]
  readonly oauthRedirectUrl?: string
  /**
   * Whether its sessions may do what outlasts them (`outlastsSession`). Absent: they may. Records that are older than
   * this member lack it.
   */
  readonly sessionsMayChangeCredentials?: boolean
}
