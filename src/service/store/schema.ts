import type { Generated } from 'kysely'
import type { MessageChannel } from '../../protocol/wire/outgoing_messages.ts'

/** The tables as Kysely sees them; `migrations/` makes them. Every row is keyed by its organization first. */
export type Schema = {
  migrations: { number: number; name: string }
  organizations: {
    organization_id: string
    parent_id: string | null
    version: number
    tag: string
    /** The last column, so that reading version and tag never touches its pages. */
    head: Uint8Array
  }
  records: {
    organization_id: string
    kind: string
    record_id: string
    owner_id: string | null
    version: number
    sealed: Uint8Array
  }
  activities: {
    organization_id: string
    /** Counts the organization's activities from 1, without gaps, in the order of commits. */
    sequence: number
    /** Nothing uses it. To remove it would write every row anew. */
    checkpoint: null
    activity_id: string
    /** The time and the fingerprint of the request. */
    request_key: string
    type: string
    status: string
    version: number
    sealed: Uint8Array
  }
  lookups: {
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
  outbox: {
    organization_id: string
    message_id: string
    channel: MessageChannel
    expires_at_ms: number
    /** Counted when a delivery begins. */
    attempts: number
    /** By the service's clock. Before it no service takes the message, after a failure or while another delivers it. */
    due_at_ms: number
    sealed: Uint8Array
  }
  /** Events for webhook endpoints, under the organization of the endpoint. */
  webhook_messages: {
    organization_id: string
    message_id: string
    endpoint_id: string
    activity_id: string
    activity_version: number
    expires_at_ms: number
    /** Counted when a delivery begins. */
    attempts: number
    /** As in the outbox. */
    due_at_ms: number
    /** When the delivery was given up; null while the event waits. */
    ended_at_ms: number | null
    /** Why the last attempt failed, in words of the service. */
    reason: string | null
    sealed: Uint8Array
    /** The organization in which the event happened. */
    happened_in: string
  }
  notices: {
    organization_id: string
    message_id: string
    /** The line in which the notice waits (`noticeLine`). In rows of earlier versions, the user. */
    user_id: string
    activity_id: string
    expires_at_ms: number
    /** By the vault's clock. */
    due_at_ms: number
    sealed: Uint8Array
  }
  /**
   * Until when a mailbox of a family gets no further mail with notices. One node has the turn meanwhile. `user_id` is the
   * digest of the mailbox, `organization_id` the organization without a parent.
   */
  notice_turns: { organization_id: string; user_id: string; until_ms: number }
  /** Unreachable records of a kind, which are still to be removed with their lookups. */
  erasures: {
    organization_id: string
    kind: string
    /** Empty: every record of the kind. */
    owner_id: string
  }
  /** The transparency logs of the deployment's nodes, each with its newest checkpoint, and with the newest cosigned one. */
  transparency_logs: {
    /** The journal whose log it is, or `cosignedIdOf` of it. */
    log_id: string
    origin: string
    /** The public keys of the log, one a line. */
    keys: Uint8Array
    size: number
    checkpoint: Uint8Array
    /** The hashes of the entries after the last whole bundle. */
    last: Uint8Array
    /** All bundles before this one are in the index. Bundles of earlier versions wait for that. */
    indexed: Generated<number>
  }
  /** Bundles of 256 entries of a log. The last one has fewer until it is whole. */
  log_bundles: {
    log_id: string
    number: number
    /** The root of the tree of its entries; empty until it is whole. */
    root: Uint8Array
    /** The last column: the tiles of a log are made of the roots alone. */
    entries: Uint8Array
  }
  /** The bundles in which an organization has entries. Small, because each entry may be of another organization. */
  log_index: {
    /** The 16 bytes of its id. */
    organization: Uint8Array
    /** The number of the log, see `logNumberOf`. */
    log: number
    /** The number of the bundle. */
    number: number
    /** For each of its entries, the place in the bundle and the first four bytes of the change key. */
    places: Uint8Array
  }
  vault_state: { id: number; state: Uint8Array }
}

/** The status of nearly all activities, which the index of statuses leaves out. */
export const statusCompleted = 'ACTIVITY_STATUS_COMPLETED'
