import { base64urlOf } from '../tools/base64url.ts'

/** The published keys that sign tokens (RFC 7519). Each name is also the `kid` of the key. */
export const tokenKeyNames = ['tlsFetcherSigning', 'sessionSigning'] as const
export type TokenKeyName = (typeof tokenKeyNames)[number]

/** Returns a key of ES256 as a JSON Web Key (RFC 7517). `point` is an uncompressed point of P-256. */
export function es256Jwk(point: Uint8Array, keyId: TokenKeyName) {
  const [x, y] = [base64urlOf(point.subarray(1, 33)), base64urlOf(point.subarray(33))]
  return { kty: 'EC', crv: 'P-256', x, y, alg: 'ES256', use: 'sig', kid: keyId } as const
}
