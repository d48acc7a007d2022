import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'

export type Curve = 'API_KEY_CURVE_P256' | 'API_KEY_CURVE_SECP256K1' | 'API_KEY_CURVE_ED25519'
export type Pair = { readonly publicKey: string; readonly privateKey: KeyObject; readonly secret: Uint8Array }

/** The orders of the curves: `n` of SEC 2, 2.4.1 and 2.4.2. */
export const orders = {
  API_KEY_CURVE_P256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  API_KEY_CURVE_SECP256K1: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
} as const

/** Each scheme of `X-Stamp` with the curve of its keys. */
export const schemes = {
  SIGNATURE_SCHEME_TK_API_P256: 'API_KEY_CURVE_P256',
  SIGNATURE_SCHEME_TK_API_SECP256K1: 'API_KEY_CURVE_SECP256K1',
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: 'API_KEY_CURVE_SECP256K1',
  SIGNATURE_SCHEME_TK_API_ED25519: 'API_KEY_CURVE_ED25519',
} as const
export type Scheme = keyof typeof schemes
export function newPair(curve: Curve): Pair {
  if (curve === 'API_KEY_CURVE_ED25519') return ed25519Pair()
  return ecPair(curve === 'API_KEY_CURVE_P256' ? 'P-256' : 'secp256k1')
}

function ecPair(namedCurve: 'P-256' | 'secp256k1'): Pair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve })
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' })
  const isOdd = ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1) === 1
  const publicKey = (isOdd ? '03' : '02') + Buffer.from(x, 'base64url').toString('hex')
  return { publicKey, privateKey, secret: Buffer.from(d, 'base64url') }
}

function ed25519Pair(): Pair {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' })
  return {
    publicKey: Buffer.from(x, 'base64url').toString('hex'),
    privateKey,
    secret: Buffer.from(d, 'base64url'),
  }
}

/** The value of `X-Stamp` for these bytes. */
export function stampOf(scheme: Scheme, pair: Pair, body: Uint8Array): string {
  if (scheme === 'SIGNATURE_SCHEME_TK_API_ED25519')
    return stampCarrying(scheme, pair, sign(null, body, pair.privateKey))
  const { r, s } = signatureOf(scheme, pair, body)
  return stampCarrying(scheme, pair, der(r, s))
}

export function signatureOf(scheme: Scheme, { privateKey, secret }: Pair, body: Uint8Array): { r: bigint; s: bigint } {
  const raw =
    scheme === 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191'
      ? secp256k1.sign(personalDigest(body), secret, { prehash: false })
      : sign('sha256', body, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const text = Buffer.from(raw).toString('hex')
  return { r: BigInt(`0x${text.slice(0, 64)}`), s: BigInt(`0x${text.slice(64)}`) }
}

/** EIP-191, version 0x45: the digest that wallets sign for a text. */
function personalDigest(body: Uint8Array): Uint8Array {
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`), body]))
}

export function stampCarrying(scheme: Scheme, { publicKey }: Pair, signature: Uint8Array): string {
  const members = { publicKey, scheme, signature: Buffer.from(signature).toString('hex') }
  return Buffer.from(JSON.stringify(members)).toString('base64url')
}

/** The stamp with some of its members replaced. */
export function edited(stamp: string, members: object): string {
  const parsed = JSON.parse(Buffer.from(stamp, 'base64url').toString())
  return Buffer.from(JSON.stringify({ ...parsed, ...members })).toString('base64url')
}

/** Minimal DER (X.690, 10.1), with `padding` surplus zero bytes before each integer. */
export function der(r: bigint, s: bigint, { padding = 0 } = {}): Uint8Array {
  const [first, second] = [r, s].map((value) => {
    const text = value.toString(16)
    const digits = Buffer.from(text.length % 2 === 0 ? text : `0${text}`, 'hex')
    const signBytes = (digits[0] ?? 0) >= 0x80 ? 1 : 0
    return Buffer.concat([Buffer.alloc(padding + signBytes), digits])
  })
  if (first === undefined || second === undefined) throw new Error('two integers')
  const content = Buffer.concat([Buffer.of(2, first.length), first, Buffer.of(2, second.length), second])
  return Buffer.concat([Buffer.of(0x30, content.length), content])
}

export const hex32 = (value: bigint) => value.toString(16).padStart(64, '0')
