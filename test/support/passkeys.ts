import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { encode } from 'cborg'
import type { CoseAlgorithm } from '../../src/protocol/stamps/cose_keys.ts'
import type { GivenAuthenticator } from '../../src/protocol/stamps/webauthn.ts'

/** A passkey in memory, which does the work of authenticator and browser for tests without a browser. */
export type SoftPasskey = {
  readonly privateKey: KeyObject
  readonly credentialId: Uint8Array
  readonly cosePublicKey: Uint8Array
}

export const flags = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40, ED: 0x80 } as const

/** The content of a ceremony. A test changes one member and leaves the others as a browser sets them. */
export type Ceremony = {
  readonly rpId: string
  readonly flags: number
  readonly signCount: number
  /** The authenticator data after its first 37 bytes. */
  readonly tail: Uint8Array
  readonly type: string
  /** Base64url, as it stands in the client data. */
  readonly challenge: string
  readonly origin: string
  /** Further members of the client data. */
  readonly more: Readonly<Record<string, unknown>>
}

const usual = { rpId: 'app.example.com', origin: 'https://app.example.com', signCount: 1, more: { crossOrigin: false } }

export function newPasskey(algorithm: CoseAlgorithm, given: Partial<SoftPasskey> = {}): SoftPasskey {
  const { privateKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const signing = given.privateKey ?? privateKey
  return { privateKey: signing, credentialId: randomBytes(16), cosePublicKey: coseKeyOf(signing), ...given }
}

/** A COSE_Key of the public half. */
export function coseKeyOf(key: KeyObject): Uint8Array {
  const { kty, x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' })
  return kty === 'EC'
    ? coseKey({ 1: 2, 3: -7, [-1]: 1, [-2]: bytes(x), [-3]: bytes(y) })
    : rsaCoseKey(bytes(n), bytes(e))
}

export function rsaCoseKey(n: Uint8Array, e: Uint8Array): Uint8Array {
  return coseKey({ 1: 3, 3: -257, [-1]: n, [-2]: e })
}

/** CBOR of a map with integers as its keys. */
export function coseKey(members: Readonly<Record<number, unknown>>): Uint8Array {
  return encode(new Map(Object.entries(members).map(([label, value]) => [Number(label), value])))
}

/**
 * A registration, with its flags set for the credential. The tail is the credential data unless the test gives another.
 */
export function registrationOf(passkey: SoftPasskey, changes: Partial<Ceremony> = {}): GivenAuthenticator {
  const challenge = randomBytes(32).toString('base64url')
  const ceremony: Ceremony = {
    ...usual,
    type: 'webauthn.create',
    challenge,
    flags: flags.UP | flags.UV | flags.AT,
    tail: credentialData(passkey),
    ...changes,
  }
  return {
    challenge,
    attestation: {
      credentialId: base64url(passkey.credentialId),
      clientDataJson: base64url(clientDataJson(ceremony)),
      attestationObject: base64url(
        encode(
          new Map<string, unknown>([
            ['fmt', 'none'],
            ['attStmt', {}],
            ['authData', authenticatorData(ceremony)],
          ]),
        ),
      ),
    },
  }
}

/** AAGUID, id with its length, public key (WebAuthn Level 3, 6.5.1). */
export function credentialData({ credentialId, cosePublicKey }: Omit<SoftPasskey, 'privateKey'>): Uint8Array {
  const length = Buffer.from([credentialId.length >> 8, credentialId.length & 0xff])
  return Buffer.concat([Buffer.alloc(16, 0xaa), length, credentialId, cosePublicKey])
}

/** The four members of a stamp for these bytes. */
export function assertionOf(passkey: SoftPasskey, body: Uint8Array, changes: Partial<Ceremony> = {}) {
  const ceremony: Ceremony = {
    ...usual,
    type: 'webauthn.get',
    challenge: Buffer.from(createHash('sha256').update(body).digest('hex')).toString('base64url'),
    flags: flags.UP | flags.UV,
    tail: new Uint8Array(),
    ...changes,
  }
  const data = authenticatorData(ceremony)
  const json = clientDataJson(ceremony)
  const signed = Buffer.concat([data, createHash('sha256').update(json).digest()])
  return {
    authenticatorData: base64url(data),
    clientDataJson: base64url(json),
    credentialId: base64url(passkey.credentialId),
    signature: base64url(sign('sha256', signed, passkey.privateKey)),
  }
}

/** The value of `X-Stamp-WebAuthn` for these bytes, as the public client writes it. */
export function stampWithPasskey(passkey: SoftPasskey, body: Uint8Array, changes: Partial<Ceremony> = {}): string {
  return JSON.stringify(assertionOf(passkey, body, changes))
}

export function authenticatorData({
  rpId,
  flags,
  signCount,
  tail,
}: Pick<Ceremony, 'rpId' | 'flags' | 'signCount' | 'tail'>): Uint8Array {
  const head = Buffer.alloc(5)
  head.writeUInt8(flags)
  head.writeUInt32BE(signCount, 1)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), head, tail])
}

function clientDataJson({ type, challenge, origin, more }: Ceremony): Uint8Array {
  return Buffer.from(JSON.stringify({ type, challenge, origin, ...more }))
}

function base64url(of: Uint8Array): string {
  return Buffer.from(of).toString('base64url')
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'base64url')
}
