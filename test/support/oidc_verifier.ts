import { readFileSync } from 'node:fs'
import type { OpenPipe } from '../../src/link/verbs.ts'
import { createDial } from '../../src/service/delivery/connections/dial.ts'
import { issuerDestinations } from '../../src/service/delivery/connections/issuers.ts'
import { createFetchJson } from '../../src/vault/outside/fetch_json.ts'
import { createIssuerKeys } from '../../src/vault/outside/issuer_keys.ts'
import { createVerifyOidcToken } from '../../src/vault/outside/verify_oidc_token.ts'
import type { OidcIssuer } from './oidc_issuer.ts'

type Options = Partial<Pick<Parameters<typeof createVerifyOidcToken>[0], 'own' | 'issuers' | 'audiences'>> & {
  /** Absent: the service's own. */
  readonly openPipe?: OpenPipe
  readonly oidcKeyHosts?: readonly string[]
}

/** The part of the vault that verifies tokens, with an empty cache, for one issuer that it may ask. */
export function verifierFor(issuer: OidcIssuer, { openPipe, oidcKeyHosts = [], ...options }: Options = {}) {
  const oidcIssuers = options.issuers ?? [issuer.url]
  const destinations = issuerDestinations({ oidcIssuers, oidcKeyHosts })
  const fetchJson = createFetchJson({
    openPipe: openPipe ?? createDial({ destinations, privateAddresses: true }),
    authorities: readFileSync(issuer.caFile, 'utf8'),
    loopbackHttp: false,
  })
  const warnings: object[] = []
  const issuerKeys = createIssuerKeys({ fetchJson, log: { warn: (fields) => warnings.push(fields) } })
  const verifyOidcToken = createVerifyOidcToken({ issuers: oidcIssuers, issuerKeys, ...options })
  return {
    fetchJson,
    warnings,
    verify: (token: string, nowMs = Date.now(), fieldPath?: string) =>
      verifyOidcToken({ token, nowMs, ...(fieldPath === undefined ? {} : { fieldPath }) }),
  }
}
