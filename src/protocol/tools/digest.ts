import { hash } from 'node:crypto'

/** By which a record's sealed bytes are told from any others: SHA-256 in base64url. */
export function digestOf(sealed: Uint8Array): string {
  return hash('sha256', sealed, 'base64url')
}
