import type { Activity } from '../operations/activity.ts'
import type { OrganizationReader, Reader, Signer } from '../operations/define.ts'
import type { RecordKind, RecordTypes } from '../operations/records.ts'
import type { LookupRow } from '../protocol/reads.ts'
import type { Organization } from './organization.ts'

/** Everything that an operation named in `reads`, verified; what it did not name is not here. */
export type Resolved = {
  readonly records: ReadonlyMap<string, RecordTypes[RecordKind]>
  readonly pages: ReadonlyMap<string, readonly RecordTypes[RecordKind][]>
  readonly activities: readonly Activity[]
  readonly lookups: ReadonlyMap<string, readonly LookupRow[]>
  readonly holders: readonly string[]
  readonly signers: ReadonlyMap<string, Signer>
}

/** The organization as an operation sees it: what was resolved, by id. */
export function readerOf(organization: Organization, resolved: Resolved): OrganizationReader {
  const { organizationId, parentId, organizationName, rootQuorum } = organization.head

  function reader<K extends RecordKind>(kind: K): Reader<RecordTypes[K]> {
    return {
      get(recordId) {
        const record = resolved.records.get(recordKey(kind, recordId.toLowerCase()))
        if (record === undefined) throw new Error(`${kind} ${recordId} is not among the operation's reads`)
        return record as RecordTypes[K]
      },
      all: () => resolvedList(resolved, allKey(kind)) as readonly RecordTypes[K][],
      page: () => resolvedList(resolved, pageKey(kind)) as readonly RecordTypes[K][],
    }
  }

  return {
    organizationId,
    parentId,
    organizationName,
    rootQuorum,
    users: reader('user'),
    wallets: reader('wallet'),
    walletAccounts: reader('wallet_account'),
    privateKeys: reader('private_key'),
    subOrganizations: reader('sub_organization'),
    activities: {
      get(activityId) {
        const activity = resolved.activities.find((candidate) => candidate.activityId === activityId)
        if (activity === undefined) throw new Error(`activity ${activityId} is not among the operation's reads`)
        return activity
      },
      all: () => resolved.activities,
      page: () => resolved.activities,
    },
    found<K extends RecordKind>(kind: K, lookup: string, key: string) {
      const rows = resolved.lookups.get(lookupKey(lookup, key))
      if (rows === undefined) throw new Error(`lookup ${lookup} is not among the operation's reads`)
      return rows
        .filter((row) => row.kind === kind)
        .map(({ recordId }) => resolved.records.get(recordKey(kind, recordId)) as RecordTypes[K])
    },
    holders: () => resolved.holders,
    signer(signWith) {
      const signer = resolved.signers.get(signWith)
      if (signer === undefined) throw new Error("this signer is not among the operation's reads")
      return signer
    },
  }
}

function resolvedList(resolved: Resolved, key: string): readonly unknown[] {
  const list = resolved.pages.get(key)
  if (list === undefined) throw new Error(`${key} is not among the operation's reads`)
  return list
}

export const recordKey = (kind: string, recordId: string) => `${kind} ${recordId}`
export const lookupKey = (lookup: string, key: string) => `${lookup} ${key}`
export const allKey = (kind: string) => `all ${kind}`
export const pageKey = (kind: string) => `page ${kind}`
