import { type Lookup, type RecordKind, type RecordTypes, recordKinds, rowOf } from '../../contract/records/records.ts'
import type { LookupRow } from '../../protocol/reads.ts'
import type { Lookups } from './lookups.ts'
import type { SeenOrganization } from './seen_organization.ts'

/** An organization of which all records are known, as from an export. Nothing of it is presented, or may be missing. */
export type RecordedOrganization = Omit<SeenOrganization, 'parent'> & {
  readonly lookups: Lookups
  parent(): RecordedOrganization | undefined
}

/** A decision rests on something that no record of the organization tells. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded'
}

/** The records of an organization, as they change. */
export type RecordsOf = {
  readonly organization: RecordedOrganization
  /** Adds a record, or replaces the one with its id, which keeps its place. */
  put<K extends RecordKind>(kind: K, record: RecordTypes[K]): void
  remove(kind: RecordKind, recordId: string): void
}

/** Returns an organization without records. `parent`: its parent, if it has one. */
export function recordsOf(head: SeenOrganization['head'], parent?: RecordedOrganization): RecordsOf {
  const { organizationId } = head
  const records = new Map<RecordKind, Map<string, RecordTypes[RecordKind]>>()
  const rows = new Map<string, Map<string, LookupRow>>()

  function find<K extends RecordKind>(kind: K, recordId: string): RecordTypes[K] | undefined {
    return records.get(kind)?.get(recordId) as RecordTypes[K] | undefined // `put` gives each kind its own records.
  }

  function remove(kind: RecordKind, recordId: string): void {
    forget(kind, recordId)
    records.get(kind)?.delete(recordId)
  }

  function forget(kind: RecordKind, recordId: string): void {
    const before = find(kind, recordId)
    for (const lookup of before === undefined ? [] : rowOf(kind).lookupsOf(before)) {
      rows.get(nameOf(lookup))?.delete(`${kind} ${recordId}`)
    }
  }

  return {
    organization: {
      head,
      parent: () => parent,
      listed: (kind, recordId) => (recordKinds[kind].listed ? find(kind, recordId) : undefined),
      allListed<K extends RecordKind>(kind: K) {
        return [...(records.get(kind)?.values() ?? [])] as RecordTypes[K][]
      },
      unlisted(kind, recordId) {
        const record = recordKinds[kind].listed ? undefined : find(kind, recordId)
        return record && { record }
      },
      lookups: { rowsOf: (place) => [...(rows.get(nameOf(place))?.values() ?? [])], relyOn() {} },
    },
    put(kind, record) {
      const { idOf, lookupsOf } = rowOf(kind)
      const recordId = idOf(record)
      forget(kind, recordId)
      const ofKind = records.get(kind) ?? new Map()
      records.set(kind, ofKind.set(recordId, record))
      for (const lookup of lookupsOf(record)) {
        const name = nameOf(lookup)
        rows.set(name, (rows.get(name) ?? new Map()).set(`${kind} ${recordId}`, { organizationId, kind, recordId }))
      }
    },
    remove,
  }
}

function nameOf({ lookup, key }: Lookup): string {
  return `${lookup} ${key}`
}
