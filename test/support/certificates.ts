import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/**
 * A certificate authority for tests and its certificates (RFC 5280), on P-256. Built here, so that the tests need no
 * program of the machine.
 */
export type Authority = {
  /** The authority's own certificate, PEM. */
  readonly certificate: string
  /**
   * Issues a server's certificate for names or IPv4 addresses. Returns it with its private key, both PEM. `keyType`: `ec`
   * unless given.
   */
  issue(subject: { readonly hosts: readonly string[]; readonly validForMs?: number; readonly keyType?: 'rsa' }): {
    readonly cert: string
    readonly key: string
  }
}

const dayMs = 86_400_000

export function createAuthority(name = 'Test authority'): Authority {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const certificate = signed({
    issuer: name,
    issuerKey: authority.privateKey,
    subject: name,
    publicKey: authority.publicKey,
    validForMs: dayMs,
    extensions: [basicConstraints(true), subjectKeyId(authority.publicKey)],
  })
  return {
    certificate,
    issue({ hosts, validForMs = dayMs, keyType }) {
      const server =
        keyType === 'rsa'
          ? generateKeyPairSync('rsa', { modulusLength: 2048 })
          : generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const cert = signed({
        issuer: name,
        issuerKey: authority.privateKey,
        subject: hosts[0] ?? 'nobody',
        publicKey: server.publicKey,
        validForMs,
        extensions: [basicConstraints(false), subjectAltName(hosts)],
      })
      return { cert, key: pkcs8(server.privateKey) }
    },
  }
}

type ToSign = Omit<ToCertify, 'publicKey' | 'algorithm' | 'signatureOf'> & {
  readonly issuerKey: KeyObject
  readonly publicKey: KeyObject
}

function signed({ issuerKey, publicKey, ...about }: ToSign): string {
  return certified({
    ...about,
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    algorithm: sequence(objectId('1.2.840.10045.4.3.2')), // ecdsa-with-SHA256
    signatureOf: (toBeSigned) => sign('sha256', toBeSigned, issuerKey),
  })
}

/**
 * Makes a server's certificate, and so many of authorities above it that cost whoever verifies them some 10 ms each: keys
 * of RSA with 3,072 bits, and with exponents that are as long as OpenSSL takes. No signature is right.
 */
export function costlyChain(authorities: number): ReturnType<Authority['issue']> {
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ofServer = server.publicKey.export({ format: 'der', type: 'spki' })
  const chain = Array.from({ length: authorities + 1 }, (_, index) =>
    certified({
      ...{ issuer: `authority ${index + 1}`, subject: `authority ${index}`, validForMs: dayMs },
      publicKey: index === 0 ? ofServer : costlyKey(),
      extensions: index === 0 ? [basicConstraints(false)] : [basicConstraints(true)],
      algorithm: sequence(objectId('1.2.840.113549.1.1.11'), tagged(0x05)), // sha256WithRSAEncryption
      signatureOf: () => odd(0x01),
    }),
  )
  return { cert: chain.join(''), key: pkcs8(server.privateKey) }
}

function costlyKey(): Buffer {
  const positive = (first: number) => integer(Buffer.concat([Buffer.from([0]), odd(first)]))
  const algorithm = sequence(objectId('1.2.840.113549.1.1.1'), tagged(0x05)) // rsaEncryption
  return sequence(algorithm, tagged(0x03, Buffer.from([0]), sequence(positive(0xff), positive(0xfe))))
}

/** An odd number of 3,072 bits. */
function odd(first: number): Buffer {
  return Buffer.concat([Buffer.from([first]), randomBytes(382), Buffer.from([1])])
}

type ToCertify = {
  readonly issuer: string
  readonly subject: string
  /** DER. */
  readonly publicKey: Buffer
  /** How long from now the certificate is valid; it is valid since two days ago. Negative: it has expired. */
  readonly validForMs: number
  readonly extensions: readonly Buffer[]
  readonly algorithm: Buffer
  readonly signatureOf: (toBeSigned: Buffer) => Buffer
}

function certified({ issuer, subject, publicKey, validForMs, extensions, algorithm, signatureOf }: ToCertify): string {
  const nowMs = Date.now()
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    nameOf(issuer),
    sequence(time(nowMs - 2 * dayMs), time(nowMs + validForMs)),
    nameOf(subject),
    publicKey,
    tagged(0xa3, sequence(...extensions)),
  )
  const der = sequence(toBeSigned, algorithm, tagged(0x03, Buffer.from([0]), signatureOf(toBeSigned)))
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

function pkcs8(key: KeyObject): string {
  return String(key.export({ format: 'pem', type: 'pkcs8' }))
}

function basicConstraints(isAuthority: boolean): Buffer {
  const value = isAuthority ? sequence(tagged(0x01, Buffer.from([0xff]))) : sequence()
  return sequence(objectId('2.5.29.19'), tagged(0x01, Buffer.from([0xff])), tagged(0x04, value))
}

function subjectKeyId(publicKey: KeyObject): Buffer {
  const digest = createHash('sha1')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest()
  return sequence(objectId('2.5.29.14'), tagged(0x04, tagged(0x04, digest)))
}

function subjectAltName(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host) ? tagged(0x87, Buffer.from(host.split('.').map(Number))) : tagged(0x82, Buffer.from(host)),
  )
  return sequence(objectId('2.5.29.17'), tagged(0x04, sequence(...names)))
}

function nameOf(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId('2.5.4.3'), tagged(0x0c, Buffer.from(commonName)))))
}

/** UTCTime: good until 2049. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)
  return tagged(0x17, Buffer.from(`${digits}Z`))
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes)
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [40 * first + second]
  for (const arc of rest) {
    const groups = [arc & 0x7f]
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return tagged(0x06, Buffer.from(bytes))
}

function sequence(...members: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...members)
}

/** DER: tag, length in its shortest form, content. */
function tagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content)
  const length =
    bytes.length < 0x80
      ? [bytes.length]
      : bytes.length < 0x100
        ? [0x81, bytes.length]
        : [0x82, bytes.length >> 8, bytes.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), bytes])
}
