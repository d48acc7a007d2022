import { p256 } from '@noble/curves/nist.js'
import { base64urlOf, bytesOfHex, hexOf } from './encoding.ts'
import type { StampingKey } from './stamps.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** Imports the private half of an API key, 64 hex digits, so that nothing can read it again. */
export async function importApiKey(privateKeyHex: string): Promise<StampingKey> {
  const secret = bytesOfHex(privateKeyHex)
  const point = p256.getPublicKey(secret, false)
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: base64urlOf(point.subarray(1, 33)),
    y: base64urlOf(point.subarray(33)),
    d: base64urlOf(secret),
  }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
  secret.fill(0)
  return { key, publicKey: hexOf(p256.Point.fromBytes(point).toBytes(true)) }
}
