import { encode } from 'cborg'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  authenticatorData,
  type Ceremony,
  coseKey,
  credentialData,
  flags,
  newPasskey,
  registrationOf,
} from '../../../test/support/passkeys.ts'
import vectors from '../../../test/vectors/webauthn.json' with { type: 'json' }
import { Failure } from '../wire/failures.ts'
import { type GivenAuthenticator, readAttestation } from './webauthn.ts'
import type { AllowedOrigins } from './webauthn_data.ts'

const fieldPath = 'parameters.authenticator'
const read = (given: GivenAuthenticator, allowedOrigins: AllowedOrigins = '*') =>
  readAttestation(given, { fieldPath, allowedOrigins })
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const fromHex = (hex: string) => base64url(Buffer.from(hex, 'hex'))

function refusalOf(given: GivenAuthenticator, allowedOrigins?: AllowedOrigins): Failure {
  try {
    read(given, allowedOrigins)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('the test vectors of the standard', () => {
  test.each(vectors.ceremonies)('$name', ({ registration, ...expected }) => {
    const given = {
      challenge: fromHex(registration.challenge),
      attestation: {
        credentialId: fromHex(expected.credentialId),
        clientDataJson: fromHex(registration.clientDataJson),
        attestationObject: fromHex(registration.attestationObject),
      },
    }
    expect(read(given, ['https://example.org'])).toEqual({
      credentialId: fromHex(expected.credentialId),
      cosePublicKey: expect.stringMatching(/^pAEDA|^pQECAy/),
      algorithm: expected.algorithm,
      aaguid: fromHex(expected.aaguid),
      attestationType: expected.attestationType,
      rpIdHash: 'v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LU',
      signCount: 0,
      isUserVerified: expected.isUserVerified,
      origin: 'https://example.org',
    })
    expect(refusalOf(given, ['https://example.com']).message).toContain('origin')
  })
})

const passkey = newPasskey('ES256')
const usual = registrationOf(passkey)

describe('a registration is read:', () => {
  test.each(['ES256', 'RS256'] as const)('a new key of %s', (algorithm) => {
    const made = newPasskey(algorithm)
    expect(read(registrationOf(made, { signCount: 7 }))).toMatchObject({
      credentialId: base64url(made.credentialId),
      cosePublicKey: base64url(made.cosePublicKey),
      algorithm,
      attestationType: 'none',
      aaguid: base64url(Buffer.alloc(16, 0xaa)),
      signCount: 7,
      isUserVerified: true,
      origin: 'https://app.example.com',
    })
  })

  test('a user who was present and not verified', () => {
    const given = registrationOf(passkey, { flags: flags.UP | flags.AT })
    expect(read(given).isUserVerified).toBe(false)
  })

  test('the credential id as CBOR, as padded base64, and in the standard alphabet', () => {
    const inBothAlphabets = newPasskey('ES256', { credentialId: Buffer.alloc(16, 0xff) })
    const given = registrationOf(inBothAlphabets)
    for (const credentialId of [
      base64url(encode(inBothAlphabets.credentialId)),
      Buffer.from(inBothAlphabets.credentialId).toString('base64'),
    ]) {
      const { credentialId: found } = read({ ...given, attestation: { ...given.attestation, credentialId } })
      expect(found).toBe(base64url(inBothAlphabets.credentialId))
    }
  })

  test('ids up to the maximum of 256 characters', () => {
    const longest = newPasskey('ES256', { credentialId: Buffer.alloc(192, 1) })
    expect(read(registrationOf(longest)).credentialId).toHaveLength(256)
    const longer = registrationOf(newPasskey('ES256', { credentialId: Buffer.alloc(193, 1) }))
    expect(refusalOf(longer).fieldPath).toBe(`${fieldPath}.attestation.credentialId`)
  })

  test('a challenge in hex that the system of a phone took for base64', () => {
    const challenge = 'c0ffee'.repeat(11).slice(0, 64)
    expect(read({ ...registrationOf(passkey, { challenge }), challenge }).algorithm).toBe('ES256')
  })

  test('a challenge with padding and in the standard alphabet', () => {
    const bytes = Buffer.alloc(32, 0xff)
    const given = registrationOf(passkey, { challenge: base64url(bytes) })
    expect(read({ ...given, challenge: bytes.toString('base64') }).algorithm).toBe('ES256')
  })

  test('extensions, and attestations of any format, which are not checked', () => {
    const tail = Buffer.concat([credentialData(passkey), encode({ credProtect: 2 })])
    expect(read(registrationOf(passkey, { flags: 0xc1, tail })).algorithm).toBe('ES256')
    for (const [fmt, attStmt] of [
      ['packed', { alg: -7, sig: Buffer.alloc(70), x5c: [Buffer.alloc(600)] }],
      ['compound', [{ fmt: 'apple' }]],
      ['none', {}],
    ] as const) {
      expect(read(withObject({ fmt, attStmt })).attestationType).toBe(fmt)
    }
  })
})

describe('a registration is refused at the faulty field:', () => {
  const ceremony = (changes: Partial<Ceremony>) => registrationOf(passkey, changes)
  const attested = (changes: Partial<GivenAuthenticator['attestation']>) => ({
    ...usual,
    attestation: { ...usual.attestation, ...changes },
  })
  const stranger = registrationOf(newPasskey('ES256'))
  const { challenge, attestation } = registrationOf(newPasskey('ES256', { credentialId: Buffer.alloc(0) }))
  const withoutId = { challenge, attestation: { ...attestation, credentialId: base64url(encode(Buffer.alloc(0))) } }
  const es384 = coseKey({ 1: 2, 3: -35, [-1]: 2, [-2]: Buffer.alloc(48), [-3]: Buffer.alloc(48) })

  test.each<[string, GivenAuthenticator, string, string]>([
    ['another challenge', { ...usual, challenge: stranger.challenge }, 'challenge', 'stands in clientDataJson'],
    ['an empty challenge', { ...usual, challenge: '' }, 'challenge', 'base64url'],
    ['a challenge that is not base64url', { ...usual, challenge: 'a.b' }, 'challenge', 'base64url'],
    ['a long challenge', { ...usual, challenge: 'A'.repeat(257) }, 'challenge', 'at most 256'],
    ['an assertion', ceremony({ type: 'webauthn.get' }), 'attestation.clientDataJson', 'webauthn.create'],
    [
      'no client data',
      attested({ clientDataJson: base64url(Buffer.from('{}')) }),
      'attestation.clientDataJson',
      'client data JSON',
    ],
    ['client data as text', attested({ clientDataJson: '{}' }), 'attestation.clientDataJson', 'base64url'],
    [
      'client data without end',
      attested({ clientDataJson: 'A'.repeat(4_097) }),
      'attestation.clientDataJson',
      'at most 4096',
    ],
    ['another id', attested({ credentialId: stranger.attestation.credentialId }), 'attestation.credentialId', 'the id'],
    ['an empty id', attested({ credentialId: '' }), 'attestation.credentialId', 'base64url'],
    [
      'an id in CBOR of CBOR',
      attested({ credentialId: base64url(encode(encode(passkey.credentialId))) }),
      'attestation.credentialId',
      'the id',
    ],
    [
      'a key without an id',
      registrationOf(newPasskey('ES256', { credentialId: Buffer.alloc(0) })),
      'attestation.credentialId',
      'base64url',
    ],
    ['a key without an id, in CBOR', withoutId, 'attestation.credentialId', 'the id'],
    ['nobody present', ceremony({ flags: flags.UV | flags.AT }), 'attestation.attestationObject', 'present'],
    [
      'no credential',
      ceremony({ flags: flags.UP, tail: Buffer.alloc(0) }),
      'attestation.attestationObject',
      'hold a credential',
    ],
    [
      'a key of another algorithm',
      registrationOf({ ...passkey, cosePublicKey: es384 }),
      'attestation.attestationObject',
      'ES256 on P-256',
    ],
    ['no CBOR', attested({ attestationObject: 'AAAA' }), 'attestation.attestationObject', 'canonical CBOR'],
    ['no format', withObject({ fmt: undefined }), 'attestation.attestationObject', 'canonical CBOR'],
    ['a format of no characters', withObject({ fmt: '' }), 'attestation.attestationObject', 'canonical CBOR'],
    ['a format with a line break', withObject({ fmt: 'a\nb' }), 'attestation.attestationObject', 'canonical CBOR'],
    ['a long format', withObject({ fmt: 'a'.repeat(33) }), 'attestation.attestationObject', 'canonical CBOR'],
    ['no statement', withObject({ attStmt: undefined }), 'attestation.attestationObject', 'canonical CBOR'],
    ['no data', withObject({ authData: undefined }), 'attestation.attestationObject', 'authenticator data'],
    ['data as text', withObject({ authData: 'data' }), 'attestation.attestationObject', 'authenticator data'],
    [
      'data cut short',
      withObject({ authData: Buffer.alloc(36) }),
      'attestation.attestationObject',
      'authenticator data',
    ],
    [
      'an object without end',
      attested({ attestationObject: 'A'.repeat(32_769) }),
      'attestation.attestationObject',
      'at most 32768',
    ],
  ])('%s', (_name, given, field, text) => {
    const refusal = refusalOf(given)
    expect(refusal.code).toBe('FIELD_INVALID')
    expect(refusal.fieldPath).toBe(`${fieldPath}.${field}`)
    expect(refusal.message).toContain(text)
  })

  test('an origin that is not listed', () => {
    const refusal = refusalOf(usual, ['https://example.org'])
    expect(refusal.fieldPath).toBe(`${fieldPath}.attestation.clientDataJson`)
    expect(refusal.message).toContain('origin')
  })
})

test('a registration is refused whose key is in another form than the canonical one', () => {
  const passkey = newPasskey('ES256')
  // In the canonical form the labels follow one another as 1, 3, -1, -2, -3.
  const hex = Buffer.from(passkey.cosePublicKey).toString('hex')
  const reordered = Buffer.from(`a5${hex.slice(6, 10)}${hex.slice(2, 6)}${hex.slice(10)}`, 'hex')
  const withFloat = Buffer.from(`a501f94000${hex.slice(6)}`, 'hex')
  for (const cosePublicKey of [reordered, withFloat]) {
    const given = registrationOf({ ...passkey, cosePublicKey })
    expect(() => readAttestation(given, { fieldPath: 'at', allowedOrigins: '*' })).toThrow(
      'its public key must be in the canonical form of CTAP2',
    )
  }
})

test('arbitrary registrations are refused with FIELD_INVALID and nothing else', () => {
  const text = fc.oneof(fc.string(), fc.base64String())
  const cbor = fc.dictionary(fc.constantFrom('fmt', 'attStmt', 'authData'), fc.oneof(fc.string(), fc.uint8Array()))
  const clientData = fc.record({ type: fc.constant('webauthn.create'), challenge: text, origin: text })
  const given = fc.record({
    challenge: text,
    attestation: fc.record({
      credentialId: fc.oneof(text, fc.constant(usual.attestation.credentialId)),
      clientDataJson: fc.oneof(
        text,
        fc.constant(usual.attestation.clientDataJson),
        clientData.map((content) => base64url(Buffer.from(JSON.stringify(content)))),
      ),
      attestationObject: fc.oneof(
        text,
        cbor.map((content) => base64url(encode(content))),
      ),
    }),
  })
  fc.assert(
    fc.property(given, (one) => {
      expect(refusalOf(one).code).toBe('FIELD_INVALID')
      expect(refusalOf({ ...one, challenge: usual.challenge }).code).toBe('FIELD_INVALID')
    }),
  )
})

test('a registration with one changed byte is refused, or read as a different key or fact', () => {
  const bytes = Buffer.from(usual.attestation.attestationObject, 'base64url')
  const expected = read(usual)
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    const given = { ...usual, attestation: { ...usual.attestation, attestationObject: base64url(changed) } }
    try {
      expect(read(given)).not.toEqual(expected)
    } catch (error) {
      expect(error).toMatchObject({ code: 'FIELD_INVALID' })
    }
  }
})

/** The registration with other members in its attestation object; undefined leaves one out. */
function withObject(changes: Readonly<Record<string, unknown>>): GivenAuthenticator {
  const parts = { rpId: 'app.example.com', flags: flags.UP | flags.AT, signCount: 0, tail: credentialData(passkey) }
  const members = { fmt: 'none', attStmt: {}, authData: authenticatorData(parts), ...changes }
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  return { ...usual, attestation: { ...usual.attestation, attestationObject: base64url(encode(given)) } }
}
