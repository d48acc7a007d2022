import { ServerError, Unreachable } from './server_error.ts'

/** A client at an OIDC issuer with which people log in. */
export type Issuer = {
  readonly providerName: string
  readonly issuer: string
  readonly clientId: string
  readonly authorizationUrl: string
}

/** How people log in to an organization that has enabled its auth proxy. */
export type LoginWays = {
  /** The name of the organization in its mails. */
  readonly appName: string
  readonly enabledProviders: readonly string[]
  readonly sessionExpirationSeconds: string
  readonly oauthProviders: readonly Issuer[]
}

type Answers = {
  readonly wallet_kit_config: LoginWays
  readonly otp_init_v2: { readonly otpId: string; readonly otpEncryptionTargetBundle: string }
  readonly otp_verify_v2: { readonly verificationToken: string }
}

/** Asks the auth proxy of an organization. Nothing stamps such a request: the person has no credential yet. */
export async function askProxy<N extends keyof Answers>(
  organizationId: string,
  name: N,
  body: Readonly<Record<string, string>>,
): Promise<Answers[N]> {
  const headers = { 'content-type': 'application/json', 'x-auth-proxy-config-id': organizationId }
  const sent = { method: 'POST', headers, body: JSON.stringify(body), credentials: 'omit', redirect: 'error' } as const
  const response = await fetch(`/v1/${name}`, sent).catch((cause: unknown) => {
    throw new Unreachable(undefined, { cause })
  })
  const text = await response.text()
  if (!response.ok) throw ServerError.of(response.status, text)
  return JSON.parse(text) as Answers[N]
}
