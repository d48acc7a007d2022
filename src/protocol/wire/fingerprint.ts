import { hash } from 'node:crypto'

/** The identity of a request's bytes: equal bytes are one activity. `sha256:` and 64 lower-case hex digits. */
export function fingerprintOf(body: Uint8Array): string {
  return `${prefix}${hash('sha256', body, 'hex')}`
}

const prefix = 'sha256:'

/** The most digits that a request's time may have. */
const timeDigits = 15

/**
 * Returns the key by which an activity is found from the bytes of its request. Equal bytes have an equal time, so the
 * time comes first: new keys then go to the end of the index, where bare fingerprints would each touch another page.
 */
export function requestKeyOf(timestampMs: number, fingerprint: string): string {
  return `${String(timestampMs).padStart(timeDigits, '0')} ${fingerprint.slice(prefix.length)}`
}
