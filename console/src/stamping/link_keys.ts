import { bytesOfBase64url, hexOf } from './encoding.ts'

/** A key of a link. `publicKey` is a compressed point of P-256, `privateKey` 32 bytes, both in hex. */
export type LinkKey = { readonly publicKey: string; readonly privateKey: string }

/** Makes a key whose private half goes into a link. It does one thing, once, so it may leave the browser. */
export async function newLinkKey(): Promise<LinkKey> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
  const { x = '', y = '', d = '' } = await crypto.subtle.exportKey('jwk', pair.privateKey)
  const prefix = 2 + ((bytesOfBase64url(y)[31] ?? 0) & 1)
  const publicKey = hexOf(Uint8Array.of(prefix, ...bytesOfBase64url(x)))
  return { publicKey, privateKey: hexOf(bytesOfBase64url(d)) }
}
