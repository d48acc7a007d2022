import { createHash } from 'node:crypto'

/** The identity of a request's bytes: the same bytes are one activity. `sha256:` and 64 lower-case hex digits. */
export function fingerprintOf(body: Uint8Array): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`
}
