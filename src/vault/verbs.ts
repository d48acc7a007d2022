import type { Duplex } from 'node:stream'
import type { Destination } from '../protocol/destination.ts'
import type { Dialect } from '../protocol/dialect.ts'
import type { Message } from '../protocol/messages.ts'
import type { Commit, Found, FoundHead, OutboxRow, Read } from '../protocol/reads.ts'

/**
 * Everything that the vault can be asked. The service reaches it through a socket (`client.ts`), tests may call it in
 * their own process; both see this type and nothing else of the vault.
 */
export type Vault = {
  /** Opens the vault with the wrapped master seed, or makes the first one when there is none. */
  unseal(request: UnsealRequest): Promise<UnsealAnswer>
  /** Decides one stamped request, query or activity. */
  answer(request: VaultRequest): Promise<VaultAnswer>
  /**
   * Heads that are on disk now. Told before anybody is told of the change: the mark is raised, so that an older head is
   * refused from here on.
   */
  markHeads(request: MarkHeadsRequest): Promise<void>
  /** Makes a new root organization with a fresh id. Unstamped: the operator's socket leads here, and nothing else. */
  createOrganization(request: CreateOrganizationRequest): Promise<CreateOrganizationAnswer>
  /**
   * Opens one message of the outbox for its delivery. Whoever has the service can read what is being delivered, and
   * nothing else with this: it opens messages only, and none that has expired.
   */
  openMessage(request: OpenMessageRequest): Promise<OpenMessageAnswer>
  /** The public halves of the keys that clients verify with or encrypt to. */
  publishedKeys(): Promise<PublishedKeys>
}

/**
 * The one thing that the vault asks of the service: a connection. The stream is there at once; that it is refused,
 * broken or ended is an event of the stream. Whoever opens it destroys it.
 */
export type OpenPipe = (to: Destination) => Duplex

export type UnsealRequest = { readonly vaultState: Uint8Array | undefined }

/**
 * `initialized`: a first master seed was made; store `vaultState` unless another node was faster, then ask again with
 * what is stored. `unsealed`: ready.
 */
export type UnsealAnswer =
  | { readonly kind: 'initialized'; readonly vaultState: Uint8Array }
  | { readonly kind: 'unsealed' }

export type MarkHeadsRequest = { readonly heads: readonly ({ readonly organizationId: string } & FoundHead)[] }

export type StampHeader = 'x-stamp' | 'x-stamp-webauthn' | 'x-stamp-attested'

/** One read with what the service found for it. */
export type Presented = { readonly read: Read; readonly found: Found }

/** What is on disk by now: an activity, or a version of a record of a kind that the vault remembers. */
export type Recorded =
  | { readonly of: 'request'; readonly organizationId: string; readonly requestKey: string }
  | {
      readonly of: 'record'
      readonly organizationId: string
      readonly kind: string
      readonly recordId: string
      readonly version: number
    }

export type VaultRequest = {
  /** `/public/v1/submit/create_wallet` */
  readonly path: string
  /** The body's bytes exactly as they arrived: the stamp is over these. */
  readonly body: Uint8Array
  /** Every stamp header of the request: one is right, none and several are refused. */
  readonly stamps: readonly { readonly header: StampHeader; readonly value: string }[]
  readonly dialect: Dialect
  /** The IP address from which the request came, as the service says; undefined: it does not know. */
  readonly sourceAddress?: string | undefined
  readonly presented: readonly Presented[]
  /** Whether reads that are not presented may be answered from earlier requests. A refusal may then be out of date. */
  readonly mayRecall?: true
  /** What the service has committed since its last message, of that which the vault remembers. */
  readonly committed: readonly Recorded[]
}

export type VaultAnswer =
  /** Not decided: look these up and ask again with them as well. */
  | { readonly kind: 'need'; readonly reads: readonly Read[] }
  /** Decided, nothing to write: the answer of a query, of a known activity, or a refusal. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: Uint8Array }
  /** Decided: the answer may be given once `commit` is on disk, and only then. */
  | {
      readonly kind: 'commit'
      readonly status: number
      readonly body: Uint8Array
      readonly commit: Commit
      /** To be named in `committed` of a later request, once it is. */
      readonly recorded: readonly Recorded[]
    }
  /**
   * What was presented is not what was sealed, or with `isRollback` older than the mark. `incident` is for the log; the
   * caller learns its id only.
   */
  | { readonly kind: 'integrity'; readonly incident: string; readonly isRollback: boolean }

export type CreateOrganizationRequest = {
  readonly organizationName: string
  readonly userName: string
  readonly userEmail: string | undefined
  readonly apiKeyName: string
  /** Compressed P-256 point, lower-case hex. */
  readonly apiPublicKey: string
}

export type CreateOrganizationAnswer = {
  readonly organizationId: string
  readonly userId: string
  readonly commit: Commit
}

export type OpenMessageRequest = Pick<OutboxRow, 'organizationId' | 'messageId' | 'sealed'>

/** `integrity`: these bytes were not sealed as this message. `incident` is for the log: ids only. */
export type OpenMessageAnswer =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'expired' }
  | { readonly kind: 'integrity'; readonly incident: string }

/** Each key as lower-case hex of its compressed and its uncompressed point; Ed25519 has one form, given twice. */
export type PublishedKeys = Readonly<Record<string, { readonly compressed: string; readonly uncompressed: string }>>
