import type { WebauthnStamper } from '@turnkey/webauthn-stamper'
import { describe, expect, test } from 'vitest'
import type { CoseAlgorithm } from '../../src/protocol/stamps/cose_keys.ts'
import { type GivenAuthenticator, type NewAuthenticator, readAttestation } from '../../src/protocol/stamps/webauthn.ts'
import {
  importAuthenticator,
  parseWebAuthnStamp,
  verifyWebAuthnStamp,
} from '../../src/protocol/stamps/webauthn_stamps.ts'
import { addAuthenticator, openPage, type Page } from '../support/browser.ts'

/** Unmodified: of `@turnkey/http` only the file that registers passkeys, which a browser can load without a bundler. */
const modules = {
  '@turnkey/http/webauthn': '@turnkey/http/dist/webauthn.mjs',
  '@turnkey/webauthn-stamper': '@turnkey/webauthn-stamper/dist/index.mjs',
  'sha256-uint8array': 'sha256-uint8array/dist/sha256-uint8array.mjs',
}

const algorithmNumbers = { ES256: -7, RS256: -257 } as const

const registerInPage = `async ({ algorithm, attestation }) => {
  const { getWebAuthnAttestation } = await import('@turnkey/http/webauthn')
  const challenge = crypto.getRandomValues(new Uint8Array(32))
  return {
    challenge: challenge.toBase64({ alphabet: 'base64url', omitPadding: true }),
    attestation: await getWebAuthnAttestation({
      publicKey: {
        challenge,
        rp: { id: 'localhost', name: 'Conformance' },
        user: { id: crypto.getRandomValues(new Uint8Array(16)), name: 'a user', displayName: 'A user' },
        pubKeyCredParams: [{ type: 'public-key', alg: algorithm }],
        authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
        attestation,
      },
    }),
  }
}`

const stampInPage = `async (body, id) => {
  const { WebauthnStamper } = await import('@turnkey/webauthn-stamper')
  const allowCredentials = [{ type: 'public-key', id: Uint8Array.fromBase64(id, { alphabet: 'base64url' }) }]
  return new WebauthnStamper({ rpId: 'localhost', allowCredentials }).stamp(body)
}`

type Registration = { readonly algorithm: CoseAlgorithm; readonly attestation?: 'none' | 'direct' }

async function register(page: Page, { algorithm, attestation = 'none' }: Registration): Promise<NewAuthenticator> {
  const options = { algorithm: algorithmNumbers[algorithm], attestation }
  const given = await page.evaluate<GivenAuthenticator>(registerInPage, options)
  expect(given.attestation).toHaveProperty('transports', ['AUTHENTICATOR_TRANSPORT_INTERNAL'])
  return readAttestation(given, { fieldPath: 'parameters.authenticator', allowedOrigins: [page.origin] })
}

type ClientStamp = Awaited<ReturnType<WebauthnStamper['stamp']>>

async function stampOf(page: Page, { credentialId }: NewAuthenticator, body: string) {
  const { stampHeaderName, stampHeaderValue } = await page.evaluate<ClientStamp>(stampInPage, body, credentialId)
  expect(stampHeaderName).toBe('X-Stamp-Webauthn')
  const stamp = parseWebAuthnStamp(stampHeaderValue)
  expect(parseWebAuthnStamp(Buffer.from(stampHeaderValue).toString('base64url'))).toEqual(stamp)
  return stamp
}

const body = JSON.stringify({ organizationId: '9f0b2c1e-0000-4000-8000-000000000001', userName: 'Zoë 😀' })

describe('passkeys of a browser, by the public clients', () => {
  test.for(['ES256', 'RS256'] as const)('%s: a stamp is bound to each byte of the body', async (algorithm, context) => {
    const page = await openPage(context, { modules })
    await addAuthenticator(page)
    const registered = await register(page, { algorithm })
    expect(registered).toMatchObject({ algorithm, attestationType: 'none', isUserVerified: true, origin: page.origin })
    const stamp = await stampOf(page, registered, body)
    const given = { stamp, authenticator: importAuthenticator(registered) }
    const signed = Buffer.from(body)
    expect(await verifyWebAuthnStamp({ ...given, body: signed, allowedOrigins: '*' })).toBe(true)
    expect(await verifyWebAuthnStamp({ ...given, body: signed, allowedOrigins: [page.origin] })).toBe(true)
    expect(await verifyWebAuthnStamp({ ...given, body: signed, allowedOrigins: ['http://localhost'] })).toBe(false)
    for (let at = 0; at < signed.length; at += 1) {
      const changed = Buffer.from(signed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(await verifyWebAuthnStamp({ ...given, body: changed, allowedOrigins: '*' })).toBe(false)
    }
  })

  test('the stamp of one passkey is not that of another on the same authenticator', async (context) => {
    const page = await openPage(context, { modules })
    await addAuthenticator(page)
    const registered = [await register(page, { algorithm: 'ES256' }), await register(page, { algorithm: 'ES256' })]
    for (const [used, one] of registered.entries()) {
      const stamp = await stampOf(page, one, body)
      for (const [at, other] of registered.entries()) {
        const authenticator = importAuthenticator(other)
        const isVerified = await verifyWebAuthnStamp({
          stamp,
          authenticator,
          body: Buffer.from(body),
          allowedOrigins: '*',
        })
        expect(isVerified).toBe(at === used)
      }
    }
  })

  test('an attestation of the authenticator is read over', async (context) => {
    const page = await openPage(context, { modules })
    await addAuthenticator(page)
    const registered = await register(page, { algorithm: 'ES256', attestation: 'direct' })
    expect(registered.attestationType).toBe('packed')
    const stamp = await stampOf(page, registered, body)
    const authenticator = importAuthenticator(registered)
    expect(await verifyWebAuthnStamp({ stamp, authenticator, body: Buffer.from(body), allowedOrigins: '*' })).toBe(true)
  })

  test('what goes wrong in the page goes wrong in the test', async (context) => {
    const page = await openPage(context, { modules })
    await expect(page.evaluate(`async () => { throw new TypeError('for a reason') }`)).rejects.toThrow('for a reason')
    await expect(page.evaluate(`() => import('nothing')`)).rejects.toThrow('nothing')
    expect(await page.evaluate(`(a, b) => [a, b]`, 'a', { b: 1 })).toEqual(['a', { b: 1 }])
  })
})
