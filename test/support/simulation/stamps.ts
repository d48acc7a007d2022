import { createHash, hash } from 'node:crypto'
import { publicKeyFromPrivate, signEcdsa } from '../../../src/protocol/crypto/secp256k1.ts'
import { der } from '../api_stamps.ts'

/** An API key on secp256k1. The vault verifies its stamps at once, so that a seed repeats a history. */
export type SeededKey = { readonly publicKey: string; readonly secret: Uint8Array }

const made = new Map<string, SeededKey>()

/** The key of a name, always the same. */
export function seededKey(name: string): SeededKey {
  const known = made.get(name)
  if (known !== undefined) return known
  const secret = new Uint8Array(createHash('sha256').update(`key ${name}`).digest())
  const key = { publicKey: Buffer.from(publicKeyFromPrivate(secret)).toString('hex'), secret }
  made.set(name, key)
  return key
}

/** The value of `X-Stamp` for these bytes, always the same. */
export function stampBy({ publicKey, secret }: SeededKey, body: Uint8Array): string {
  const digest = new Uint8Array(createHash('sha256').update(body).digest())
  const text = Buffer.from(signEcdsa(digest, secret).signature).toString('hex')
  const signature = Buffer.from(der(BigInt(`0x${text.slice(0, 64)}`), BigInt(`0x${text.slice(64)}`)))
  const members = { publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1', signature: signature.toString('hex') }
  return Buffer.from(JSON.stringify(members)).toString('base64url')
}

/** 32 bytes of hex that are a private key of P-256. */
export function seededSecretHex(name: string): string {
  return hash('sha256', `P-256 ${name}`)
}
