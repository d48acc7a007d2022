import type { Duplex } from 'node:stream'
import type { Commit, Found, OutboxRow, Read } from '../protocol/reads.ts'
import type { ProxiedRequest } from '../protocol/wire/auth_proxy.ts'
import type { Destination } from '../protocol/wire/destination.ts'
import type { Dialect } from '../protocol/wire/dialect.ts'
import type { Notice } from '../protocol/wire/notices.ts'
import type { Message } from '../protocol/wire/outgoing_messages.ts'
import type { SignedWebhook } from '../protocol/wire/webhooks.ts'
import type { ScrubAnswer, ScrubFound } from './scrubbing.ts'

/**
 * Everything that the vault can be asked. The service reaches the vault through a socket (`service/vault/client.ts`); tests may call
 * it in their own process. Both see only this type of the vault. `check_messages.ts` checks each member of
 * what the service sends.
 */
export type Vault = {
  /** Opens the vault with the wrapped master seed, or makes the first one when there is none. */
  unseal(request: UnsealRequest): Promise<UnsealAnswer>
  /** Decides one stamped request, query or activity. */
  answer(request: VaultRequest): Promise<VaultAnswer>
  /**
   * Called once the commit of a held decision is on disk. Puts its heads on the books and gives the answer once they
   * are durable.
   */
  confirm(request: ConfirmRequest): Promise<ConfirmAnswer>
  /** Makes a new root organization with a fresh id. Unstamped: in the service only the operator's socket leads here. */
  createOrganization(request: CreateOrganizationRequest): Promise<CreateOrganizationAnswer>
  /**
   * Opens one message of the outbox for its delivery. It opens only messages, and none that has expired: a service that
   * was taken over can read nothing else with it.
   */
  openMessage(request: OpenMessageRequest): Promise<OpenMessageAnswer>
  /** Signs what is new in the transparency log of this node, and hands over what the database has to keep of it. */
  publishLog(request: PublishLogRequest): Promise<PublishedLog>
  /** Goes one step on in comparing that log with the database. */
  scrub(found: ScrubFound): Promise<ScrubAnswer>
  /** The condition of the books, for `/readyz`. Rejects with `VaultUnavailable` if nothing can be decided. */
  condition(): Promise<VaultCondition>
  /** The public halves of the keys that clients verify with or encrypt to. */
  publishedKeys(): Promise<PublishedKeys>
}

/**
 * Opens a connection, which is all that the vault asks of the service. The stream is there at once; a refusal, a
 * failure and the end are events of the stream. The caller destroys it.
 */
export type OpenPipe = (to: Destination) => Duplex

export type UnsealRequest = { readonly vaultState: Uint8Array | undefined }

/**
 * `initialized`: the vault made a first master seed. Store `vaultState` unless another node was faster, then ask again
 * with the stored state. `unsealed`: ready.
 */
export type UnsealAnswer =
  | { readonly kind: 'initialized'; readonly vaultState: Uint8Array }
  | { readonly kind: 'unsealed' }

export type ConfirmRequest = { readonly decisionId: string }

/**
 * `unknown`: the vault does not hold this decision, because it may have been started again. `unavailable`: the journal
 * cannot be written. In both cases the next request tells whether the change is in force.
 */
export type ConfirmAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Uint8Array }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'integrity'; readonly incident: string; readonly found: 'fork' }

/**
 * For the operator. `refusal`: why nothing is changed or signed; undefined if nothing prevents it. `clock`: what is wrong
 * with the machine's clock; undefined if nothing is.
 */
export type VaultCondition = { readonly refusal: string | undefined; readonly clock: string | undefined }

export type StampHeader = 'x-stamp' | 'x-stamp-webauthn' | 'x-stamp-attested'

/** One read with what the service found for it. */
export type Presented = { readonly read: Read; readonly found: Found }

/**
 * The outcome of a commit, told with the next `answer`. `written`: a commit that makes no head is on disk. `lost`: the
 * store has written nothing of a held decision.
 */
export type CommitOutcome =
  | ({ readonly of: 'written' } & WrittenDecision)
  | { readonly of: 'lost'; readonly decisionId: string }

/** A decision that makes no head. */
export type WrittenDecision = {
  readonly changeKey: string
  /** The index of its entry in the transparency log of the node. */
  readonly index: number
  /** Whether it wrote records, as accounts are: the same bytes must not do that twice. */
  readonly isChange: boolean
}

export type VaultRequest = {
  /** `/public/v1/submit/create_wallet` */
  readonly path: string
  /** The body's bytes exactly as they arrived: the stamp is over these. */
  readonly body: Uint8Array
  /** Every stamp header of the request. Exactly one is accepted. */
  readonly stamps: readonly { readonly header: StampHeader; readonly value: string }[]
  readonly dialect: Dialect
  /** The client, by the service's word: the network of its address. Peers take turns. */
  readonly peer?: string | undefined
  /** The organization that the body names, by the service's word. Those that one peer names take turns. */
  readonly organizationId?: string | undefined
  /** For the log only: the service's own id of the request. */
  readonly requestId?: string | undefined
  /** The credential that the stamp names, by the service's word. Those of one organization take turns. */
  readonly credential?: string | undefined
  /** How long the service still waits for the answer. Undefined: as long as it takes. */
  readonly waitMsMax?: number
  /** The IP address from which the request came, by the service's word; undefined when the service does not know. */
  readonly sourceAddress?: string | undefined
  /** Whether a person at this machine sent it, without a proxy, by the service's word (`local_request.ts`). */
  readonly isLocal?: true | undefined
  /** An unstamped request to the auth proxy of an organization. Absent: the request needs a stamp. */
  readonly proxied?: ProxiedRequest | undefined
  readonly presented: readonly Presented[]
  /** Whether reads that are not presented may be answered from earlier requests. A refusal may then be out of date. */
  readonly mayRecall?: true
  /** Asks only whether the request is allowed: nothing of the decision leaves, and nothing is counted. */
  readonly isTrial?: true
  /** The outcomes of commits since the last `answer`. */
  readonly outcomes: readonly CommitOutcome[]
}

/** `userId`: whose stamp the vault has verified. The requests of one user take turns in the service. */
export type VaultAnswer = Decision & { readonly userId?: string }

type Decision =
  /** Not decided: look these reads up and ask again with them too. */
  | { readonly kind: 'moreReads'; readonly reads: readonly Read[] }
  /** Decided, with nothing to write: the answer of a query or of a known activity, or a refusal. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: Uint8Array }
  /** Decided: give the answer only once `commit` is on disk. */
  | { readonly kind: 'commit'; readonly commit: Commit; readonly outcome: HeldOrAnswer }
  /** The answer to a trial whose request would be committed. */
  | { readonly kind: 'allowed' }
  /**
   * Not decided: the books changed while the vault decided. Look everything up again. `counted`: the organizations on
   * whose counts the decision counts something.
   */
  | { readonly kind: 'moved'; readonly counted: readonly string[] }
  /** The presented rows are not what was sealed. `incident` is for the log; the caller learns only its id. */
  | Integrity

/**
 * `behind`: the presented head is older than the newest on the books, which another request may have raised since. A
 * read that begins now must show `newestVersion` or a later one. `fork`: it is on another branch than the acknowledged
 * one.
 */
export type Integrity = { readonly kind: 'integrity'; readonly incident: string } & (
  | {
      readonly found: 'behind'
      readonly organizationId: string
      readonly shownVersion: number
      readonly newestVersion: number
    }
  | { readonly found: 'fork' | 'other' }
)

/**
 * `held`: the commit makes heads, and `confirm` gives the answer. `answer`: the commit makes none, and this is the
 * answer. The `outcomes` of a later `answer` have `written`; undefined for a refusal, which has no activity.
 */
export type HeldOrAnswer =
  | { readonly of: 'held'; readonly decisionId: string }
  | {
      readonly of: 'answer'
      readonly status: number
      readonly body: Uint8Array
      readonly written: WrittenDecision | undefined
    }

export type CreateOrganizationRequest = {
  readonly organizationName: string
  readonly userName: string
  readonly userEmail: string | undefined
  readonly apiKeyName: string
  /** Compressed P-256 point, lower-case hex. */
  readonly apiPublicKey: string
}

/** The organization exists once the decision is confirmed. */
export type CreateOrganizationAnswer = {
  readonly organizationId: string
  readonly userId: string
  readonly commit: Commit
  readonly decisionId: string
}

/** `presented`: what the vault has asked for to tell whether the message is still wanted. */
export type OpenMessageRequest = Pick<OutboxRow, 'organizationId' | 'messageId' | 'sealed'> & {
  readonly presented: readonly Presented[]
}

/**
 * `integrity`: these bytes were not sealed as this message. `incident` is for the log: ids only. `unwanted`: it is for
 * an address that its user or endpoint no longer has, or for somebody whom it no longer concerns.
 */
export type OpenMessageAnswer =
  | { readonly kind: 'message'; readonly message: Message | SignedWebhook | Notice }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unwanted' }
  | { readonly kind: 'moreReads'; readonly reads: readonly Read[] }
  | { readonly kind: 'integrity'; readonly incident: string }

/**
 * `stored`: the bundles that were read back since the last request. `seen`: the checkpoint of this log that the database
 * has, if it is not the one that was stored last.
 */
export type PublishLogRequest = { readonly stored: readonly Uint8Array[]; readonly seen?: Uint8Array | undefined }

export type PublishedLog = {
  /** `host/log/<journal>`: the name of the log. */
  readonly origin: string
  /** The public keys that sign its checkpoints, each as `name+id+key`. */
  readonly keys: readonly string[]
  /** The number of entries that the checkpoint covers. */
  readonly size: number
  /** Undefined while the log has no entry, and until all bundles before it are handed over. */
  readonly checkpoint: Uint8Array | undefined
  /** Whole bundles of 256 entries that are not known to be stored, oldest first. */
  readonly bundles: readonly { readonly number: number; readonly bytes: Uint8Array }[]
  /** A bundle of the entries after the last whole one, up to `size`. */
  readonly unfinished: Uint8Array
  /** Why the vault publishes nothing: the log has signed a tree that its journal does not continue. */
  readonly forked?: string
}

/** Each key as lower-case hex of its compressed and its uncompressed point; Ed25519 has one form, given twice. */
export type PublishedKeys = Readonly<Record<string, { readonly compressed: string; readonly uncompressed: string }>>
