import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export const keyCurves = ['p256', 'secp256k1', 'ed25519'] as const
export type KeyCurve = (typeof keyCurves)[number]

/** An API key for a client to hold. Both halves are lower-case hex; the public half is compressed. */
export type GeneratedKey = { readonly publicKey: string; readonly privateKey: string }

export async function generateKey(curve: KeyCurve): Promise<GeneratedKey> {
  const { privateKey } =
    curve === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('ec', { namedCurve: curve === 'p256' ? 'P-256' : 'secp256k1' })
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' })
  const secret = Buffer.from(d, 'base64url')
  if (curve === 'ed25519') return { publicKey: hex(Buffer.from(x, 'base64url')), privateKey: hex(secret) }
  if (curve === 'secp256k1') {
    const { publicKeyFromPrivate } = await import('../../protocol/crypto/secp256k1.ts')
    return { publicKey: hex(publicKeyFromPrivate(secret)), privateKey: hex(secret) }
  }
  return { publicKey: compressed(x, y), privateKey: hex(secret) }
}

/** Returns the value of an `X-Stamp` header over these bytes, by a P-256 key. */
export function stampWith({ publicKey, privateKey }: GeneratedKey, body: Uint8Array): string {
  const signature = hex(sign('sha256', body, importPrivateKey({ publicKey, privateKey })))
  const stamp = JSON.stringify({ publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature })
  return Buffer.from(stamp).toString('base64url')
}

/** PKCS#8 around the bare scalar (RFC 5208, RFC 5915): the point follows from it. */
function importPrivateKey({ privateKey }: GeneratedKey): KeyObject {
  const prefix = '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420'
  return createPrivateKey({ key: Buffer.from(prefix + privateKey, 'hex'), format: 'der', type: 'pkcs8' })
}

function compressed(x: string, y: string): string {
  const isOdd = ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1) === 1
  return `${isOdd ? '03' : '02'}${hex(Buffer.from(x, 'base64url'))}`
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
