import { afterAll } from 'vitest'
import type { Limits } from '../../src/operations/limits.ts'
import { startOidcIssuer } from './oidc_issuer.ts'
import { startOrganization } from './organization.ts'

/** An organization as `startOrganization` makes it, where ID tokens of an issuer of its own are accepted. */
export async function startOrganizationWithIssuer({ limits = {} }: { readonly limits?: Partial<Limits> } = {}) {
  const issuer = await startOidcIssuer()
  const organization = await startOrganization({ limits, oidcIssuers: [issuer.url], caFile: issuer.caFile })
  afterAll(() => issuer.close())

  /** An ID token that is good for an hour of the test's clock. */
  function idToken(claims: Readonly<Record<string, unknown>>): string {
    const seconds = Math.floor(organization.clock.nowMs / 1_000)
    return issuer.mintNow({ iat: seconds, exp: seconds + 3_600, ...claims })
  }

  return { ...organization, issuer, idToken }
}

export type TestOrganizationWithIssuer = Awaited<ReturnType<typeof startOrganizationWithIssuer>>
