import { Failure } from '../../protocol/wire/failures.ts'

/** The maximum age of a request, and how far its clock may be ahead. */
const requestAgeMsMax = 60 * 60 * 1000
const requestAheadMsMax = 5 * 60 * 1000

/** The longest time between two moments at which the same request is fresh. */
export const requestLifeMsMax = requestAgeMsMax + requestAheadMsMax

/** Throws REQUEST_STALE. */
export function requireFresh(timestampMs: number, nowMs: number): void {
  if (isFresh(timestampMs, nowMs)) return
  throw new Failure('REQUEST_STALE', {
    fieldPath: 'timestampMs',
    expected: 'at most 1 hour old and at most 5 minutes ahead',
    reason: `the time here is ${nowMs}`,
  })
}

export function isFresh(timestampMs: number, nowMs: number): boolean {
  return nowMs - timestampMs <= requestAgeMsMax && timestampMs - nowMs <= requestAheadMsMax
}
