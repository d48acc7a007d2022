import fc from 'fast-check'
import { base64url, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OidcIssuer, startOidcIssuer } from '../../../test/support/oidc_issuer.ts'
import { verifierFor } from '../../../test/support/oidc_verifier.ts'
import type { OidcIdentity } from '../../contract/oidc.ts'
import { jwtCharactersMax } from '../../protocol/tokens/jwt.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { issuerKeysOf } from './issuer_keys.ts'

// The issuer is real and speaks TLS. The service's own code dials it.

let issuer: OidcIssuer
beforeAll(async () => {
  issuer = await startOidcIssuer()
})
afterAll(() => issuer.close())

const seconds = () => Math.floor(Date.now() / 1_000)

async function identityOf(token: string): Promise<OidcIdentity> {
  return verifierFor(issuer).verify(token)
}

async function refusalOf(token: string): Promise<Failure> {
  const failure = await identityOf(token).catch((error: unknown) => error)
  if (!(failure instanceof Failure)) throw new Error('it was not refused', { cause: failure })
  expect([failure.code, failure.httpStatus]).toEqual(['OIDC_TOKEN_INVALID', 400])
  return failure
}

describe('a token', () => {
  test('that the issuer gave for a login says who logged in', async () => {
    const { verify, fetchJson } = verifierFor(issuer)
    const code = await issuer.login({ sub: 'ada', nonce: 'of the session' })
    const { status, json } = await fetchJson(issuer.tokenRequest(code))
    expect(status).toBe(200)
    const identity = await verify(String(json.id_token))
    expect(identity).toEqual({
      issuer: issuer.url,
      audience: issuer.clientId,
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      nonce: 'of the session',
      tknonce: undefined,
      tooOldAtMs: expect.any(Number),
    })
    expect(identity.tooOldAtMs - Date.now()).toBeGreaterThan(86_300_000)
    expect(identity.tooOldAtMs - Date.now()).toBeLessThanOrEqual(86_460_000)
    const again = await fetchJson(issuer.tokenRequest(code))
    expect([again.status, again.json.error]).toEqual([400, 'invalid_grant'])
  })

  for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const) {
    test(`may be signed in ${alg}`, async () => {
      expect(await identityOf(await issuer.mint({ sub: 'ada' }, { alg }))).toMatchObject({ subject: 'ada' })
    })
  }

  test('for another client is accepted, and its audience is returned', async () => {
    expect(await identityOf(await issuer.mint({ sub: 'ada', aud: 'another' }))).toMatchObject({ audience: 'another' })
    expect(await identityOf(await issuer.mint({ sub: 'ada', aud: ['one'] }))).toMatchObject({ audience: 'one' })
    const several = await issuer.mint({ sub: 'ada', aud: ['one', 'two'], azp: 'two' })
    expect(await identityOf(several)).toMatchObject({ audience: 'two' })
  })

  test('must be for clients that the operator listed, if any are; azp picks one of several audiences', async () => {
    const { verify } = verifierFor(issuer, { audiences: ['web', 'phone'] })
    for (const claims of [
      { aud: 'web' },
      { aud: ['phone'] },
      { aud: 'web', azp: 'web' },
      // The app of a phone asks for a token for its backend.
      { aud: 'web', azp: 'phone' },
      { aud: ['phone', 'web'], azp: 'web' },
      // No value, as some issuers write it.
      { aud: 'web', azp: '' },
      { aud: 'web', azp: false },
      { aud: 'web', azp: null },
    ]) {
      expect(await verify(await issuer.mint({ sub: 'ada', ...claims }))).toMatchObject({ subject: 'ada' })
    }
    issuer.requests.length = 0
    const others = verifierFor(issuer, { audiences: ['web'] })
    for (const claims of [
      { aud: 'eve' },
      { aud: 'WEB' },
      { aud: ['web', 'eve'], azp: 'eve' },
      { aud: ['eve', 'web'], azp: 'web' },
      { aud: 'web', azp: 'eve' },
      { aud: ['web'], azp: 'eve' },
    ]) {
      const refused = others.verify(await issuer.mint({ sub: 'ada', ...claims }), Date.now(), 'parameters.oidcToken')
      await expect(refused).rejects.toMatchObject({ code: 'OIDC_TOKEN_INVALID', httpStatus: 400 })
      await expect(refused).rejects.toThrow('is not in CLAVIGER_OIDC_AUDIENCES')
    }
    expect(issuer.requests).toEqual([])
  })

  test('may have a second nonce, and say "true" for true as Apple does', async () => {
    const token = await issuer.mint({ sub: 'ada', tknonce: 'n', email: 'a@b.example', email_verified: 'true' })
    expect(await identityOf(token)).toMatchObject({ tknonce: 'n', nonce: undefined, emailVerified: true })
    expect(await identityOf(await issuer.mint({ sub: 'ada', email: 'a@b.example' }))).toMatchObject({
      emailVerified: false,
    })
  })

  test('may have claims that are empty, which are absent ones', async () => {
    for (const empty of ['', null, false]) {
      const token = await issuer.mint({ sub: 'ada', email: empty, nonce: empty, tknonce: empty })
      expect(await identityOf(token)).toMatchObject({ email: undefined, nonce: undefined, tknonce: undefined })
    }
    expect((await refusalOf(await issuer.mint({ sub: 'ada', nonce: 0 }))).message).toContain('its nonce must be a text')
  })

  test('is accepted up to a minute before and after its time', async () => {
    const nowMs = Date.now()
    const { verify } = verifierFor(issuer)
    const token = await issuer.mint({ sub: 'ada', iat: Math.floor(nowMs / 1_000), exp: Math.floor(nowMs / 1_000) + 10 })
    for (const [afterMs, isGood] of [
      [-55_000, true],
      [-65_000, false],
      [65_000, true],
      [75_000, false],
    ] as const) {
      const verified = verify(token, nowMs + afterMs)
      if (isGood) expect(await verified).toMatchObject({ subject: 'ada' })
      else await expect(verified).rejects.toMatchObject({ code: 'OIDC_TOKEN_INVALID' })
    }
  })

  test('is accepted for a day at most, whatever its exp says', async () => {
    const nowMs = Date.now()
    const { verify } = verifierFor(issuer)
    const iat = Math.floor(nowMs / 1_000)
    const token = await issuer.mint({ sub: 'ada', iat, exp: iat + 10 * 365 * 86_400 })
    expect(await verify(token, nowMs)).toMatchObject({ subject: 'ada', tooOldAtMs: (iat + 86_460) * 1_000 })
    expect(await verify(token, (iat + 86_400 + 59) * 1_000)).toMatchObject({ subject: 'ada' })
    await expect(verify(token, (iat + 86_400 + 61) * 1_000)).rejects.toThrow('it is older than a day')
  })

  test('of this server itself is verified without a fetch', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const keys = issuerKeysOf({ keys: [{ ...(await exportJWK(publicKey)), kid: 'own' } as never] }, ['ES256'])
    const { verify } = verifierFor(issuer, {
      own: { issuer: 'https://keys.example/', keys },
      audiences: ['web'], // tokens of this server are for clients of organizations instead
    })
    const token = (kid: string) =>
      new SignJWT({ iss: 'https://keys.example/', aud: 'a', sub: 'ada', iat: seconds(), exp: seconds() + 60 })
        .setProtectedHeader({ alg: 'ES256', kid })
        .sign(privateKey)
    const before = issuer.requests.length
    expect(await verify(await token('own'))).toMatchObject({ issuer: 'https://keys.example/', subject: 'ada' })
    await expect(verify(await token('other'))).rejects.toMatchObject({ code: 'OIDC_TOKEN_INVALID' })
    expect(issuer.requests.length).toBe(before)
  })
})

describe('is refused:', () => {
  test('a token that has expired', async () => {
    const token = await issuer.mint({ sub: 'ada', exp: seconds() - 61 })
    expect((await refusalOf(token)).message).toBe('invalid OIDC token: it has expired')
  })

  test('a token of an issuer that the operator did not name; the error names the setting', async () => {
    const other = await startOidcIssuer()
    const refusal = await refusalOf(await other.mint({ sub: 'ada' }))
    expect(refusal.message).toContain(other.url)
    expect(refusal.message).toContain('CLAVIGER_OIDC_ISSUERS')
    expect(refusal.message).not.toContain('slash')
    expect(other.requests).toEqual([])
    // The stranger signs with its own key in the name of our issuer:
    const forged = await other.mint({ sub: 'ada', iss: issuer.url })
    expect((await refusalOf(forged)).message).toContain('its issuer has no key')
    await other.close()
  })

  test.each(['', '/'])(
    'a token of an issuer that differs by a slash at its end, which the error says: %j',
    async (end) => {
      const named = `${issuer.url}${end === '' ? '/' : ''}`
      const token = await issuer.mint({ sub: 'ada', iss: `${issuer.url}${end}` })
      await expect(verifierFor(issuer, { issuers: [named] }).verify(token)).rejects.toThrow(
        `is not in CLAVIGER_OIDC_ISSUERS, which names ${JSON.stringify(named)}: the slash at the end counts`,
      )
    },
  )

  test("a token by another signer that uses the name of the issuer's key", async () => {
    const genuine = await issuer.mint({ sub: 'ada' })
    const header = JSON.parse(Buffer.from(genuine.split('.')[0] ?? '', 'base64url').toString())
    const { privateKey } = await generateKeyPair('RS256')
    const forged = await new SignJWT({ iss: issuer.url, aud: 'a', sub: 'eve', iat: seconds(), exp: seconds() + 60 })
      .setProtectedHeader(header)
      .sign(privateKey)
    expect((await refusalOf(forged)).message).toContain('its signature does not verify')
    const [, , signature] = genuine.split('.')
    const claims = base64url.encode(JSON.stringify({ iss: issuer.url, sub: 'eve', aud: 'a', exp: seconds() + 60 }))
    const edited = [genuine.split('.')[0], claims, signature].join('.')
    expect((await refusalOf(edited)).message).toContain('its signature does not verify')
  })

  test('a token without a signature, or with one made by a shared secret', async () => {
    const claims = { iss: issuer.url, aud: 'a', sub: 'eve', iat: seconds(), exp: seconds() + 60 }
    expect((await refusalOf(new UnsecuredJWT(claims).encode())).message).toContain('its alg must be one of RS256')
    const shared = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))
    expect((await refusalOf(shared)).message).toContain('its alg must be one of RS256')
  })

  test('a token of the issuer that is not an ID token', async () => {
    for (const typ of ['at+jwt', 'logout+jwt', 'application/at+jwt']) {
      expect((await refusalOf(await issuer.mint({ sub: 'ada' }, { header: { typ } }))).message).toContain('its typ')
    }
    expect(await identityOf(await issuer.mint({ sub: 'ada' }, { header: { typ: 'jwt' } }))).toMatchObject({
      subject: 'ada',
    })
  })

  test('a token whose header or claims have a member twice', async () => {
    const genuine = await issuer.mint({ sub: 'ada' })
    const [header = '', claims = '', signature = ''] = genuine.split('.')
    const twice = (part: string, member: string) =>
      base64url.encode(Buffer.from(part, 'base64url').toString().replace('{', `{${member},`))
    const reasons = [
      [
        [twice(header, '"alg":"ES256"'), claims, signature],
        'its header must be one JSON object, with nothing in it twice',
      ],
      [
        [header, twice(claims, '"sub":"eve"'), signature],
        'its claims must be one JSON object, with nothing in it twice',
      ],
    ] as const
    for (const [parts, reason] of reasons) {
      expect((await refusalOf(parts.join('.'))).message).toBe(`invalid OIDC token: ${reason}`)
    }
  })

  for (const [name, claims, reason] of [
    ['no exp', { exp: undefined }, 'its exp'],
    ['no iat', { iat: undefined }, 'its iat'],
    ['no sub', { sub: undefined }, 'its sub'],
    ['no aud', { aud: undefined }, 'its aud'],
    ['no iss', { iss: undefined }, 'its iss'],
    ['an iss that is no text', { iss: 7 }, 'its iss'],
    ['an exp that is text', { exp: '4102444800' }, 'its exp'],
    ['an exp that is not in whole seconds', { exp: 4_102_444_800.5 }, 'its exp must be a time in whole seconds'],
    ['an exp that no number can hold', { exp: 2 ** 60 }, 'its exp must be a time in whole seconds'],
    ['an iat that is not in whole seconds', { iat: 1_700_000_000.5 }, 'its iat must be a time in whole seconds'],
    ['an iat before all times', { iat: -1 }, 'its iat must be a time in whole seconds'],
    ['an iat of years ago', { iat: 1_500_000_000 }, 'it is older than a day'],
    ['an iat in the future', { iat: 4_000_000_000, exp: 4_100_000_000 }, 'its iat is in the future'],
    ['an nbf that is not in whole seconds', { nbf: 0.5 }, 'its nbf must be a time in whole seconds'],
    ['an nbf that is empty', { nbf: '' }, 'its nbf must be a time in whole seconds'],
    ['an nbf that is false', { nbf: false }, 'its nbf must be a time in whole seconds'],
    ['an nbf that is null', { nbf: null }, 'its nbf must be a time in whole seconds'],
    ['an nbf in the future', { nbf: 4_000_000_000 }, 'its nbf'],
    ['an empty sub', { sub: '' }, 'its sub'],
    ['a sub that is too long', { sub: 'a'.repeat(256) }, 'its sub'],
    ['an aud that is a number', { aud: 7 }, 'its aud'],
    ['an empty list of audiences', { aud: [] }, 'its azp'],
    ['an audience that is a number', { aud: [7] }, 'its aud'],
    ['several audiences and no azp', { aud: ['one', 'two'] }, 'its azp'],
    ['several audiences and another azp', { aud: ['one', 'two'], azp: 'three' }, 'its azp'],
    ['an azp that is no text', { azp: 7 }, 'its azp'],
    ['an audience among several that is no text', { aud: ['one', 7], azp: 'one' }, 'its aud'],
    ['more than twenty audiences', { aud: Array.from({ length: 21 }, () => 'one'), azp: 'one' }, 'its aud'],
    ['a nonce that is no text', { nonce: 7 }, 'its nonce'],
  ] as const) {
    test(`a token with ${name}`, async () => {
      const refusal = await refusalOf(await issuer.mint({ sub: 'ada', ...claims }))
      expect(refusal.message).toContain(reason)
    })
  }

  test('a token with a time that JSON has and no number holds', async () => {
    for (const name of ['exp', 'iat', 'nbf']) {
      const claims = { iss: issuer.url, aud: 'a', sub: 'ada', iat: seconds(), exp: seconds() + 60, [name]: 'TIME' }
      for (const time of ['1e400', '-1e400', '9007199254740993']) {
        const { message } = await refusalOf(issuer.mintText(JSON.stringify(claims).replace('"TIME"', time)))
        expect(message, time).toContain(`its ${name} must be a time in whole seconds`)
      }
    }
  })

  test('text that is not a token; the error names its field, and nothing is fetched', async () => {
    const { verify } = verifierFor(issuer)
    const before = issuer.requests.length
    const genuine = await issuer.mint({ sub: 'ada' })
    const [header = '', claims = ''] = genuine.split('.')
    const junk = fc.oneof(
      fc.string({ maxLength: 300, unit: 'binary' }),
      fc.tuple(fc.string(), fc.string(), fc.string()).map((parts) => parts.join('.')),
      fc.json().map((json) => [header, base64url.encode(json), ''].join('.')),
      fc.json().map((json) => [base64url.encode(json), claims, ''].join('.')),
      fc.constantFrom('', '.', '..', '...', `${header}.${claims}`, `${genuine}.${genuine}`, 'a'.repeat(20_000)),
    )
    await fc.assert(
      fc.asyncProperty(junk, async (token) => {
        await expect(verify(token)).rejects.toMatchObject({ code: 'OIDC_TOKEN_INVALID' })
      }),
      { numRuns: 300 },
    )
    expect(issuer.requests.length).toBe(before)
    const named = verifierFor(issuer).verify('junk', Date.now(), 'parameters.oidcToken')
    await expect(named).rejects.toMatchObject({ fieldPath: 'parameters.oidcToken' })
    await expect(named).rejects.toThrow('invalid OIDC token: parameters.oidcToken: it is no signed JWT')
    const long = await issuer.mint({ sub: 'ada', padding: 'a'.repeat(jwtCharactersMax) })
    expect((await refusalOf(long)).message).toContain(`longer than ${jwtCharactersMax}`)
  })
})
