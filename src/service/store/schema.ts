import type { MessageChannel } from '../../protocol/wire/outgoing_messages.ts'

/** The tables as Kysely sees them; `migrations/` makes them. Every row is keyed by its organization first. */
export type Schema = {
  migrations: { number: number; name: string }
  organizations: OrganizationRow
  records: RecordRow
  activities: ActivityRow
  lookups: LookupRow
  outbox: OutboxRow
  erasures: ErasureRow
  vault_state: VaultStateRow
}

type OrganizationRow = {
  organization_id: string
  parent_id: string | null
  version: number
  tag: string
  /** Last, so that reading version and tag never touches its pages. */
  head: Uint8Array
}

type RecordRow = {
  organization_id: string
  kind: string
  record_id: string
  owner_id: string | null
  version: number
  sealed: Uint8Array
}

type ActivityRow = {
  organization_id: string
  /** Of the organization, from 1, without gaps, in the order of commits. */
  sequence: number
  /** The checkpoint of the audit chain that covers it; null until there is one. */
  checkpoint: number | null
  activity_id: string
  /** The time and the fingerprint of the request. */
  request_key: string
  type: string
  status: string
  version: number
  sealed: Uint8Array
}

type LookupRow = {
  organization_id: string
  lookup: string
  key: string
  record_id: string
  kind: string
  /**
   * The organization's parent, which never changes. It stands here so that finding the sub-organizations with a key
   * costs the same however many organizations of other parents use that key too.
   */
  parent_id: string | null
}

type OutboxRow = {
  organization_id: string
  message_id: string
  channel: MessageChannel
  expires_at_ms: number
  /** Counted when a delivery begins. */
  attempts: number
  /** The service's time. Before it nobody takes the message: it waits after a failure, or somebody has it in hand. */
  due_at_ms: number
  sealed: Uint8Array
}

/** Records of a kind that are still to be removed with their lookups, since nobody can reach them any more. */
type ErasureRow = {
  organization_id: string
  kind: string
  /** Empty: every record of the kind. */
  owner_id: string
}

type VaultStateRow = { id: number; state: Uint8Array }

/** The one status that activities end in so often that the index of statuses leaves it out. */
export const statusCompleted = 'ACTIVITY_STATUS_COMPLETED'
