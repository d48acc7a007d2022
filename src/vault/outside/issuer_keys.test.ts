import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OidcIssuer, startOidcIssuer } from '../../../test/support/oidc_issuer.ts'
import { verifierFor } from '../../../test/support/oidc_verifier.ts'
import type { JsonObject } from '../../protocol/wire/json.ts'

const configurationPath = '/.well-known/openid-configuration'
const minuteMs = 60_000

let issuer: OidcIssuer
beforeAll(async () => {
  issuer = await startOidcIssuer()
})
afterEach(() => {
  issuer.intercept = undefined
  issuer.requests.length = 0
})
afterAll(() => issuer.close())

/** Replaces the issuer's answer for one path. The provider answers all others. */
function answer(path: string, reply: (response: ServerResponse, request: IncomingMessage) => void): void {
  issuer.intercept = (request, response) => {
    if (request.url !== path) return false
    reply(response, request)
    return true
  }
}

function sendJson(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

async function fetchOwnJson(path: string) {
  const { fetchJson } = verifierFor(issuer)
  const { json } = await fetchJson({ url: issuer.url + path })
  issuer.requests.length = 0
  return json
}

/** Other keys of the same names. */
async function otherKeysOf({ keys }: JsonObject) {
  const given: readonly JWK[] = Array.isArray(keys) ? keys : []
  const others = given.map(async ({ kid, alg = 'RS256' }) => {
    const { publicKey } = await generateKeyPair(alg, { extractable: true })
    return { ...(await exportJWK(publicKey)), kid, alg }
  })
  return { keys: await Promise.all(others) }
}

describe('keys', () => {
  test('are fetched once for concurrent requests, and kept', async () => {
    const { verify } = verifierFor(issuer)
    const tokens = await Promise.all(['ada', 'bob', 'eve'].map((sub) => issuer.mint({ sub })))
    const identities = await Promise.all([...tokens, ...tokens].map((token) => verify(token)))
    expect(identities.map(({ subject }) => subject)).toEqual(['ada', 'bob', 'eve', 'ada', 'bob', 'eve'])
    expect(issuer.requests).toEqual([configurationPath, '/jwks'])
    await verify(tokens[0] ?? '')
    expect(issuer.requests.length).toBe(2)
  })

  for (const [cacheControl, keptMs] of [
    [undefined, 10 * minuteMs],
    ['public, max-age=300', 5 * minuteMs],
    ['max-age="120"', 2 * minuteMs],
    ['max-age=1', minuteMs],
    ['max-age=86400, must-revalidate', 60 * minuteMs],
    ['max-age=999999999', 60 * minuteMs],
    ['max-age=9999999999', 10 * minuteMs],
    ['no-store, max-age=600', minuteMs],
    ['No-Cache', minuteMs],
    ['max-age=-1', 10 * minuteMs],
    ['s-maxage=60', 10 * minuteMs],
  ] as const) {
    test(`whose answer says ${cacheControl} are kept for ${keptMs / 1_000} s`, async () => {
      const jwks = await fetchOwnJson('/jwks')
      const headers: Record<string, string> = cacheControl === undefined ? {} : { 'cache-control': cacheControl }
      answer('/jwks', (response) => sendJson(response, jwks, headers))
      const { verify } = verifierFor(issuer)
      const nowMs = Date.now()
      const token = await issuer.mint({ sub: 'ada', exp: 4_000_000_000 })
      await verify(token, nowMs)
      await verify(token, nowMs + keptMs - 1)
      expect(issuer.requests.length).toBe(2)
      await verify(token, nowMs + keptMs)
      expect(issuer.requests.length).toBe(4)
    })
  }

  test('that were rotated are fetched for the first token that names a new key', async () => {
    const { verify } = verifierFor(issuer)
    const nowMs = Date.now()
    const old = await issuer.mint({ sub: 'ada' })
    await verify(old, nowMs)
    await issuer.rotateKeys()
    const fresh = await issuer.mint({ sub: 'ada' })
    const both = await Promise.all([verify(fresh, nowMs + 1), verify(fresh, nowMs + 1), verify(old, nowMs + 1)])
    expect(both).toMatchObject([{ subject: 'ada' }, { subject: 'ada' }, { subject: 'ada' }])
    expect(issuer.requests.length).toBe(4)
    await expect(verify(old, nowMs + 2)).rejects.toThrow('its issuer has no key of that kid and alg')
  })

  test('that changed under the same name are fetched when a signature does not verify, once a minute', async () => {
    const { verify } = verifierFor(issuer)
    const nowMs = Date.now()
    const token = await issuer.mint({ sub: 'ada' })
    const jwks = await fetchOwnJson('/jwks')
    const others = await otherKeysOf(jwks)
    answer('/jwks', (response) => sendJson(response, others))
    const refused = async (afterMs: number) =>
      expect(verify(token, nowMs + afterMs)).rejects.toThrow('its signature does not verify')
    for (const afterMs of [0, 1, 2]) await refused(afterMs)
    expect(issuer.requests.length).toBe(4)
    answer('/jwks', (response) => sendJson(response, jwks))
    await refused(minuteMs)
    expect(await verify(token, nowMs + minuteMs + 1)).toMatchObject({ subject: 'ada' })
    expect(issuer.requests.length).toBe(6)
  })

  test('are fetched once a minute for unknown key names, however many there are', async () => {
    const { verify } = verifierFor(issuer)
    const nowMs = Date.now()
    const good = await issuer.mint({ sub: 'ada' })
    const stranger = await issuer.mint({ sub: 'ada' }, { header: { kid: 'invented' } })
    const refused = async (afterMs: number) =>
      expect(verify(stranger, nowMs + afterMs)).rejects.toThrow('its issuer has no key')
    await refused(0)
    expect(issuer.requests.length).toBe(2) // just fetched: no reason to look again
    for (const afterMs of [1, 2, 30_000, minuteMs]) await refused(afterMs)
    expect(issuer.requests.length).toBe(4)
    await Promise.all([refused(minuteMs + 1), refused(minuteMs + 1)])
    expect(issuer.requests.length).toBe(6)
    await verify(good, nowMs + minuteMs + 2)
    expect(issuer.requests.length).toBe(6)
  })

  test('that are kept stay in use while a fetch for an unknown key fails', async () => {
    const { verify } = verifierFor(issuer)
    const nowMs = Date.now()
    const good = await issuer.mint({ sub: 'ada' })
    await verify(good, nowMs)
    const asked = Promise.withResolvers<ServerResponse>()
    answer(configurationPath, asked.resolve)
    const searching = verify(await issuer.mint({ sub: 'ada' }, { header: { kid: 'invented' } }), nowMs)
    const response = await asked.promise
    await verify(good, nowMs)
    response.writeHead(503).end()
    await expect(searching).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await verify(good, nowMs + 1)
  })
})

describe("an issuer's failure", () => {
  test('to give rotated keys is UNAVAILABLE: a token of a new key is not refused, and accepted later', async () => {
    const { verify } = verifierFor(issuer)
    const nowMs = Date.now()
    await verify(await issuer.mint({ sub: 'ada' }), nowMs)
    await issuer.rotateKeys()
    answer(configurationPath, (response) => response.writeHead(503).end())
    const fresh = await issuer.mint({ sub: 'ada' })
    for (const afterMs of [1, 2, 1_001]) {
      await expect(verify(fresh, nowMs + afterMs)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    }
    expect(issuer.requests.filter((path) => path === configurationPath)).toHaveLength(3)
    issuer.intercept = undefined
    expect(await verify(fresh, nowMs + 3_001)).toMatchObject({ subject: 'ada' })
  })

  test('to give its keys is UNAVAILABLE and logged, and the issuer is asked again after a second', async () => {
    const { verify, warnings } = verifierFor(issuer)
    answer(configurationPath, (response) => response.writeHead(500, { 'content-type': 'text/html' }).end('inside'))
    const token = await issuer.mint({ sub: 'ada' })
    const nowMs = Date.now()
    const failures = await Promise.allSettled([verify(token, nowMs), verify(token, nowMs), verify(token, nowMs)])
    for (const failure of failures) {
      expect(failure).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE', httpStatus: 503 } })
    }
    await expect(verify(token, nowMs + 999)).rejects.toThrow(
      `the keys of the issuer ${issuer.url} cannot be fetched: ${issuer.url}${configurationPath}: it answers 500 and no JSON`,
    )
    expect(issuer.requests.length).toBe(1)
    expect(warnings).toMatchObject([{ issuer: issuer.url }])
    issuer.intercept = undefined
    expect(await verify(token, nowMs + 1_000)).toMatchObject({ subject: 'ada' })
  })

  test('again doubles the time until the issuer is asked, to 16 s at most, and an answer ends that', async () => {
    const { verify } = verifierFor(issuer)
    answer(configurationPath, (response) => response.writeHead(500).end())
    const token = await issuer.mint({ sub: 'ada' })
    let nowMs = Date.now()
    for (const [at, lastsMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 16_000].entries()) {
      await expect(verify(token, nowMs)).rejects.toThrow('cannot be fetched')
      await expect(verify(token, nowMs + lastsMs - 1)).rejects.toThrow('cannot be fetched')
      expect(issuer.requests.length).toBe(at + 1)
      nowMs += lastsMs
    }
    const broken = issuer.intercept
    issuer.intercept = undefined
    expect(await verify(token, nowMs)).toMatchObject({ subject: 'ada' })
    issuer.intercept = broken
    nowMs += 20 * minuteMs // what was kept is fetched again
    issuer.requests.length = 0
    for (const laterMs of [0, 1_000]) await expect(verify(token, nowMs + laterMs)).rejects.toThrow('cannot be fetched')
    expect(issuer.requests.length).toBe(2)
  })

  test('to answer is named in the error', async () => {
    issuer.intercept = () => true
    const { verify } = verifierFor(issuer)
    const refused = verify(await issuer.mint({ sub: 'ada' }))
    await expect(refused).rejects.toThrow('no answer in time')
  })

  for (const [name, path, value, reason] of [
    ['of another issuer', configurationPath, { issuer: 'https://other.example', jwks_uri: '' }, 'another issuer'],
    ['without keys', configurationPath, { jwks_uri: undefined }, 'it has no jwks_uri'],
    ['whose keys are elsewhere', configurationPath, { jwks_uri: 'https://keys.example/' }, 'CLAVIGER_OIDC_KEY_HOSTS'],
    ['whose keys are at no address', configurationPath, { jwks_uri: '/jwks' }, 'not an address to fetch from'],
    ['whose keys come in the clear', configurationPath, { jwks_uri: 'http://127.0.0.1/' }, 'only https'],
    ['whose keys are on another port', configurationPath, { jwks_uri: 'https://localhost:1/' }, 'is no destination'],
    [
      'with no algorithm of ours',
      configurationPath,
      { id_token_signing_alg_values_supported: ['none'] },
      'offers none',
    ],
    ['that lists no algorithms', configurationPath, { id_token_signing_alg_values_supported: 'RS256' }, 'offers none'],
    [
      'with too many keys',
      '/jwks',
      { keys: Array.from({ length: 101 }, () => ({ kty: 'RSA' })) },
      'more than 100 keys',
    ],
    ['with keys that are none', '/jwks', { keys: 'none' }, 'JSON Web Key Set malformed'],
    ['with a list for keys', '/jwks', [], 'its answer is no JSON object'],
  ] as const) {
    test(`by a configuration ${name} is UNAVAILABLE`, async () => {
      const honest = await fetchOwnJson(path)
      answer(path, (response) => sendJson(response, Array.isArray(value) ? value : { ...honest, ...value }))
      const { verify } = verifierFor(issuer)
      const refused = verify(await issuer.mint({ sub: 'ada' }))
      await expect(refused).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      await expect(refused).rejects.toThrow(reason)
    })
  }

  test('by a redirect is named in the error, and the redirect is not followed', async () => {
    answer(configurationPath, (response) => response.writeHead(302, { location: `${issuer.url}/jwks` }).end())
    const refused = verifierFor(issuer).verify(await issuer.mint({ sub: 'ada' }))
    await expect(refused).rejects.toThrow('it redirects')
    expect(issuer.requests).toEqual([configurationPath])
  })

  test('by a malformed key refuses the token of that key and not the next token', async () => {
    const { keys } = await fetchOwnJson('/jwks')
    const broken = { kty: 'RSA', kid: 'broken', alg: 'RS256', n: 'AQAB', e: '!' }
    answer('/jwks', (response) => sendJson(response, { keys: [broken, ...(Array.isArray(keys) ? keys : [])] }))
    const { verify } = verifierFor(issuer)
    const bad = verify(await issuer.mint({ sub: 'ada' }, { header: { kid: 'broken' } }))
    await expect(bad).rejects.toMatchObject({ code: 'OIDC_TOKEN_INVALID' })
    expect(await verify(await issuer.mint({ sub: 'ada' }))).toMatchObject({ subject: 'ada' })
  })

  test('to offer an algorithm refuses only tokens in that algorithm', async () => {
    const honest = await fetchOwnJson(configurationPath)
    answer(configurationPath, (response) =>
      sendJson(response, { ...honest, id_token_signing_alg_values_supported: ['ES256'] }),
    )
    const { verify } = verifierFor(issuer)
    await expect(verify(await issuer.mint({ sub: 'ada' }))).rejects.toThrow('its issuer does not offer its alg')
    expect(await verify(await issuer.mint({ sub: 'ada' }, { alg: 'ES256' }))).toMatchObject({ subject: 'ada' })
  })
})
