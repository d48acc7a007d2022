import { verifyOtpVerificationToken, verifySessionJwtSignature } from '@turnkey/crypto'
import fc from 'fast-check'
import { jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { newP256Pair } from '../../../test/support/p256_pairs.ts'
import { importP256PublicKey } from '../crypto/p256.ts'
import type { Dialect } from '../wire/dialect.ts'
import type { JsonObject } from '../wire/json.ts'
import { type JwtHash, signJwt } from './jwt.ts'
import {
  readVerificationToken,
  type SessionClaims,
  signSessionToken,
  signVerificationToken,
  type VerificationClaims,
  verificationTypes,
} from './tokens.ts'

const signer = newP256Pair()
const key = importP256PublicKey(signer.point)
// The clients' verifier asks the clock: a time that no test outlives.
const expiresAtMs = 4_000_000_000_000
const nowMs = expiresAtMs - 1
const dialects: readonly Dialect[] = ['spec', 'hosted']

const verification: VerificationClaims = {
  id: '0197c1f0-0000-7000-8000-000000000003',
  organizationId: '0197c1f0-0000-7000-8000-000000000001',
  verificationType: 'OTP_TYPE_EMAIL',
  contact: 'somebody@example.com',
  publicKey: newP256Pair().compressed,
  expiresAtMs,
}
const session: SessionClaims = {
  publicKey: newP256Pair().compressed,
  sessionType: 'SESSION_TYPE_READ_WRITE',
  userId: '0197c1f0-0000-7000-8000-000000000002',
  organizationId: '0197c1f0-0000-7000-8000-000000000001',
  expiresAtMs,
}

function signedVerification(dialect: Dialect, claims = verification): string {
  using signingSecret = signer.secret()
  return signVerificationToken({ claims, dialect, signingSecret })
}
function signedSession(dialect: Dialect, claims = session): string {
  using signingSecret = signer.secret()
  return signSessionToken({ claims, dialect, signingSecret })
}
/** Signed by the right key, with claims that this server would not write. */
function signedRaw(claims: JsonObject, hash: JwtHash = 'standard'): string {
  using signingSecret = signer.secret()
  return signJwt({ claims, signingSecret, hash })
}
const readVerification = (token: string, at = nowMs) =>
  readVerificationToken({ token, publicKey: signer.point, nowMs: at })
const payloadOf = (token: string) => JSON.parse(atob(token.split('.')[1] ?? ''))

const wireVerification = {
  id: verification.id,
  organization_id: verification.organizationId,
  verification_type: 'OTP_TYPE_EMAIL',
  contact: verification.contact,
  public_key: verification.publicKey ?? '',
}
const wireSession = {
  exp: expiresAtMs / 1_000,
  public_key: session.publicKey,
  session_type: session.sessionType,
  user_id: session.userId,
  organization_id: session.organizationId,
}

describe('a verification token', () => {
  test('of the spec dialect verifies with jose and has its exp in seconds', async () => {
    const { payload, protectedHeader } = await jwtVerify(signedVerification('spec'), key)
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'tlsFetcherSigning', typ: 'JWT' })
    expect(payload).toEqual({ ...wireVerification, exp: expiresAtMs / 1_000 })
  })

  test('of the hosted dialect verifies with @turnkey/crypto: six texts, exp in milliseconds', async () => {
    for (const verificationType of verificationTypes) {
      const token = signedVerification('hosted', { ...verification, verificationType })
      const claims = await verifyOtpVerificationToken(token, signer.uncompressed)
      expect(claims).toEqual({ ...wireVerification, verification_type: verificationType, exp: String(expiresAtMs) })
      expect(await verifyOtpVerificationToken(token, signer.compressed)).toEqual(claims)
    }
    await expect(verifyOtpVerificationToken(signedVerification('hosted'), newP256Pair().uncompressed)).rejects.toThrow()
    await expect(verifyOtpVerificationToken(signedVerification('spec'), signer.uncompressed)).rejects.toThrow("'exp'")
  })

  test.each(dialects)('of the %s dialect is read back, whatever its texts are', (dialect) => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1 })
    fc.assert(
      fc.property(texts, texts, (id, contact) => {
        const claims = { ...verification, id, contact }
        expect(readVerification(signedVerification(dialect, claims))).toEqual({ kind: 'valid', claims })
      }),
      { numRuns: 40 },
    )
  })

  test('of the auth proxy says so to the vault, and verifies with @turnkey/crypto', async () => {
    const claims = { ...verification, ofAuthProxyAtMs: expiresAtMs - 60_000 }
    for (const dialect of dialects) {
      expect(readVerification(signedVerification(dialect, claims))).toEqual({ kind: 'valid', claims })
    }
    const verified = await verifyOtpVerificationToken(signedVerification('hosted', claims), signer.uncompressed)
    expect(verified).toMatchObject(wireVerification)
  })

  test('says when its code was sent, and verifies with @turnkey/crypto', async () => {
    const claims = { ...verification, codeSentAtMs: expiresAtMs - 3_600_123 }
    for (const dialect of dialects) {
      expect(readVerification(signedVerification(dialect, claims))).toEqual({ kind: 'valid', claims })
    }
    const verified = await verifyOtpVerificationToken(signedVerification('hosted', claims), signer.uncompressed)
    expect(verified).toMatchObject({ ...wireVerification, code_sent_at: expiresAtMs - 3_600_123 })
  })

  test.each(dialects)('of the %s dialect is over on its expiry, not before', (dialect) => {
    const token = signedVerification(dialect)
    expect(readVerification(token, expiresAtMs - 1).kind).toBe('valid')
    const expired = { kind: 'invalid', reason: 'the token has expired' }
    expect(readVerification(token, expiresAtMs)).toEqual(expired)
    expect(readVerification(token, expiresAtMs + 1)).toEqual(expired)
  })

  test('with a fraction of a second: hosted keeps it, spec is over at the second before', () => {
    const claims = { ...verification, expiresAtMs: expiresAtMs + 999 }
    expect(readVerification(signedVerification('hosted', claims))).toEqual({ kind: 'valid', claims })
    expect(readVerification(signedVerification('spec', claims))).toEqual({ kind: 'valid', claims: verification })
  })

  const noToken = { kind: 'invalid', reason: 'the token is no verification token' }
  test.each([
    ['no claims', {}],
    ['the claims of a session', wireSession],
    ['exp as text with a sign', { ...wireVerification, exp: '+4000000000000' }],
    ['exp as text with a fraction', { ...wireVerification, exp: '4000000000000.5' }],
    ['exp as text with an exponent', { ...wireVerification, exp: '4e12' }],
    ['exp as an empty text', { ...wireVerification, exp: '' }],
    ['exp as text beyond all time', { ...wireVerification, exp: '9'.repeat(16) }],
    ['exp as a number beyond all time', { ...wireVerification, exp: 1e300 }],
    ['no exp', wireVerification],
    ['exp null', { ...wireVerification, exp: null }],
    ['another verification type', { ...wireVerification, exp: 4e9, verification_type: 'OTP_TYPE_FAX' }],
    ['no id', { ...wireVerification, exp: 4e9, id: '' }],
    ['a text as the time of its code', { ...wireVerification, exp: 4e9, code_sent_at: '1' }],
    ['an id that is a number', { ...wireVerification, exp: 4e9, id: 1 }],
    ['no contact', { ...wireVerification, exp: 4e9, contact: null }],
    ['no organization', { ...wireVerification, exp: 4e9, organization_id: [] }],
    ['no key', { ...wireVerification, exp: 4e9, public_key: false }],
    ['a mark of the auth proxy that is a text', { ...wireVerification, exp: 4e9, auth_proxy: 'true' }],
  ])('is none with %s', (_name, claims) => {
    expect(readVerification(signedRaw(claims))).toEqual(noToken)
  })

  test('signed over the double hash is refused', () => {
    expect(readVerification(signedRaw({ ...wireVerification, exp: 4e9 }, 'double'))).toEqual({
      kind: 'invalid',
      reason: 'the token was not signed by this server',
    })
  })

  test('that is no token at all is not read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (token) => {
        expect(readVerification(token).kind).toBe('invalid')
      }),
    )
  })
})

describe('a session token', () => {
  const withProfile = {
    ...session,
    sessionType: 'profile ☕',
    sessionProfileId: '0197c1f0-0000-7000-8000-000000000004',
    scope: "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' && x > 3 ? ~",
  }

  test('of the spec dialect verifies with jose', async () => {
    expect((await jwtVerify(signedSession('spec'), key)).payload).toEqual(wireSession)
    const { payload } = await jwtVerify(signedSession('spec', withProfile), key)
    expect(payload).toMatchObject({ session_profile_id: withProfile.sessionProfileId, scope: withProfile.scope })
    expect(await verifySessionJwtSignature(signedSession('spec'), signer.uncompressed)).toBe(false)
  })

  test('of the hosted dialect verifies with @turnkey/crypto', async () => {
    for (const claims of [session, withProfile]) {
      const token = signedSession('hosted', claims)
      expect(await verifySessionJwtSignature(token, signer.uncompressed)).toBe(true)
      expect(await verifySessionJwtSignature(token, newP256Pair().uncompressed)).toBe(false)
    }
    await expect(jwtVerify(signedSession('hosted'), key)).rejects.toThrow()
    expect(payloadOf(signedSession('hosted'))).toEqual(wireSession)
    expect(payloadOf(signedSession('hosted', withProfile))).toEqual({
      ...wireSession,
      session_type: withProfile.sessionType,
      session_profile_id: withProfile.sessionProfileId,
      scope: withProfile.scope,
    })
  })

  test('has whole seconds', () => {
    const token = signedSession('spec', { ...session, expiresAtMs: expiresAtMs + 999 })
    expect(payloadOf(token).exp).toBe(expiresAtMs / 1_000)
  })
})
