import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { DER } from '@noble/curves/abstract/weierstrass.js'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import vectors from '../../../test/vectors/stamps.json' with { type: 'json' }
import { ecdsaSignatureFromDer } from '../crypto/der.ts'
import { publicKeyFromPrivate, signEcdsa } from '../crypto/secp256k1.ts'
import { Failure } from '../wire/failures.ts'
import { importApiPublicKey, parseApiPublicKey } from './api_keys.ts'
import { type ApiStamp, curveOfScheme, parseApiStamp, verifyApiStamp } from './api_stamps.ts'
import { stampCharactersMax } from './stamp_headers.ts'

const encoder = new TextEncoder()
const body = encoder.encode('{"organizationId":"9f0b2c1e-0000-4000-8000-000000000001"}')
const keyOf = ({ scheme, publicKey }: ApiStamp) => importApiPublicKey({ curveType: curveOfScheme(scheme), publicKey })
const verified = (stamp: ApiStamp, signed: Uint8Array) => verifyApiStamp({ stamp, key: keyOf(stamp), body: signed })
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const derHexOf = (signature: Uint8Array) =>
  DER.hexFromSig({ r: bytesToNumberBE(signature.subarray(0, 32)), s: bytesToNumberBE(signature.subarray(32)) })
const headerOf = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url')
const repeated = (byte: string) => new Uint8Array(Buffer.from(byte.repeat(32), 'hex'))

describe('sample stamps', () => {
  test.each(vectors.stamps)('$name: read, verified, and bound to each byte of the body', async (sample) => {
    const stamp = parseApiStamp(sample.xStamp)
    const { publicKey, scheme, signature } = JSON.parse(sample.json)
    expect(stamp).toMatchObject({ publicKey, scheme, signatureHex: signature })
    expect(stamp.signature.length).toBe(64)
    const signed = encoder.encode(sample.body)
    expect(await verified(stamp, signed)).toBe(true)
    for (let at = 0; at < signed.length; at += 1) {
      expect(await verified(stamp, changedAt(signed, at))).toBe(false)
    }
    expect(await verified(stamp, Uint8Array.of(...signed, 0x0a))).toBe(false)
    expect(await verified(stamp, signed.subarray(1))).toBe(false)
    for (let at = 0; at < 64; at += 1) {
      expect(await verified({ ...stamp, signature: changedAt(stamp.signature, at) }, signed)).toBe(false)
    }
  })

  test('the P-256 sample has a high S', () => {
    const [sample] = vectors.stamps
    expect(parseApiStamp(sample?.xStamp ?? '').signature[32]).toBeGreaterThanOrEqual(0x80)
  })

  test('DER with a superfluous zero, as the EIP-191 client writes it, verifies', async () => {
    const { der, message, privateKeyByte } = vectors.nonMinimalDer
    const publicKey = hexOf(publicKeyFromPrivate(repeated(privateKeyByte)))
    const scheme = 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191'
    const stamp = parseApiStamp(headerOf({ publicKey, scheme, signature: der }))
    expect(stamp.signature[0]).toBe(0)
    expect(stamp.signatureHex).toBe(der)
    expect(await verified(stamp, encoder.encode(message))).toBe(true)
    expect(await verified(stamp, encoder.encode('m44'))).toBe(false)
  })
})

describe('the schemes', () => {
  const privateKey = repeated('22')
  const publicKey = hexOf(publicKeyFromPrivate(privateKey))
  const sha256 = createHash('sha256').update(body).digest()
  const stampOf = (scheme: string, digest: Uint8Array) =>
    parseApiStamp(headerOf({ publicKey, scheme, signature: derHexOf(signEcdsa(digest, privateKey).signature) }))

  test('one secp256k1 key verifies plain and EIP-191 stamps, and neither passes as the other', async () => {
    const eip191 = keccak_256(Buffer.concat([Buffer.from('\x19Ethereum Signed Message:\n57'), body]))
    const [plain, personal] = ['SIGNATURE_SCHEME_TK_API_SECP256K1', 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191']
    for (const [scheme, digest, expected] of [
      [plain, sha256, true],
      [plain, eip191, false],
      [personal, eip191, true],
      [personal, sha256, false],
    ] as const) {
      expect(await verified(stampOf(scheme ?? '', digest), body)).toBe(expected)
    }
  })

  test('the length in the EIP-191 text counts bytes, not characters', async () => {
    const text = '{"userName":"Zoë 😀"}'
    const bytes = encoder.encode(text)
    const digest = keccak_256(encoder.encode(`\x19Ethereum Signed Message:\n${bytes.length}${text}`))
    expect(bytes.length).toBeGreaterThan(text.length)
    expect(await verified(stampOf('SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191', digest), bytes)).toBe(true)
  })

  test('a secp256k1 stamp with a high S verifies', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const { signature } = signEcdsa(sha256, privateKey)
    const high = order - BigInt(`0x${hexOf(signature.subarray(32))}`)
    signature.set(Buffer.from(high.toString(16).padStart(64, '0'), 'hex'), 32)
    const stamp = headerOf({
      publicKey,
      scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1',
      signature: derHexOf(signature),
    })
    expect(await verified(parseApiStamp(stamp), body)).toBe(true)
  })

  test('a key of another curve, or another key of the same, does not verify', async () => {
    const stamp = stampOf('SIGNATURE_SCHEME_TK_API_SECP256K1', sha256)
    for (const other of vectors.stamps.map(({ xStamp }) => parseApiStamp(xStamp))) {
      const isSameKey = other.publicKey === stamp.publicKey
      expect(await verifyApiStamp({ stamp, key: keyOf(other), body })).toBe(isSameKey)
    }
    const stranger = hexOf(publicKeyFromPrivate(repeated('23')))
    expect(await verified({ ...stamp, publicKey: stranger }, body)).toBe(false)
  })

  test('a good signature under a scheme of another curve does not verify', async () => {
    const stamp = stampOf('SIGNATURE_SCHEME_TK_API_SECP256K1', sha256)
    const key = keyOf(stamp)
    expect(await verifyApiStamp({ stamp, key, body })).toBe(true)
    expect(await verifyApiStamp({ stamp: { ...stamp, scheme: 'SIGNATURE_SCHEME_TK_API_P256' }, key, body })).toBe(false)
  })

  test.each([0x00, 0xff])('r and s of 0x%i throughout do not verify and throw nothing', async (fill) => {
    for (const { xStamp } of vectors.stamps) {
      const stamp = { ...parseApiStamp(xStamp), signature: new Uint8Array(64).fill(fill) }
      expect(await verified(stamp, body)).toBe(false)
    }
  })

  const littleEndian = (first: number, last: number) => Buffer.from([first, ...Array(30).fill(0), last]).toString('hex')
  test.each([
    ['no point', littleEndian(2, 0)],
    ['not below the field', 'ff'.repeat(32)],
    ['the neutral element', littleEndian(1, 0)],
    ['the neutral element in a longer form', `ee${'ff'.repeat(30)}7f`],
    ['of order two', `ec${'ff'.repeat(30)}7f`],
    ['of order four', littleEndian(0, 0)],
    ['of order eight', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
  ])('an Ed25519 key that is %s, were it stored, verifies nothing', async (_name, publicKey) => {
    expect(parseApiPublicKey({ curveType: 'API_KEY_CURVE_ED25519', publicKey })).toBeUndefined()
    const scheme = 'SIGNATURE_SCHEME_TK_API_ED25519'
    // With a key of small order the equation holds for R of small order and S = 0, for one message in eight at least.
    for (const r of [publicKey, littleEndian(1, 0), littleEndian(0, 0)]) {
      const stamp = parseApiStamp(headerOf({ publicKey, scheme, signature: r + '00'.repeat(32) }))
      for (let round = 0; round < 32; round += 1) expect(await verified(stamp, Uint8Array.of(round))).toBe(false)
    }
  })

  test('an S of Ed25519 that is not below the order does not verify: one signature has one form', async () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const stamp = parseApiStamp(vectors.stamps[2]?.xStamp ?? '')
    expect(await verified(stamp, body)).toBe(true)
    const s = bytesToNumberBE(stamp.signature.slice(32).reverse()) + order
    const other = Uint8Array.from(stamp.signature)
    other.set(Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(), 32)
    expect(await verified({ ...stamp, signature: other }, body)).toBe(false)
  })

  test('r and s at the edges of the order do not verify and throw nothing', async () => {
    const orders = {
      SIGNATURE_SCHEME_TK_API_P256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
      SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
    }
    for (const { xStamp } of vectors.stamps.slice(0, 2)) {
      const stamp = parseApiStamp(xStamp)
      const order = new Map(Object.entries(orders)).get(stamp.scheme) ?? 0n
      const edges = [0n, 1n, order - 1n, order, order + 1n].map((edge) => edge.toString(16).padStart(64, '0'))
      for (const r of edges) {
        for (const s of edges) {
          expect(await verified({ ...stamp, signature: Buffer.from(r + s, 'hex') }, body)).toBe(false)
        }
      }
    }
  })

  test('a key with which the library cannot verify at all verifies nothing', async () => {
    const { publicKey: key } = generateKeyPairSync('x25519')
    const stamp = parseApiStamp(vectors.stamps[2]?.xStamp ?? '')
    expect(await verifyApiStamp({ stamp, key: { curveType: 'API_KEY_CURVE_ED25519', key }, body })).toBe(false)
  })

  test('the signatures of node:crypto verify, an empty body and one of a megabyte too', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' })
    const form = (Buffer.from(y, 'base64url').at(-1) ?? 0) % 2 === 0 ? '02' : '03'
    for (const bytes of [new Uint8Array(), body, new Uint8Array(2 ** 20).fill(0x20)]) {
      const stamp = headerOf({
        publicKey: form + Buffer.from(x, 'base64url').toString('hex'),
        scheme: 'SIGNATURE_SCHEME_TK_API_P256',
        signature: hexOf(sign('sha256', bytes, pair.privateKey)),
      })
      expect(await verified(parseApiStamp(stamp), bytes)).toBe(true)
    }
  })
})

const [p256Sample, , ed25519Sample] = vectors.stamps
const p256: Readonly<Record<string, string>> = JSON.parse(p256Sample?.json ?? '')
const ed25519: Readonly<Record<string, string>> = JSON.parse(ed25519Sample?.json ?? '')
const der = p256.signature ?? ''

describe('lenient where real clients are', () => {
  const json = JSON.stringify({ ...p256, publicKey: p256.publicKey?.toUpperCase() }, null, 1)

  test.each([0, 1, 2])('both alphabets, with and without %i signs of padding', (paddingLength) => {
    // White space behind the object brings the length to the wanted remainder.
    const wanted = json.padEnd(3 * Math.ceil(json.length / 3) + 3 - paddingLength)
    const standard = Buffer.from(wanted).toString('base64')
    expect(standard.length - standard.replaceAll('=', '').length).toBe(paddingLength)
    const urlSafe = standard.replaceAll('+', '-').replaceAll('/', '_')
    for (const header of [standard, urlSafe, standard.replaceAll('=', ''), urlSafe.replaceAll('=', '')]) {
      expect(parseApiStamp(header)).toMatchObject({ publicKey: p256.publicKey, signatureHex: der })
    }
  })

  test('a character of either alphabet that the other lacks is read alike', () => {
    // `?` and `>` make `/` and `+`: they can stand in a scheme, which is then refused as one, not as base64.
    for (const alphabet of ['base64', 'base64url'] as const) {
      const header = Buffer.from(JSON.stringify({ ...p256, scheme: '???>>>???>>>' })).toString(alphabet)
      expect(header).toMatch(alphabet === 'base64' ? /[+/]/ : /[-_]/)
      expect(refusalOf(header)).toContain('scheme must be one of')
    }
  })

  test('members in another order are read', () => {
    const { publicKey, scheme, signature } = p256
    expect(parseApiStamp(headerOf({ signature, scheme, publicKey })).publicKey).toBe(publicKey)
  })

  test('the signature is kept in the case in which it was sent', () => {
    const signature = der.toUpperCase()
    const stamp = parseApiStamp(headerOf({ ...p256, signature }))
    expect(stamp.signatureHex).toBe(signature)
    expect(stamp.signature).toStrictEqual(ecdsaSignatureFromDer(Buffer.from(der, 'hex')))
  })
})

describe('the refusal of a malformed stamp names its fault', () => {
  const raw = (text: string) => Buffer.from(text).toString('base64url')
  test.each([
    ['nothing', '', 'base64url'],
    ['raw JSON', JSON.stringify(p256), 'base64url'],
    ['white space', ` ${headerOf(p256)}`, 'base64url'],
    ['padding in the middle', `${headerOf(p256).slice(0, 8)}=${headerOf(p256).slice(8)}`, 'base64url'],
    ['padding only', '==', 'base64url'],
    ['a digit left over', 'eyJ9e', 'base64url'],
    ['bytes that are not JSON', raw('publicKey'), 'JSON object'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url'), 'JSON object'],
    ['a list', headerOf([]), 'JSON object'],
    ['null', headerOf(null), 'JSON object'],
    ['bytes behind the object', raw(`${JSON.stringify(p256)}{}`), 'JSON object'],
    ['a member twice', raw(`{"scheme":"x",${JSON.stringify(p256).slice(1)}`), 'no member twice'],
    ['no members', headerOf({}), 'exactly the members'],
    ['a member too few', headerOf({ publicKey: p256.publicKey, scheme: p256.scheme }), 'exactly the members'],
    ['a member too many', headerOf({ ...p256, curve: 'P256' }), 'exactly the members'],
    ['a member of another name', raw(JSON.stringify(p256).replace('publicKey', '__proto__')), 'exactly the members'],
    ['a number', headerOf({ ...p256, signature: 1 }), 'exactly the members'],
    ['null for a member', headerOf({ ...p256, scheme: null }), 'exactly the members'],
    [
      'a scheme of another header',
      headerOf({ ...p256, scheme: 'SIGNATURE_SCHEME_TK_WEBAUTHN' }),
      'scheme must be one of',
    ],
    ['a scheme that every object has', headerOf({ ...p256, scheme: 'constructor' }), 'scheme must be one of'],
    ['a scheme in lower case', headerOf({ ...p256, scheme: p256.scheme?.toLowerCase() }), 'scheme must be one of'],
    ['a key that is not hex', headerOf({ ...p256, publicKey: 'z'.repeat(66) }), 'publicKey must be'],
    ['a key with half a byte', headerOf({ ...p256, publicKey: p256.publicKey?.slice(1) }), 'publicKey must be'],
    ['an Ed25519 key with P-256', headerOf({ ...p256, publicKey: ed25519.publicKey }), 'publicKey must be'],
    ['a P-256 key with Ed25519', headerOf({ ...ed25519, publicKey: p256.publicKey }), 'publicKey must be'],
    ['an uncompressed key', headerOf({ ...p256, publicKey: `04${'11'.repeat(64)}` }), 'publicKey must be'],
    ['an empty signature', headerOf({ ...p256, signature: '' }), 'signature must be hex'],
    ['half a byte of signature', headerOf({ ...p256, signature: der.slice(1) }), 'signature must be hex'],
    ['a signature with a prefix', headerOf({ ...p256, signature: `0x${der}` }), 'signature must be hex'],
    ['a signature that is too long', headerOf({ ...p256, signature: '00'.repeat(129) }), 'signature must be hex'],
    ['r‖s where DER belongs', headerOf({ ...p256, signature: '11'.repeat(64) }), 'of the form'],
    ['a byte behind DER', headerOf({ ...p256, signature: `${der}00` }), 'of the form'],
    ['DER where 64 bytes belong', headerOf({ ...ed25519, signature: der }), 'of the form'],
    ['63 bytes of Ed25519', headerOf({ ...ed25519, signature: '11'.repeat(63) }), 'of the form'],
    ['65 bytes of Ed25519', headerOf({ ...ed25519, signature: '11'.repeat(65) }), 'of the form'],
  ])('%s', (_name, header, reason) => {
    expect(refusalOf(header)).toContain(reason)
  })

  test('a header at the maximum is read, one longer is not', () => {
    const json = JSON.stringify(p256)
    const atMaximum = raw(json.padEnd((stampCharactersMax / 4) * 3))
    expect(atMaximum.length).toBe(stampCharactersMax)
    expect(parseApiStamp(atMaximum).signatureHex).toBe(der)
    expect(refusalOf(raw(json.padEnd((stampCharactersMax / 4) * 3 + 1)))).toContain('longer than 4096')
  })
})

describe('generated stamps', () => {
  const bytes64 = fc.uint8Array({ minLength: 64, maxLength: 64 })
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hexOf)

  test('a stamp is read as the client wrote it', () => {
    const ecdsaSchemes = fc.constantFrom(
      'SIGNATURE_SCHEME_TK_API_P256',
      'SIGNATURE_SCHEME_TK_API_SECP256K1',
      'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191',
    )
    fc.assert(
      fc.property(ecdsaSchemes, fc.constantFrom('02', '03'), bytes32, bytes64, (scheme, form, x, signature) => {
        const sent = { publicKey: form + x, scheme, signature: derHexOf(signature) }
        expect(parseApiStamp(headerOf(sent))).toStrictEqual({ ...sent, signature, signatureHex: sent.signature })
        const other = { publicKey: x, scheme: 'SIGNATURE_SCHEME_TK_API_ED25519', signature: hexOf(signature) }
        expect(hexOf(parseApiStamp(headerOf(other)).signature)).toBe(other.signature)
      }),
    )
  })

  test('arbitrary headers throw nothing but STAMP_MALFORMED', () => {
    const members = fc.record(
      {
        publicKey: fc.oneof(fc.constant(p256.publicKey), fc.jsonValue()),
        scheme: fc.oneof(fc.constantFrom(p256.scheme, ed25519.scheme), fc.jsonValue()),
        signature: fc.oneof(fc.uint8Array({ maxLength: 80 }).map(hexOf), fc.jsonValue()),
      },
      { requiredKeys: [] },
    )
    const headers = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64url')),
      fc.jsonValue().map(headerOf),
      members.map(headerOf),
    )
    fc.assert(
      fc.property(headers, (header) => {
        try {
          parseApiStamp(header)
        } catch (error) {
          expect(error).toMatchObject({ name: 'Failure', code: 'STAMP_MALFORMED' })
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

function changedAt(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

function refusalOf(header: string): string {
  try {
    parseApiStamp(header)
  } catch (error) {
    if (error instanceof Failure && error.code === 'STAMP_MALFORMED') return error.message
    throw error
  }
  throw new Error('not refused')
}
