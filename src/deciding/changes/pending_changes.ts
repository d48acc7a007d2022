import type { Quorum } from '../../contract/define.ts'
import type { RecordKind, RecordTypes } from '../../contract/records/records.ts'
import type { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'

export type Change = {
  readonly kind: RecordKind
  readonly recordId: string
  readonly before: RecordTypes[RecordKind] | undefined
  readonly after: RecordTypes[RecordKind] | undefined
  /**
   * The secret of an added record, or the new secret of a changed one. If it is undefined, the stored secret is kept.
   */
  readonly secret: SecretBytes | undefined
}

/** The facts of an organization that is changed, with the numbers of its listed and its removed records. */
export type ChangedHead = SeenOrganization['head'] & {
  readonly listed: { get(kind: RecordKind): { readonly size: number } | undefined }
  readonly removed: { values(): Iterable<{ readonly size: number }> }
}

/** The changes of one organization. `stored`: the organization as it was before; undefined for a new one. */
export type PendingChanges<H extends ChangedHead = ChangedHead, S extends object = object> = {
  readonly head: H
  readonly stored: S | undefined
  readonly changes: Map<string, Change>
  renamedTo: string | undefined
  rootQuorum: Quorum | undefined
  /** Whether the organization is deleted. Then all its records are erased, whatever else was changed. */
  isEnded: boolean
}

export function noChanges<H extends ChangedHead, S extends object>(
  head: H,
  stored: S | undefined,
): PendingChanges<H, S> {
  return { head, stored, changes: new Map(), renamedTo: undefined, rootQuorum: undefined, isEnded: false }
}
