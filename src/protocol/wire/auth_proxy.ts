/** The operations that the interface offers at its auth proxy, below `/v1/`. They take no stamp. */
export const proxiedNames = [
  'account',
  'oauth_login',
  'otp_init',
  'otp_init_v2',
  'otp_login',
  'otp_login_v2',
  'otp_verify',
  'otp_verify_v2',
  'wallet_kit_client_params',
  'wallet_kit_config',
] as const
export type ProxiedName = (typeof proxiedNames)[number]

/** The operations of the interface's auth proxy that this server has not. */
export const unsupportedProxiedNames = ['oauth2_authenticate', 'signup', 'signup_v2'] as const

export const proxiedPathOf = (name: string): string => `/v1/${name}`

/** Returns the operation of the auth proxy at exactly this path. */
export function proxiedNameAt(path: string): ProxiedName | undefined {
  return proxiedNames.find((name) => proxiedPathOf(name) === path)
}

export const proxyOriginsMax = 20
export const proxyIssuersMax = 10
/** Any origin, and a request that names none, as one by an app that is no page. */
export const anyProxyOrigin = '*'

/** Whether an origin may ask. A request without an origin comes from no page of another origin. */
export function isAllowedOrigin(allowedOrigins: readonly string[], origin: string | undefined): boolean {
  if (allowedOrigins.includes(anyProxyOrigin)) return true
  return origin !== undefined && allowedOrigins.includes(origin)
}

/** How the service names an unstamped request to the vault. All of it is by the service's word. */
export type ProxiedRequest = {
  /** The content of `X-Auth-Proxy-Config-ID`, which is the organization's id. */
  readonly configId: string
  readonly origin?: string | undefined
  /** A fresh id, so that two requests with the same bytes are two. */
  readonly requestId: string
  /** When the request came, in milliseconds since 1970. */
  readonly timestampMs: number
}

/** Whether a proxy with these operations compares codes, and so gives out verification tokens. */
export function takesCodes({ operations }: { readonly operations: readonly ProxiedName[] }): boolean {
  return operations.includes('otp_verify') || operations.includes('otp_verify_v2')
}
