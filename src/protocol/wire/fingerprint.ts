import { hash } from 'node:crypto'

/** The identity of a request's bytes: the same bytes are one activity. `sha256:` and 64 lower-case hex digits. */
export function fingerprintOf(body: Uint8Array): string {
  return `${prefix}${hash('sha256', body, 'hex')}`
}

const prefix = 'sha256:'

/** As many as a request's time may have. */
const timeDigits = 15

/**
 * Under which an activity is stored and found by the bytes of its request. The same bytes have the same time, so it
 * comes first: an index of such keys grows at its end, where one of bare fingerprints would write another page for each.
 */
export function requestKeyOf(timestampMs: number, fingerprint: string): string {
  return `${String(timestampMs).padStart(timeDigits, '0')} ${fingerprint.slice(prefix.length)}`
}
