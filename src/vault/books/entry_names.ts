import { hash } from 'node:crypto'

/**
 * The keys of a request. Its **fingerprint** is of its bytes: clients see it, and vote by it. Its **request key**
 * (`requestKeyOf`) adds its time: the store finds its activity by it. Its **count key** adds its organization: what it
 * counts is on the books by it, so the same bytes count once. A **change key** adds a version of its activity, of which
 * each vote makes the next.
 */

/** The change key of one version of one activity: 16 bytes in hex. */
export function changeKeyOf(change: {
  readonly organizationId: string
  readonly requestKey: string
  readonly version: number
}): string {
  const { organizationId, requestKey, version } = change
  return named('change', [organizationId, requestKey, version])
}

/** The key of a change that has begun an organization: 16 bytes in hex. */
export function beginningKeyOf(changeKey: string): string {
  return named('beginning', [changeKey])
}

/** The count key of a request: 16 bytes in hex. */
export function countKeyOf(organizationId: string, requestKey: string): string {
  return named('counting', [organizationId, requestKey])
}

/** The name under which an organization counts something: 16 bytes in hex. */
export function countNameOf(organizationId: string, what: readonly string[]): string {
  return named('count', [organizationId, ...what])
}

function named(kind: string, parts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify([kind, ...parts]), 'hex').slice(0, 32)
}
