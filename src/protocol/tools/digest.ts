import { hash } from 'node:crypto'

/** The SHA-256 in base64url of a record's sealed bytes, which tells them from any others. */
export function digestOf(sealed: Uint8Array): string {
  return hash('sha256', sealed, 'base64url')
}
