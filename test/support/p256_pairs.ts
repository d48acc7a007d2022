import { randomBytes as nodeRandomBytes } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { SecretBytes } from '../../src/protocol/crypto/secret_bytes.ts'

/** A key pair that noble made. `secret` returns a new copy at every call, because its user zeroes the copy. */
export type P256Pair = {
  readonly secret: () => SecretBytes
  readonly secretHex: string
  /** 65 bytes. */
  readonly point: Uint8Array
  /** `point` in hex, as clients compare it. */
  readonly uncompressed: string
  readonly compressed: string
}

export function newP256Pair(privateKey: Uint8Array = p256.utils.randomSecretKey()): P256Pair {
  return {
    secret: () => new SecretBytes(privateKey.slice()),
    secretHex: Buffer.from(privateKey).toString('hex'),
    point: p256.getPublicKey(privateKey, false),
    uncompressed: Buffer.from(p256.getPublicKey(privateKey, false)).toString('hex'),
    compressed: Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex'),
  }
}

/** Random bytes in their own array, because their user may zero them. */
export const randomBytes = (size: number) => new Uint8Array(nodeRandomBytes(size))

/** The same bytes with one bit flipped. */
export function bitFlipped(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = Uint8Array.from(bytes)
  const index = Math.floor(bit / 8) % bytes.length
  flipped[index] = (flipped[index] ?? 0) ^ (1 << (bit % 8))
  return flipped
}
