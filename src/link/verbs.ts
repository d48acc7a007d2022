import type { Duplex } from 'node:stream'
import type { Commit, Found, OutboxRow, Read } from '../protocol/reads.ts'
import type { Destination } from '../protocol/wire/destination.ts'
import type { Dialect } from '../protocol/wire/dialect.ts'
import type { Message } from '../protocol/wire/outgoing_messages.ts'

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
   * The commit of a held decision is on disk: puts its heads on the books, and gives out the answer once they are durable.
   */
  confirm(request: ConfirmRequest): Promise<ConfirmAnswer>
  /** Makes a new root organization with a fresh id. Unstamped: the operator's socket leads here, and nothing else. */
  createOrganization(request: CreateOrganizationRequest): Promise<CreateOrganizationAnswer>
  /**
   * Opens one message of the outbox for its delivery. Whoever has the service can read what is being delivered, and
   * nothing else with this: it opens messages only, and none that has expired.
   */
  openMessage(request: OpenMessageRequest): Promise<OpenMessageAnswer>
  /** How the books are, for whoever asks whether the server is ready. */
  condition(): Promise<VaultCondition>
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

export type ConfirmRequest = { readonly decisionId: string }

/**
 * `unknown`: the vault does not hold this decision, it may have been started again. `unavailable`: the journal cannot be
 * written. Whether the change is in force, the next request tells in both cases.
 */
export type ConfirmAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Uint8Array }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'integrity'; readonly incident: string; readonly found: 'fork' }

/** `journal`: why nothing can be written, for the operator; undefined: it can. */
export type VaultCondition = { readonly journal: string | undefined }

export type StampHeader = 'x-stamp' | 'x-stamp-webauthn' | 'x-stamp-attested'

/** One read with what the service found for it. */
export type Presented = { readonly read: Read; readonly found: Found }

/**
 * What became of a commit, told with the next `answer`: `written` is the change key of one that makes no head and is on
 * disk; `lost` is a held decision of which the store has written nothing.
 */
export type CommitOutcome =
  | { readonly of: 'written'; readonly changeKey: string }
  | { readonly of: 'lost'; readonly decisionId: string }

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
  /** Only whether it is allowed: nothing of the decision leaves, nothing is counted. */
  readonly isTrial?: true
  /** What has become of commits since the last `answer`. */
  readonly outcomes: readonly CommitOutcome[]
}

export type VaultAnswer =
  /** Not decided: look these up and ask again with them as well. */
  | { readonly kind: 'moreReads'; readonly reads: readonly Read[] }
  /** Decided, nothing to write: the answer of a query, of a known activity, or a refusal. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: Uint8Array }
  /** Decided: there is an answer once `commit` is on disk, and only then. */
  | { readonly kind: 'commit'; readonly commit: Commit; readonly outcome: Outcome }
  /** A trial: it would be committed. */
  | { readonly kind: 'allowed' }
  /** Not decided: what it rests on has moved meanwhile. Look everything up again. */
  | { readonly kind: 'moved' }
  /** What was presented is not what was sealed. `incident` is for the log; the caller learns its id only. */
  | Integrity

/**
 * `behind`: older than the newest on the books, which another request may have raised since; a look that begins now must
 * show `newestVersion` or a later one. `fork`: another branch than the one that was acknowledged.
 */
export type Integrity = { readonly kind: 'integrity'; readonly incident: string } & (
  | { readonly found: 'behind'; readonly shownVersion: number; readonly newestVersion: number }
  | { readonly found: 'fork' | 'other' }
)

/**
 * `held`: the commit makes heads; the answer is given by `confirm`. `answer`: it makes none, and this is the answer;
 * a later `answer` names its `changeKey`, if there is one,
 * in `outcomes`.
 */
export type Outcome =
  | { readonly of: 'held'; readonly decisionId: string }
  | {
      readonly of: 'answer'
      readonly status: number
      readonly body: Uint8Array
      readonly changeKey: string | undefined
    }

export type CreateOrganizationRequest = {
  readonly organizationName: string
  readonly userName: string
  readonly userEmail: string | undefined
  readonly apiKeyName: string
  /** Compressed P-256 point, lower-case hex. */
  readonly apiPublicKey: string
}

/** The organization is there once the decision is confirmed. */
export type CreateOrganizationAnswer = {
  readonly organizationId: string
  readonly userId: string
  readonly commit: Commit
  readonly decisionId: string
}

export type OpenMessageRequest = Pick<OutboxRow, 'organizationId' | 'messageId' | 'sealed'>

/** `integrity`: these bytes were not sealed as this message. `incident` is for the log: ids only. */
export type OpenMessageAnswer =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'expired' }
  | { readonly kind: 'integrity'; readonly incident: string }

/** Each key as lower-case hex of its compressed and its uncompressed point; Ed25519 has one form, given twice. */
export type PublishedKeys = Readonly<Record<string, { readonly compressed: string; readonly uncompressed: string }>>
