import { hexOf } from './encoding.ts'
import type { StampingKey } from './stamps.ts'

/** Makes a key for one session. Its private half cannot leave the browser. */
export async function newSessionKey(): Promise<StampingKey> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  const prefix = 2 + ((point[64] ?? 0) & 1)
  return { key: pair.privateKey, publicKey: hexOf(Uint8Array.of(prefix, ...point.subarray(1, 33))) }
}
