import { createHash } from 'node:crypto'
import { encode } from 'cborg'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { authenticatorData, coseKey, credentialData, flags } from '../../../test/support/passkeys.ts'
import { isOriginAllowed, readAuthenticatorData, readClientData } from './webauthn_data.ts'

const { UP, UV, BE, BS, AT, ED } = flags
const head = { rpId: 'app.example.com', signCount: 0x01020304 }
const cosePublicKey = coseKey({ 1: 2, 3: -7, [-1]: 1, [-2]: Buffer.alloc(32, 1), [-3]: Buffer.alloc(32, 2) })
const credentialId = Buffer.from('an id of 16 byte')
const credential = credentialData({ credentialId, cosePublicKey })
const extensions = encode({ credProtect: 2 })
const data = (flags: number, ...tail: readonly Uint8Array[]) =>
  authenticatorData({ ...head, flags, tail: Buffer.concat(tail) })

describe('authenticator data', () => {
  test('of an assertion', () => {
    const read = readAuthenticatorData(data(UP))
    expect(read).toMatchObject({ isUserPresent: true, isUserVerified: false, signCount: 0x01020304 })
    expect(read?.credential).toBeUndefined()
    expect(Buffer.from(read?.rpIdHash ?? [])).toEqual(createHash('sha256').update('app.example.com').digest())
  })

  test.each([
    [UP, { isUserPresent: true, isUserVerified: false }],
    [UV, { isUserPresent: false, isUserVerified: true }],
    [UP | UV | BE, { isUserPresent: true, isUserVerified: true }],
    [UP | UV | BE | BS, { isUserPresent: true, isUserVerified: true }],
    [0x22, { isUserPresent: false, isUserVerified: false }],
  ])('flags 0x%x', (byte, expected) => {
    expect(readAuthenticatorData(data(byte))).toMatchObject(expected)
  })

  test('with a credential, with extensions, with both', () => {
    for (const read of [
      readAuthenticatorData(data(UP | AT, credential)),
      readAuthenticatorData(data(UP | AT | ED, credential, extensions)),
    ]) {
      const found = read?.credential
      expect(Buffer.from(found?.aaguid ?? [])).toEqual(Buffer.alloc(16, 0xaa))
      expect(Buffer.from(found?.credentialId ?? [])).toEqual(credentialId)
      expect(Buffer.from(found?.cosePublicKey ?? [])).toEqual(Buffer.from(cosePublicKey))
    }
    expect(readAuthenticatorData(data(UP | ED, extensions))?.credential).toBeUndefined()
  })

  test('an id of 1,023 bytes, the longest that there is', () => {
    const longest = Buffer.alloc(1_023, 7)
    const read = readAuthenticatorData(data(UP | AT, credentialData({ credentialId: longest, cosePublicKey })))
    expect(Buffer.from(read?.credential?.credentialId ?? [])).toEqual(longest)
  })

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['36 bytes', data(UP).subarray(1)],
    ['a byte behind', data(UP, Buffer.alloc(1))],
    ['backed up, though it cannot be', data(UP | BS)],
    ['no credential where the flags say one', data(UP | AT)],
    ['a credential that the flags do not say', data(UP, credential)],
    ['a byte behind the credential', data(UP | AT, credential, Buffer.alloc(1))],
    ['extensions that the flags do not say', data(UP | AT, credential, extensions)],
    ['no extensions where the flags say some', data(UP | ED)],
    ['extensions that are no map', data(UP | ED, encode([1]))],
    ['a byte behind the extensions', data(UP | ED, extensions, Buffer.alloc(1))],
    ['a key that is no CBOR', data(UP | AT, credentialData({ credentialId, cosePublicKey: Buffer.from([0xff]) }))],
    [
      'an id that is longer than all of it',
      data(UP | AT, Buffer.alloc(16), Buffer.from([0xff, 0xff]), credential.subarray(18)),
    ],
  ])('not read: %s', (_name, bytes) => {
    expect(readAuthenticatorData(bytes)).toBeUndefined()
  })

  test('no beginning of a registration is one', () => {
    const whole = data(UP | AT | ED, credential, extensions)
    for (let length = 0; length < whole.length; length += 1) {
      expect(readAuthenticatorData(whole.subarray(0, length))).toBeUndefined()
    }
  })

  test('arbitrary bytes throw nothing', () => {
    const bytes = fc.uint8Array({ maxLength: 200 })
    fc.assert(
      fc.property(bytes, fc.integer({ min: 0, max: 255 }), (tail, byte) => {
        readAuthenticatorData(tail)
        const read = readAuthenticatorData(data(byte, tail))
        if (read !== undefined) expect(read.isUserPresent).toBe((byte & UP) !== 0)
      }),
    )
  })
})

describe('client data', () => {
  const usual = { type: 'webauthn.get', challenge: 'AQID', origin: 'https://app.example.com' }
  const read = (content: unknown) => readClientData(Buffer.from(JSON.stringify(content)))

  test('its members, whichever others there are', () => {
    const challenge = Buffer.from([1, 2, 3])
    const expected = { ...usual, challenge, isFramed: false, topOrigin: undefined }
    expect(read(usual)).toEqual(expected)
    expect(read({ ...usual, challenge: 'AQID==' })).toEqual(expected)
    expect(read({ ...usual, crossOrigin: false, extraData: { further: [1] } })).toEqual(expected)
    expect(read({ ...usual, topOrigin: 'https://a.example' })?.topOrigin).toBe('https://a.example')
    expect([true, 'true', null].map((crossOrigin) => read({ ...usual, crossOrigin })?.isFramed)).toEqual([
      true,
      true,
      true,
    ])
  })

  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['a text', 'webauthn.get'],
    ['nothing in it', {}],
    ['no type', { ...usual, type: undefined }],
    ['no challenge', { ...usual, challenge: undefined }],
    ['no origin', { ...usual, origin: undefined }],
    ['a number as the type', { ...usual, type: 1 }],
    ['an empty challenge', { ...usual, challenge: '' }],
    ['a challenge that is not base64url', { ...usual, challenge: 'A*' }],
    ['a challenge in bytes', { ...usual, challenge: [1, 2, 3] }],
    ['null as the origin', { ...usual, origin: null }],
    ['a list of origins around it', { ...usual, topOrigin: ['https://a.example'] }],
  ])('not read: %s', (_name, content) => {
    expect(read(content)).toBeUndefined()
  })

  test('not read: a member twice, bytes that are not UTF-8, something behind it', () => {
    const text = JSON.stringify(usual)
    expect(readClientData(Buffer.from(text.replace('{', '{"type":"webauthn.create",')))).toBeUndefined()
    expect(readClientData(Buffer.from(text.replace('app', 'app\xff'), 'latin1'))).toBeUndefined()
    expect(readClientData(Buffer.from(`${text}{}`))).toBeUndefined()
  })

  test('arbitrary bytes and members throw nothing', () => {
    const member = fc.option(fc.oneof(fc.jsonValue(), fc.base64String()), { nil: undefined })
    const members = fc.record({ type: member, challenge: member, origin: member, topOrigin: member })
    fc.assert(
      fc.property(fc.uint8Array(), members, (bytes, content) => {
        readClientData(bytes)
        read(content)
      }),
    )
  })
})

describe('origins', () => {
  const at = (origin: string, topOrigin?: string, isFramed = topOrigin !== undefined) =>
    ({ type: '', challenge: Buffer.alloc(1), origin, isFramed, topOrigin }) as const
  const allowed = ['https://app.example.com', 'android:apk-key-hash:abc']

  test.each([
    ['*', at('https://anything.example'), true],
    ['*', at('https://a.example', 'https://b.example'), true],
    [allowed, at('https://app.example.com'), true],
    [allowed, at('android:apk-key-hash:abc'), true],
    [allowed, at('https://app.example.com', 'https://app.example.com'), true],
    [allowed, at('https://app.example.com', 'https://b.example'), false],
    [allowed, at('https://b.example', 'https://app.example.com'), false],
    [allowed, at('https://app.example.com', undefined, true), false],
    ['*', at('https://app.example.com', undefined, true), true],
    [allowed, at('https://app.example.com.b.example'), false],
    [allowed, at('https://app.example.com:8443'), false],
    [allowed, at('http://app.example.com'), false],
    [allowed, at('*'), false],
    [allowed, at(''), false],
    [[], at('https://app.example.com'), false],
  ] as const)('%j allows %j: %s', (list, clientData, expected) => {
    expect(isOriginAllowed(clientData, list)).toBe(expected)
  })
})
