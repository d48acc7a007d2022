import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { verifySessionJwtSignature } from '@turnkey/crypto'
import fc from 'fast-check'
import { compactVerify, createLocalJWKSet, jwtVerify, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { bitFlipped, newP256Pair } from '../../../test/support/p256_pairs.ts'
import { importP256PublicKey } from '../crypto/p256.ts'
import type { JsonObject } from '../wire/json.ts'
import { type JwtHash, jwtCharactersMax, readJwt, signJwt } from './jwt.ts'

const signer = newP256Pair()
const key = importP256PublicKey(signer.point)
const claims = { sub: 'somebody', exp: 2_000_000_000, nested: { list: [1, 'two', null] } }

function signed(hash: JwtHash, of: JsonObject = claims, keyId?: string): string {
  using signingSecret = signer.secret()
  return signJwt({ claims: of, signingSecret, hash, ...(keyId === undefined ? {} : { keyId }) })
}
const read = (token: string) => readJwt({ token, publicKey: signer.point })

const jsonObjects = fc
  .dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), fc.jsonValue({ stringUnit: 'grapheme' }))
  .map((value): JsonObject => JSON.parse(JSON.stringify(value)))

describe('a standard token', () => {
  test('verifies with jose, and carries its claims', async () => {
    await fc.assert(
      fc.asyncProperty(jsonObjects, async (of) => {
        const { payload, protectedHeader } = await compactVerify(signed('standard', of), key)
        expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT' })
        expect(JSON.parse(Buffer.from(payload).toString())).toEqual(of)
      }),
      { numRuns: 60 },
    )
    expect((await jwtVerify(signed('standard'), key)).payload).toEqual(claims)
  })

  test('names its key for verifiers that pick it from a list', async () => {
    const jwk = { ...key.export({ format: 'jwk' }), kid: 'session', alg: 'ES256' }
    const others = ['first', 'second'].map((kid) => ({
      ...importP256PublicKey(newP256Pair().point).export({ format: 'jwk' }),
      kid,
      alg: 'ES256',
    }))
    const keys = createLocalJWKSet({ keys: [...others, jwk] })
    const { protectedHeader } = await jwtVerify(signed('standard', claims, 'session'), keys)
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'session', typ: 'JWT' })
    expect(read(signed('standard', claims, 'session'))).toEqual({ kind: 'valid', claims })
  })

  test('of jose is read', async () => {
    const d = Buffer.from(signer.secretHex, 'hex').toString('base64url')
    const privateKey = { ...key.export({ format: 'jwk' }), d }
    const token = await new SignJWT({ sub: 'somebody' })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
      .sign(privateKey)
    expect(read(token)).toEqual({ kind: 'valid', claims: { sub: 'somebody' } })
  })
})

test('a double token verifies with the session verifier of @turnkey/crypto, under either form of the key', async () => {
  for (let round = 0; round < 20; round += 1) {
    const token = signed('double', { round })
    expect(await verifySessionJwtSignature(token, signer.uncompressed)).toBe(true)
    expect(await verifySessionJwtSignature(token, signer.compressed)).toBe(true)
    expect(await verifySessionJwtSignature(token, newP256Pair().uncompressed)).toBe(false)
    expect(await verifySessionJwtSignature(signed('standard', { round }), signer.uncompressed)).toBe(false)
    await expect(compactVerify(token, key)).rejects.toThrow()
  }
})

test('a token is read under the standard hash and its own key only', () => {
  const valid = { kind: 'valid', claims }
  const forged = { kind: 'invalid', reason: 'the token was not signed by this server' }
  expect(read(signed('standard'))).toEqual(valid)
  expect(read(signed('double'))).toEqual(forged)
  expect(readJwt({ token: signed('standard'), publicKey: newP256Pair().point })).toEqual(forged)
  expect(readJwt({ token: signed('standard'), publicKey: hexToBytes(signer.compressed) })).toEqual(valid)
})

test('a high s is read: the verifiers of clients take it too', () => {
  const [header, payload, signature = ''] = signed('standard').split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const high = p256.Point.Fn.ORDER - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const turned = Buffer.concat([bytes.subarray(0, 32), Buffer.from(high.toString(16).padStart(64, '0'), 'hex')])
  expect(read(`${header}.${payload}.${turned.toString('base64url')}`).kind).toBe('valid')
})

test('a payload is ASCII without - and _, so that atob decodes it as it stands', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('>', '?', '~', '\u007f', 'é', '😀', '\ud800', 'a', '"', '\\') }),
  )
  fc.assert(
    fc.property(fc.dictionary(texts, texts), (of) => {
      const [, payload = ''] = signed('standard', of).split('.')
      expect(payload).toMatch(/^[A-Za-z0-9]+$/)
      expect(JSON.parse(atob(payload))).toEqual(JSON.parse(JSON.stringify(of)))
    }),
    { numRuns: 200 },
  )
})

/** Signed by the right key; only the form is wrong. */
function tokenOf(header: string, payload: string | Uint8Array): string {
  const input = `${Buffer.from(header).toString('base64url')}.${Buffer.from(payload).toString('base64url')}`
  const signature = p256.sign(sha256(Buffer.from(input)), hexToBytes(signer.secretHex), { prehash: false })
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}

describe('refused, although the right key signed it', () => {
  const header = '{"alg":"ES256","typ":"JWT"}'

  test.each([
    ['no algorithm', '{"typ":"JWT"}', '{}'],
    ['alg none', '{"alg":"none","typ":"JWT"}', '{}'],
    ['another algorithm', '{"alg":"HS256","typ":"JWT"}', '{}'],
    ['another letter', '{"alg":"es256","typ":"JWT"}', '{}'],
    ['no type', '{"alg":"ES256"}', '{}'],
    ['another type', '{"alg":"ES256","typ":"at+jwt"}', '{}'],
    ['a critical extension', '{"alg":"ES256","typ":"JWT","crit":["b64"],"b64":false}', '{}'],
    ['a key of its own', '{"alg":"ES256","typ":"JWT","jwk":{}}', '{}'],
    ['a kid that is no text', '{"alg":"ES256","typ":"JWT","kid":1}', '{}'],
    ['two algorithms', '{"alg":"none","alg":"ES256","typ":"JWT"}', '{}'],
    ['a header that is no JSON', 'ES256', '{}'],
    ['an empty header', '', '{}'],
    ['an empty payload', header, ''],
    ['a list of claims', header, '[]'],
    ['a claim twice', header, '{"exp":1,"exp":2}'],
    ['claims that are no JSON', header, 'exp=1'],
    ['claims that are no UTF-8', header, Buffer.from('7b22613a22ff227d', 'hex')],
  ])('%s', (_name, badHeader, payload) => {
    expect(read(tokenOf(badHeader, payload)).kind).toBe('invalid')
  })

  test('too long', () => {
    const token = tokenOf(header, JSON.stringify({ text: 'x'.repeat(jwtCharactersMax) }))
    expect(read(token)).toEqual({ kind: 'invalid', reason: 'the token has more than 16384 characters' })
  })
})

describe('refused', () => {
  const good = signed('standard')
  const [header = '', payload = '', signature = ''] = good.split('.')
  // The last of 86 digits has four bits too many: A, Q, g and w leave them zero.
  const sameBytes = signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(85) + 1)

  test.each([
    ['nothing', ''],
    ['dots', '..'],
    ['two parts', `${header}.${payload}`],
    ['four parts', `${good}.`],
    ['no signature', `${header}.${payload}.`],
    ['padding', `${header}.${payload}.${signature}==`],
    ['a signature of 63 bytes', `${header}.${payload}.${signature.slice(0, 84)}`],
    ['a signature in DER', `${header}.${payload}.${Buffer.alloc(70, 0x30).toString('base64url')}`],
    ['a signature of zeros', `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`],
    ['another text for the same signature', `${header}.${payload}.${sameBytes}`],
    ['white space', ` ${good}`],
    ['a line break', `${good}\n`],
    ['the standard alphabet', `${header}.${payload}.${signature.slice(0, -2)}+/`],
  ])('%s', (_name, token) => {
    expect(read(token).kind).toBe('invalid')
  })

  test('any text, and any token that was cut or changed', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('.', 'A', '_', '-', 'e', 'y', '9') }),
      fc.nat({ max: good.length - 1 }).map((length) => good.slice(0, length)),
      fc.nat().map((bit) => Buffer.from(bitFlipped(Buffer.from(good), bit)).toString('latin1')),
    )
    fc.assert(
      fc.property(texts, (token) => {
        expect(read(token)).toMatchObject({ kind: 'invalid' })
      }),
      { numRuns: 500 },
    )
  })
})
