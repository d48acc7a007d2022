import { afterAll } from 'vitest'
import type { Limits } from '../../src/contract/limits.ts'
import { type Oauth2EndpointTable, readOauth2Endpoints } from '../../src/contract/oauth2.ts'
import type { MailDecider } from '../../src/protocol/wire/sub_organization_mails.ts'
import { type OidcIssuer, oidcClientId, startOidcIssuer } from './oidc_issuer.ts'
import { startOrganization } from './organization.ts'

/**
 * Starts an organization as `startOrganization` does, whose server accepts ID tokens of its own issuer.
 * `oidcAudiences`: the clients of the operator's apps.
 */
export async function startOrganizationWithIssuer({
  limits = {},
  oidcAudiences = [oidcClientId, 'another client'],
  mailDecider,
}: {
  readonly limits?: Partial<Limits>
  readonly oidcAudiences?: readonly string[]
  readonly mailDecider?: MailDecider
} = {}) {
  const issuer = await startOidcIssuer()
  const organization = await startOrganization({
    limits,
    oidcIssuers: [issuer.url],
    oidcAudiences,
    caFile: issuer.caFile,
    oauth2Endpoints: oauth2EndpointsOf(issuer),
    ...(mailDecider === undefined ? {} : { mailDecider }),
  })
  afterAll(() => issuer.close())

  /** Mints an ID token that is valid for an hour of the test's clock. */
  function idToken(claims: Readonly<Record<string, unknown>>): string {
    const seconds = Math.floor(organization.clock.nowMs / 1_000)
    return issuer.mintNow({ iat: seconds, exp: seconds + 3_600, ...claims })
  }

  return { ...organization, issuer, idToken }
}

/** Endpoints by which both providers are the issuer, as if it had no ID tokens. Subjects begin with `a:` and `b:`. */
export function oauth2EndpointsOf({ url }: Pick<OidcIssuer, 'url'>): Oauth2EndpointTable {
  const endpoints = { tokenUrl: `${url}/token`, userUrl: `${url}/me`, userIdPath: ['sub'] }
  return readOauth2Endpoints({
    OAUTH2_PROVIDER_PROVIDER_A: { ...endpoints, subjectPrefix: 'a' },
    OAUTH2_PROVIDER_PROVIDER_B: { ...endpoints, subjectPrefix: 'b' },
  })
}

export type TestOrganizationWithIssuer = Awaited<ReturnType<typeof startOrganizationWithIssuer>>
