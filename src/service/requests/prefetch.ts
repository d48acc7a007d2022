import { apiKeyLookups } from '../../contract/records/records.ts'
import type { Read } from '../../protocol/reads.ts'
import { requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import type { Claims } from './claims.ts'

/**
 * Guesses what the vault will read for a request. A wrong guess costs one round and nothing else: the vault asks for
 * what it lacks and checks what it gets.
 */
export function prefetch(
  { operation, organizationId, timestampMs, credential, parameters }: Claims,
  fingerprint: string,
): readonly Read[] {
  const user = lookupsOf(credential).map((lookup): Read => ({ read: 'lookup', organizationId, ...lookup }))
  const known: readonly Read[] =
    operation.kind === 'activity'
      ? [{ read: 'request', organizationId, requestKey: requestKeyOf(timestampMs, fingerprint) }]
      : []
  return [{ read: 'headTag', organizationId }, ...user, ...known, ...parameters().reads]
}

function lookupsOf(credential: Claims['credential']) {
  if (credential?.lookup !== 'credential') return credential === undefined ? [] : [credential]
  return apiKeyLookups.map((lookup) => ({ ...credential, lookup }))
}
