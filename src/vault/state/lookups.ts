import type { Lookups } from '../../deciding/organization/lookups.ts'
import type { Evidence } from './evidence.ts'

/** The lookups of an organization as they are presented. */
export function lookupsOf(evidence: Evidence, organizationId: string): Lookups {
  return {
    rowsOf: ({ lookup, key }) => evidence.find({ read: 'lookup', organizationId, lookup, key }).rows,
    relyOn: ({ lookup, key }, rows) => evidence.rely({ of: 'lookup', organizationId, lookup, key, rows }),
  }
}
