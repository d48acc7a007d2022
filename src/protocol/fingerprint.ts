import { hash } from 'node:crypto'

/** The identity of a request's bytes: the same bytes are one activity. `sha256:` and 64 lower-case hex digits. */
export function fingerprintOf(body: Uint8Array): string {
  return `sha256:${hash('sha256', body, 'hex')}`
}
