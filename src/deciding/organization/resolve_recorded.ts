import type { Need } from '../../contract/needs.ts'
import { nothingYet, type Resolved } from './organization_reader.ts'
import type { RecordedOrganization } from './recorded_organization.ts'
import { type RecordNeed, resolveBoth, resolveRecords } from './resolve_records.ts'

/** Resolves what an operation reads of an organization of which all records are known. Throws a `Failure` as the vault does. */
export function resolveRecorded(organization: RecordedOrganization, needs: readonly Need[]) {
  return resolveBoth(organization, needs, resolvedOf)
}

function resolvedOf(organization: RecordedOrganization, needs: readonly Need[]): Resolved {
  const resolved = nothingYet()
  const resolveOne = (need: Need): void => {
    if (isOfRecords(need)) {
      resolveRecords(organization, need, resolved, { lookups: organization.lookups, resolveMore: resolveOne })
    }
  }
  for (const need of needs) resolveOne(need)
  return resolved
}

/**
 * Rules see nothing of what the other needs name. One of them, that a name is unused, holds only as far as the database
 * shows who has it.
 */
function isOfRecords(need: Need): need is Need & RecordNeed {
  return ['record', 'maybe', 'ofUser', 'all', 'lookup', 'signer'].includes(need.need)
}
