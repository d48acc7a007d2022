import { createECDH, createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { DER } from '@noble/curves/abstract/weierstrass.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assertionOf,
  type Ceremony,
  coseKeyOf,
  flags,
  newPasskey,
  registrationOf,
  type SoftPasskey,
  stampWithPasskey,
} from '../../../test/support/passkeys.ts'
import vectors from '../../../test/vectors/webauthn.json' with { type: 'json' }
import { Failure } from '../wire/failures.ts'
import { stampCharactersMax } from './stamp_headers.ts'
import { readAttestation } from './webauthn.ts'
import type { AllowedOrigins } from './webauthn_data.ts'
import {
  importAuthenticator,
  parseWebAuthnStamp,
  type VerifyAuthenticator,
  verifyAssertion,
  verifyWebAuthnStamp,
  type WebAuthnStamp,
} from './webauthn_stamps.ts'

const body = Buffer.from('{"organizationId":"9f0b2c1e-0000-4000-8000-000000000001"}')
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const fromHex = (hex: string) => base64url(Buffer.from(hex, 'hex'))
const registered = (passkey: SoftPasskey, changes?: Partial<Ceremony>) =>
  importAuthenticator(
    readAttestation(registrationOf(passkey, changes), { fieldPath: 'authenticator', allowedOrigins: '*' }),
  )
const verified = (
  stamp: WebAuthnStamp,
  authenticator: VerifyAuthenticator,
  { signed = body, allowedOrigins = '*' }: { signed?: Uint8Array; allowedOrigins?: AllowedOrigins } = {},
) => verifyWebAuthnStamp({ stamp, authenticator, body: signed, allowedOrigins })

describe('the test vectors of the standard', () => {
  test.each(vectors.ceremonies)('$name', async ({ registration, assertion, ...credential }) => {
    const credentialId = fromHex(credential.credentialId)
    const { clientDataJson, attestationObject } = registration
    const attestation = {
      credentialId,
      clientDataJson: fromHex(clientDataJson),
      attestationObject: fromHex(attestationObject),
    }
    const authenticator = importAuthenticator(
      readAttestation(
        { challenge: fromHex(registration.challenge), attestation },
        { fieldPath: 'authenticator', allowedOrigins: '*' },
      ),
    )
    const stamp = parseWebAuthnStamp(
      JSON.stringify({
        authenticatorData: fromHex(assertion.authenticatorData),
        clientDataJson: fromHex(assertion.clientDataJson),
        credentialId,
        signature: fromHex(assertion.signature),
      }),
    )
    const given = { stamp, authenticator, allowedOrigins: ['https://example.org'] }
    const challenge = Buffer.from(assertion.challenge, 'hex')
    expect(await verifyAssertion({ ...given, challenge })).toBe(true)
    for (let at = 0; at < challenge.length; at += 1) {
      expect(await verifyAssertion({ ...given, challenge: changedAt(challenge, at) })).toBe(false)
    }
    const { signature } = stamp
    for (const at of [0, 5, signature.length - 1]) {
      const changed = { ...stamp, signature: changedAt(signature, at) }
      expect(await verifyAssertion({ ...given, challenge, stamp: changed })).toBe(false)
    }
  })
})

test('the stamp of a public client verifies, and is bound to each byte of the body', async () => {
  const { privateKeyByte, rpId, origin, body: text, header } = vectors.stamp
  const d = Buffer.from(privateKeyByte.repeat(32), 'hex')
  const authenticator: VerifyAuthenticator = importAuthenticator({
    credentialId: 'AQIDBAUGBwg',
    rpIdHash: base64url(createHash('sha256').update(rpId).digest()),
    cosePublicKey: base64url(coseKeyOf(publicKeyOf(d))),
  })
  const stamp = parseWebAuthnStamp(header)
  const signed = Buffer.from(text)
  expect(await verified(stamp, authenticator, { signed })).toBe(true)
  expect(await verified(stamp, authenticator, { signed, allowedOrigins: [origin] })).toBe(true)
  for (let at = 0; at < signed.length; at += 1) {
    expect(await verified(stamp, authenticator, { signed: changedAt(signed, at) })).toBe(false)
  }
  expect(await verified(stamp, authenticator, { signed: Buffer.concat([signed, Buffer.from('\n')]) })).toBe(false)
})

describe.each(['ES256', 'RS256'] as const)('%s', (algorithm) => {
  const passkey = newPasskey(algorithm)
  const authenticator = registered(passkey)
  const stampOf = (changes: Partial<Ceremony> = {}) => parseWebAuthnStamp(stampWithPasskey(passkey, body, changes))

  test('the signatures of node:crypto verify, over an empty body and one of a megabyte too', async () => {
    for (const signed of [new Uint8Array(), body, new Uint8Array(2 ** 20).fill(0x20)]) {
      const stamp = parseWebAuthnStamp(stampWithPasskey(passkey, signed))
      expect(await verified(stamp, authenticator, { signed })).toBe(true)
      expect(await verified(stamp, authenticator, { signed: Uint8Array.of(...signed.subarray(0, 9), 1) })).toBe(false)
    }
  })

  const challengeOf = (text: string | Uint8Array) => Buffer.from(text).toString('base64url')
  const digest = createHash('sha256').update(body).digest()
  // Each is signed by the right key: one thing is said otherwise.
  test.each<[string, Partial<Ceremony>, boolean]>([
    ['a user who was verified', { flags: flags.UP | flags.UV }, true],
    ['a user who was present and not verified', { flags: flags.UP }, true],
    ['a synced passkey', { flags: 0x1d, signCount: 0 }, true],
    ['a counter that went back', { signCount: 0 }, true],
    ['another origin, where any is allowed', { origin: 'https://other.example' }, true],
    ['no word about frames', { more: {} }, true],
    ['a member that nobody knows', { more: { extraData: {} } }, true],
    ['a challenge with padding', { challenge: `${challengeOf(digest.toString('hex'))}==` }, true],
    ['nobody present', { flags: flags.UV }, false],
    ['a registration', { type: 'webauthn.create' }, false],
    ['a payment', { type: 'payment.get' }, false],
    ['another domain', { rpId: 'example.com' }, false],
    ['a domain below', { rpId: 'a.app.example.com' }, false],
    ['the digest in bytes as the challenge', { challenge: challengeOf(digest) }, false],
    ['the digest in capitals', { challenge: challengeOf(digest.toString('hex').toUpperCase()) }, false],
    ['the digest in hex, not as base64url', { challenge: digest.toString('hex') }, false],
    ['a digest cut short', { challenge: challengeOf(digest.toString('hex').slice(0, 63)) }, false],
    ['the body as the challenge', { challenge: challengeOf(body) }, false],
  ])('%s', async (_name, changes, expected) => {
    expect(await verified(stampOf(changes), authenticator)).toBe(expected)
  })

  test('origins: those of the list, and no frame around them from elsewhere', async () => {
    const allowedOrigins = ['https://app.example.com']
    expect(await verified(stampOf(), authenticator, { allowedOrigins })).toBe(true)
    expect(await verified(stampOf(), authenticator, { allowedOrigins: [] })).toBe(false)
    const elsewhere = stampOf({ origin: 'https://app.example.com.evil.example' })
    expect(await verified(elsewhere, authenticator, { allowedOrigins })).toBe(false)
    const framed = stampOf({ more: { crossOrigin: true, topOrigin: 'https://evil.example' } })
    expect(await verified(framed, authenticator, { allowedOrigins })).toBe(false)
    expect(await verified(framed, authenticator)).toBe(true)
  })

  test('another credential, or the same id with another key', async () => {
    const other = newPasskey(algorithm)
    expect(await verified(stampOf(), registered(other))).toBe(false)
    expect(await verified(stampOf(), registered({ ...other, credentialId: passkey.credentialId }))).toBe(false)
    const renamed = { ...stampOf(), credentialId: base64url(other.credentialId) }
    expect(await verified(renamed, authenticator)).toBe(false)
  })

  test('a key of the other algorithm', async () => {
    const other = newPasskey(algorithm === 'ES256' ? 'RS256' : 'ES256', { credentialId: passkey.credentialId })
    expect(await verified(stampOf(), registered(other))).toBe(false)
  })

  test('any byte of what is signed, and of the signature', async () => {
    const stamp = stampOf()
    for (const part of ['authenticatorDataBytes', 'clientDataJson', 'signature'] as const) {
      for (let at = 0; at < stamp[part].length; at += 1) {
        const changed = { ...stamp, [part]: changedAt(stamp[part], at) }
        expect(await verified(changed, authenticator), `${part}[${at}]`).toBe(false)
      }
    }
  })

  test('bytes that are no signature verify nothing and throw nothing', async () => {
    for (const length of [1, 8, 64, 72, 255, 256, 257]) {
      for (const fill of [0x00, 0x30, 0xff]) {
        const stamp = { ...stampOf(), signature: Buffer.alloc(length, fill) }
        expect(await verified(stamp, authenticator)).toBe(false)
      }
    }
  })
})

describe('the signatures of ES256 are read as leniently as others', () => {
  const passkey = newPasskey('ES256')
  const authenticator = registered(passkey)
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

  test('high and low S', async () => {
    const stamp = parseWebAuthnStamp(stampWithPasskey(passkey, body))
    const { r, s } = scalarsOf(stamp.signature)
    for (const signature of [derOf(r, s), derOf(r, order - s)]) {
      expect(await verified({ ...stamp, signature }, authenticator)).toBe(true)
    }
    expect(await verified({ ...stamp, signature: derOf(r, order - s + 1n) }, authenticator)).toBe(false)
  })

  test('superfluous zeros', async () => {
    const stamp = parseWebAuthnStamp(stampWithPasskey(passkey, body))
    const { r, s } = scalarsOf(stamp.signature)
    expect(await verified({ ...stamp, signature: derOf(r, s, 2) }, authenticator)).toBe(true)
  })

  test('r‖s is no DER', async () => {
    const stamp = parseWebAuthnStamp(stampWithPasskey(passkey, body))
    const { r, s } = scalarsOf(stamp.signature)
    const signature = Buffer.from([r, s].map((one) => one.toString(16).padStart(64, '0')).join(''), 'hex')
    expect(await verified({ ...stamp, signature }, authenticator)).toBe(false)
  })
})

describe('a header', () => {
  const passkey = newPasskey('ES256')
  const members = assertionOf(passkey, body)
  const json = JSON.stringify(members)
  const refusalOf = (header: string): Failure => {
    try {
      parseWebAuthnStamp(header)
    } catch (error) {
      if (error instanceof Failure) return error
      throw error
    }
    throw new Error('it was not refused')
  }

  test('is JSON or base64url of it, with and without padding, in either alphabet, in any order', () => {
    const expected = parseWebAuthnStamp(json)
    expect(expected.credentialId).toBe(base64url(passkey.credentialId))
    expect(base64url(expected.signature)).toBe(members.signature)
    expect(expected.clientData).toMatchObject({ type: 'webauthn.get', origin: 'https://app.example.com' })
    expect(expected.authenticatorData).toMatchObject({ isUserPresent: true, isUserVerified: true, signCount: 1 })
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(members).toReversed()))
    const padded = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '=')
    const inPadding = Object.fromEntries(Object.entries(members).map(([name, text]) => [name, padded(text)]))
    for (const header of [
      Buffer.from(json).toString('base64url'),
      Buffer.from(json).toString('base64'),
      reordered,
      JSON.stringify(members, null, 1),
      JSON.stringify(inPadding),
    ]) {
      expect(parseWebAuthnStamp(header)).toEqual(expected)
    }
  })

  const registrationData = base64url(Buffer.alloc(37, 0x40))
  test.each([
    ['nothing', '', 'JSON or base64url'],
    ['text', 'a stamp', 'JSON or base64url'],
    ['white space first', ` ${json}`, 'JSON or base64url'],
    ['base64url of something else', 'AAAA', 'one JSON object'],
    ['a list', '[]', 'JSON or base64url'],
    ['JSON without end', json.slice(0, -1), 'one JSON object'],
    ['something behind', `${json}{}`, 'one JSON object'],
    ['a member twice', json.replace('{', `{"signature":"AAAA",`), 'no member twice'],
    ['no members', '{}', 'exactly the members authenticatorData, clientDataJson, credentialId and signature'],
    ['a member too few', JSON.stringify({ ...members, signature: undefined }), 'exactly the members'],
    ['a member too many', JSON.stringify({ ...members, userHandle: '' }), 'exactly the members'],
    ['another name', json.replace('clientDataJson', 'clientDataJSON'), 'exactly the members'],
    ['a name that every object has', json.replace('"signature"', '"constructor"'), 'exactly the members'],
    ['null for a member', JSON.stringify({ ...members, signature: null }), 'exactly the members'],
    ['bytes as a list', JSON.stringify({ ...members, signature: [1] }), 'exactly the members'],
    ['the stamp of an API key', JSON.stringify({ publicKey: '', scheme: '', signature: '' }), 'exactly the members'],
    ['an empty id', JSON.stringify({ ...members, credentialId: '' }), 'credentialId must be base64url'],
    ['an empty signature', JSON.stringify({ ...members, signature: '' }), 'signature must be base64url'],
    ['a signature in hex with a prefix', JSON.stringify({ ...members, signature: '0x30!' }), 'signature must be'],
    ['data that is not base64url', JSON.stringify({ ...members, authenticatorData: '{}' }), 'authenticatorData must'],
    ['data cut short', JSON.stringify({ ...members, authenticatorData: 'AAAA' }), 'authenticatorData is not'],
    [
      'data that ends early',
      JSON.stringify({ ...members, authenticatorData: registrationData }),
      'authenticatorData is',
    ],
    ['client data that is not base64url', JSON.stringify({ ...members, clientDataJson: '{}' }), 'clientDataJson must'],
    ['client data that is none', JSON.stringify({ ...members, clientDataJson: 'e30' }), 'clientDataJson is not'],
  ])('malformed: %s', (_name, header, reason) => {
    const refusal = refusalOf(header)
    expect(refusal.code).toBe('WEBAUTHN_STAMP_MALFORMED')
    expect(refusal.message).toContain(reason)
  })

  test('at the maximum is read, one longer is not', () => {
    const atMaximum = json.replace('{', `{${' '.repeat(stampCharactersMax - json.length)}`)
    expect(atMaximum).toHaveLength(stampCharactersMax)
    expect(parseWebAuthnStamp(atMaximum).credentialId).toBe(members.credentialId)
    expect(refusalOf(`${atMaximum} `).message).toContain('longer than 4096')
  })

  test('of a passkey with RSA of 4,096 bits and a long id is far below the maximum, as base64url too', () => {
    const long = { ...members, credentialId: 'A'.repeat(256), signature: 'A'.repeat(684) }
    expect(Buffer.from(JSON.stringify(long)).toString('base64url').length).toBeLessThan(stampCharactersMax / 1.5)
  })

  test('arbitrary ones throw nothing but WEBAUTHN_STAMP_MALFORMED', () => {
    const value = fc.oneof(fc.base64String(), fc.jsonValue())
    const generated = fc.record({
      authenticatorData: fc.oneof(fc.constant(members.authenticatorData), value),
      clientDataJson: fc.oneof(
        fc.constant(members.clientDataJson),
        fc.jsonValue().map((content) => base64url(Buffer.from(JSON.stringify(content)))),
      ),
      credentialId: value,
      signature: value,
    })
    const headers = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.jsonValue().map((content) => JSON.stringify(content)),
      generated.map((content) => JSON.stringify(content)),
      generated.map((content) => base64url(Buffer.from(JSON.stringify(content)))),
    )
    fc.assert(
      fc.property(headers, (header) => {
        try {
          parseWebAuthnStamp(header)
        } catch (error) {
          expect(error).toMatchObject({ name: 'Failure', code: 'WEBAUTHN_STAMP_MALFORMED' })
        }
      }),
    )
  })
})

test('a key that was never registered is a bug of ours, not of the caller', () => {
  for (const cosePublicKey of ['', 'AAAA']) {
    expect(() => importAuthenticator({ credentialId: 'AA', rpIdHash: 'AA', cosePublicKey })).toThrow('was checked')
  }
})

function changedAt(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

function publicKeyOf(privateKey: Uint8Array): KeyObject {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey)
  const point = ecdh.getPublicKey()
  const [x, y] = [base64url(point.subarray(1, 33)), base64url(point.subarray(33))]
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
}

function scalarsOf(der: Uint8Array): { r: bigint; s: bigint } {
  return DER.toSig(Uint8Array.from(der))
}

/** With so many zeros before each number, one of which DER may ask for. */
function derOf(r: bigint, s: bigint, zeros = 1): Uint8Array {
  const integers = [r, s].map((scalar) => {
    const digits = '00'.repeat(zeros) + scalar.toString(16).padStart(64, '0')
    return Buffer.concat([Buffer.from([0x02, digits.length / 2]), Buffer.from(digits, 'hex')])
  })
  const content = Buffer.concat(integers)
  return Buffer.concat([Buffer.from([0x30, content.length]), content])
}
