import { KeyObject, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { type Authority, createAuthority } from './certificates.ts'

/**
 * A real OpenID Connect issuer (the package oidc-provider) over https on this machine, with a certificate of its own
 * authority.
 *
 *     const issuer = await startOidcIssuer() // close it in the end
 *     start({ oidcIssuers: [issuer.url], caFile: issuer.caFile })
 *     const oidcToken = await issuer.mint({ sub: 'ada', nonce: sha256Hex(publicKey) })
 */
export type OidcIssuer = {
  /** The issuer's `iss`: `https://localhost:12345`. */
  readonly url: string
  readonly port: number
  /** The PEM file with the certificate of its authority, for CLAVIGER_CA_FILE. */
  readonly caFile: string
  readonly authority: Authority
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  /**
   * Mints an ID token with these claims, signed by the issuer's present key. By default `aud` is `clientId`, `iat` is
   * now and `exp` is in an hour. `iss: undefined` and the like leave a claim out. All times are seconds.
   */
  mint(claims: MintedClaims, options?: { readonly alg?: Algorithm; readonly header?: object }): Promise<string>
  /** The same in RS256, at once. */
  mintNow(claims: MintedClaims): string
  /** The same of claims as they stand in this text. */
  mintText(claims: string): string
  /** Logs `sub` in as a browser does and resolves with the code for the token endpoint. */
  login(as: Login): Promise<string>
  /** Logs `sub` in and exchanges the code, as an app does. Returns the ID token that the provider issued. */
  idToken(as: Omit<Login, 'codeChallenge'>): Promise<string>
  /** Returns the user endpoint's answer about the holder of a bearer token. */
  userOf(accessToken: string): Promise<unknown>
  /** The request to the token endpoint for a code. The answer's JSON has `id_token` and `access_token`. */
  tokenRequest(code: string): {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: Uint8Array
  }
  /** Replaces all keys. */
  rotateKeys(): Promise<void>
  /** The paths of all requests so far. */
  readonly requests: string[]
  /** Sees each request first when set. True: the function answers in the provider's place, or leaves it unanswered. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  close(): Promise<void>
}

/** `codeChallenge`: of RFC 7636, S256. */
type Login = { readonly sub: string; readonly nonce?: string; readonly codeChallenge?: string }

type Algorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'Ed25519'
type MintedClaims = Readonly<Record<string, unknown>> & { readonly sub?: unknown }

const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const
/** The one client that the issuer knows. */
export const oidcClientId = 'claviger-test-client'
const clientSecret = 'a-secret-of-the-test-client-0123456789'

/** Starts an issuer. `host` is in its address and in its certificate. */
export async function startOidcIssuer({
  host = 'localhost',
  authority = createAuthority(),
}: {
  readonly host?: string
  readonly authority?: Authority
} = {}): Promise<OidcIssuer> {
  let provider: ReturnType<Provider['callback']>
  let finishLogin: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  let keys: Keys

  const server = createServer(authority.issue({ hosts: [host] }), (incoming, response) => {
    issuer.requests.push(incoming.url ?? '')
    if (issuer.intercept?.(incoming, response) === true) return
    if (incoming.url?.startsWith('/interaction/')) void finishLogin(incoming, response)
    else void provider(incoming, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `https://${host}:${port}`
  const redirectUri = 'https://app.example/callback'

  async function rotateKeys(): Promise<void> {
    keys = await generateKeys()
    const created = new Provider(url, configurationOf(keys, redirectUri))
    provider = created.callback()
    finishLogin = (incoming, response) => login(created, incoming, response)
  }
  await rotateKeys()

  const caFile = join(mkdtempSync(join(tmpdir(), 'claviger-ca-')), 'ca.pem')
  writeFileSync(caFile, authority.certificate)

  function payloadOf(claims: MintedClaims): JWTPayload {
    const nowSeconds = Math.floor(Date.now() / 1_000)
    return { iss: url, aud: oidcClientId, iat: nowSeconds, exp: nowSeconds + 3_600, ...claims } as JWTPayload
  }

  const trusting = { ca: authority.certificate, agent: false }

  const issuer: OidcIssuer = {
    url,
    port,
    caFile,
    authority,
    clientId: oidcClientId,
    clientSecret,
    redirectUri,
    requests: [],
    intercept: undefined,
    rotateKeys,
    mint(claims, { alg = 'RS256', header = {} } = {}) {
      const { kid, privateKey } = keys.of(alg)
      return new SignJWT(payloadOf(claims)).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
    },
    mintNow: (claims) => issuer.mintText(JSON.stringify(payloadOf(claims))),
    mintText(claims) {
      const { kid, privateKey } = keys.of('RS256')
      const parts = [JSON.stringify({ alg: 'RS256', kid }), claims]
      const input = parts.map((part) => Buffer.from(part).toString('base64url')).join('.')
      return `${input}.${sign('sha256', Buffer.from(input), KeyObject.from(privateKey)).toString('base64url')}`
    },
    tokenRequest: (code) => ({
      url: `${url}/token`,
      headers: {
        authorization: `Basic ${Buffer.from(`${oidcClientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: Buffer.from(
        String(new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri })),
      ),
    }),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
    login: (as) => browse({ url, host, authority, redirectUri, ...as }),
    async idToken(as) {
      const { body, ...asked } = issuer.tokenRequest(await issuer.login(as))
      const outgoing = request(asked.url, { ...trusting, method: 'POST', headers: asked.headers })
      return (await fetchJson(outgoing.end(body))).id_token
    },
    userOf(accessToken) {
      const headers = { authorization: `Bearer ${accessToken}` }
      return fetchJson(request(`${url}/me`, { ...trusting, headers }).end())
    },
  }
  return issuer
}

type Keys = {
  readonly jwks: readonly JWK[]
  of(alg: Algorithm): { readonly kid: string; readonly privateKey: CryptoKey }
}

async function generateKeys(): Promise<Keys> {
  const made = await Promise.all(
    algorithms.map(async (alg) => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true })
      const kid = randomUUID()
      return { alg, kid, privateKey, jwk: { ...(await exportJWK(privateKey)), alg, kid, use: 'sig' } }
    }),
  )
  return {
    jwks: made.map(({ jwk }) => jwk),
    of(alg) {
      const found = made.find((key) => key.alg === alg)
      if (found === undefined) throw new Error(`there is no key for ${alg}`)
      return found
    },
  }
}

function configurationOf({ jwks }: Keys, redirectUri: string): object {
  return {
    jwks: { keys: jwks },
    clients: [{ client_id: oidcClientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    cookies: { keys: ['of the tests'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 3_600 },
    pkce: { required: () => false },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false, // the e-mail address belongs in the ID token
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true }),
    }),
  }
}

/** Acts for a person on the issuer's pages: logs in as `login_hint` says, and consents. */
async function login(provider: Provider, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(incoming, response)
  const accountId = params.login_hint
  const grant = new provider.Grant({ accountId, clientId: params.client_id })
  grant.addOIDCScope('openid email')
  const grantId = await grant.save()
  await provider.interactionFinished(incoming, response, { login: { accountId }, consent: { grantId } })
}

async function fetchJson(outgoing: ClientRequest): Promise<ReturnType<typeof JSON.parse>> {
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  return JSON.parse(Buffer.concat(await incoming.toArray()).toString())
}

type Browse = Pick<OidcIssuer, 'url' | 'authority' | 'redirectUri'> & Login & { readonly host: string }

/** Follows redirects with cookies until the one that leads back to the client. */
async function browse({ url, authority, redirectUri, sub, nonce, codeChallenge }: Browse): Promise<string> {
  const query = new URLSearchParams({
    client_id: oidcClientId,
    response_type: 'code',
    scope: 'openid email',
    redirect_uri: redirectUri,
    login_hint: sub,
    ...(nonce === undefined ? {} : { nonce }),
    ...(codeChallenge === undefined ? {} : { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
  })
  const cookies = new Map<string, string>()
  let location = `${url}/auth?${query}`
  for (let step = 0; step < 10 && !location.startsWith(redirectUri); step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const outgoing = request(location, { ca: authority.certificate, headers: { cookie }, agent: false }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    incoming.resume()
    for (const line of incoming.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    if (incoming.headers.location === undefined) throw new Error(`${location} answered ${incoming.statusCode}`)
    location = new URL(incoming.headers.location, location).href
  }
  const code = new URL(location).searchParams.get('code')
  if (code === null) throw new Error(`no code: ${location}`)
  return code
}
