import { isDocumented, type PublicChange, type PublicChanges } from '../../contract/records/public_changes.ts'
import type { PendingChanges } from './pending_changes.ts'

/** Returns the part of an organization's changes that an auditor sees. Empty: nothing of it changed. */
export function documentedOf({
  head,
  stored,
  changes,
  renamedTo,
  rootQuorum,
  isEnded,
}: PendingChanges): readonly PublicChanges[] {
  const { organizationId, parentId } = head
  if (isEnded) return [{ organizationId, isDeleted: true, records: [] }]
  const records = [...changes.values()].flatMap(({ kind, recordId, after: record }): readonly PublicChange[] =>
    isDocumented[kind] ? [{ kind, recordId, ...(record === undefined ? {} : { record }) }] : [],
  )
  if (stored !== undefined && renamedTo === undefined && rootQuorum === undefined) {
    return records.length === 0 ? [] : [{ organizationId, records }]
  }
  const named = { organizationName: renamedTo ?? head.organizationName, rootQuorum: rootQuorum ?? head.rootQuorum }
  return [{ organizationId, organization: { ...named, ...(parentId === undefined ? {} : { parentId }) }, records }]
}
