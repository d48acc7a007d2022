import type { Quorum } from '../../contract/define.ts'
import type { RecordKind, RecordTypes } from '../../contract/records/records.ts'

/**
 * An organization as its rules see it: its records as they are now. The vault reads them from what is presented, and
 * whoever decides again from an export. A record that has not been read yet throws `ReadsNeeded`.
 */
export type SeenOrganization = {
  readonly head: {
    readonly organizationId: string
    readonly parentId: string | undefined
    readonly organizationName: string
    readonly rootQuorum: Quorum
  }
  /** Returns the parent. Undefined if there is none. */
  parent(): SeenOrganization | undefined
  /** Returns a listed record, or undefined if the head does not list it. */
  listed<K extends RecordKind>(kind: K, recordId: string): RecordTypes[K] | undefined
  /** Returns all records of a listed kind, in order of creation. */
  allListed<K extends RecordKind>(kind: K): readonly RecordTypes[K][]
  /** Returns an unlisted record as it is now; undefined if there is none. */
  unlisted<K extends RecordKind>(kind: K, recordId: string): { readonly record: RecordTypes[K] } | undefined
}
