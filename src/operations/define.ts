import Type, { type Static, type TSchema } from 'typebox'
import type { SignatureScheme } from '../protocol/address_formats.ts'
import type { Curve } from '../protocol/curves.ts'
import type { OutgoingMessage } from '../protocol/messages.ts'
import type { SecretBytes } from '../protocol/secret_bytes.ts'
import type { Activity, Vote } from './activity.ts'
import { Fingerprint, fields } from './fields.ts'
import type { Limits } from './limits.ts'
import type { Need } from './needs.ts'
import type { HasSecret, PluralOf, RecordKind, RecordTypes, User } from './records.ts'

/** Records of one kind, as far as the operation's `reads` named them. Asking for one that it did not name is a bug. */
export type Reader<T> = {
  get(recordId: string): T
  /** A record that may be absent, named by a `maybe` need. */
  find(recordId: string): T | undefined
  all(): readonly T[]
  /** The records of the operation's `page`. */
  page(): readonly T[]
}

/** A Writer is a Reader, never the reverse: a query has no Writer in its hands. */
export type Writer<T> = Reader<T> & {
  /** How many there are now, for the listed kinds. */
  count(): number
  add(record: T): void
  put(record: T): void
  remove(recordId: string): void
}

/** Records with a secret come into being together with it. */
export type KeyWriter<T> = Omit<Writer<T>, 'add'> & {
  /** Takes ownership of `secret`: it is zeroed once it is sealed. */
  add(record: T, secret: SecretBytes): void
}

type KindWithSecret = { [K in RecordKind]: HasSecret<K> extends true ? K : never }[RecordKind]

export type Quorum = { readonly threshold: number; readonly userIds: readonly string[] }

type OrganizationFacts = {
  readonly organizationId: string
  readonly parentId: string | undefined
  readonly organizationName: string
  readonly rootQuorum: Quorum
}

/** A list for each kind of record. */
export type Readers = { readonly [K in RecordKind as PluralOf<K>]: Reader<RecordTypes[K]> }

type WriterOf<K extends RecordKind> = HasSecret<K> extends true ? KeyWriter<RecordTypes[K]> : Writer<RecordTypes[K]>
export type Writers = { readonly [K in RecordKind as PluralOf<K>]: WriterOf<K> }

type OrganizationViews = OrganizationFacts & {
  readonly activities: Omit<Reader<Activity>, 'find'>
  /** What the `lookup` need with this key found. */
  found<K extends RecordKind>(kind: K, lookup: string, key: string): readonly RecordTypes[K][]
  /** The sub-organizations that the `holders` need found. */
  holders(): readonly string[]
  signer(signWith: string): Signer
}

export type OrganizationReader = OrganizationViews &
  Readers & {
    /** What the operation's `reads` named with `of: 'parent'`. Undefined when there is no parent. */
    readonly parent: (OrganizationFacts & Readers) | undefined
  }

export type OrganizationWriter = OrganizationViews &
  Writers & {
    rename(organizationName: string): void
    setRootQuorum(rootQuorum: Quorum): void
    /** A new organization below this one, written in the same transaction. */
    createChild(child: { organizationName: string }): ChildWriter
    /** The parent's records that `reads` named with `of: 'parent'`, to be changed in the same transaction. */
    readonly parent: (OrganizationFacts & Writers) | undefined
  }

export type ChildWriter = Writers & Pick<OrganizationWriter, 'organizationId' | 'setRootQuorum'>

/** Whatever can sign: its secret stays in the vault, `keys.sign` uses it. */
export type Signer = {
  readonly kind: 'wallet_account' | 'private_key'
  readonly recordId: string
  readonly curve: Curve
  /** How the address given in `signWith` wants to be signed for. */
  readonly scheme: SignatureScheme
}

export type Signature = { readonly r: string; readonly s: string; readonly v: string }

/** Everything that touches key material. The secrets pass through `run` as handles that cannot be printed. */
export type Keys = {
  /** What a wallet is made of: BIP-39 entropy and, of an imported one, perhaps a passphrase. */
  newWalletSecret(mnemonicLength: number): SecretBytes
  newPrivateKey(curve: Curve): SecretBytes
  seedOf(walletSecret: SecretBytes): Promise<SecretBytes>
  /** The secret that was sealed with a record which `reads` named. */
  secretOf(kind: KindWithSecret, recordId: string): SecretBytes
  /** English words and, when there is one, a newline and the passphrase, as UTF-8. */
  mnemonicOf(walletSecret: SecretBytes): SecretBytes
  /** The same, read; undefined when it is no English mnemonic with a right checksum (BIP-39). */
  walletSecretOfMnemonic(mnemonic: SecretBytes): SecretBytes | undefined
  /** A key of P-256 made for one message to this server. `publicKey`: 65 bytes. */
  newTarget(): { readonly secret: SecretBytes; readonly publicKey: Uint8Array }
  /** The text that tells a client, over this server's signature, to what key it may encrypt an import. */
  importTargetBundle(target: { readonly publicKey: Uint8Array; readonly userId: string }): string
  /** The text of a secret encrypted to a client's key (65 bytes), over this server's signature. */
  exportBundle(plaintext: SecretBytes, targetPublicKey: Uint8Array): string
  /** A fresh key pair of P-256 whose private half is in the bundle alone, encrypted to a client's key (65 bytes). */
  newCredential(targetPublicKey: Uint8Array): { readonly publicKey: string; readonly credentialBundle: string }
  derive(seed: SecretBytes, at: { readonly curve: Curve; readonly path: string }): Promise<SecretBytes>
  sign(signer: Signer, message: Uint8Array): Signature
}

type Context<P> = {
  readonly parameters: P
  /** The vault's own time. */
  readonly nowMs: number
  /** The user whose stamp the request carries, and the organization to which that user belongs. */
  readonly caller: { readonly user: User; readonly organizationId: string; readonly organizationName: string }
}
export type QueryContext<P> = Context<P> & {
  readonly organization: OrganizationReader
  /** An activity as the caller sees it, in the caller's dialect. */
  readonly showActivity: (activity: Activity) => Readonly<Record<string, unknown>>
}
export type ActivityContext<P> = Context<P> & {
  readonly organization: OrganizationWriter
  readonly keys: Keys
  readonly limits: Limits
  readonly newId: () => string
  /**
   * Delivers a message after the commit, at least once, until it expires. Addresses and header texts must have been
   * checked (`Email`, `PhoneNumber`, `Label`): one that cannot be sent is a bug.
   */
  readonly send: (message: OutgoingMessage) => void
}

export type Query = {
  readonly kind: 'query'
  readonly name: string
  readonly path: string
  readonly parameters: TSchema
  readonly result: TSchema
  readonly summary: string
  /** A parent's id may stand for the one sub-organization that holds the caller's credential. */
  readonly resolvesSubOrganization: boolean
  check(parameters: never): void
  reads(parameters: never): readonly Need[]
  run(context: QueryContext<never>): unknown
}

export type ActivityVersion = {
  readonly type: string
  readonly intentKey: string
  readonly resultKey: string
  readonly parameters: TSchema
}

/** A type and what is left of the operation once that type's parameters are known. */
export type AcceptedType = ActivityVersion & {
  /** Parameters of this type in the form of the newest one. */
  upgrade(parameters: never): unknown
}

export type ActivityOperation = {
  readonly kind: 'activity'
  readonly name: string
  readonly path: string
  readonly summary: string
  readonly types: readonly AcceptedType[]
  readonly result: TSchema
  readonly policy: Policy
  readonly concurrent: boolean
  /** A parent's id may stand for the one sub-organization that holds the caller's credential. */
  readonly resolvesSubOrganization: boolean
  /** Whether a user of the parent may submit it, as if it were one of the organization's root users. */
  readonly openToParent: boolean
  /** It is a vote on another activity, named by its fingerprint: it is not recorded itself and never run. */
  readonly casts: Vote['selection'] | undefined
  check(parameters: never): void
  reads(parameters: never): readonly Need[]
  ownerOf(parameters: never): string | undefined
  run(context: ActivityContext<never>): unknown
}

/**
 * How policies will speak of an activity; nothing evaluates it yet. `rootQuorumOnly`: no policy can grant it.
 * `recoveryOnly`: nobody but its owner may, and only by the recovery credential that was mailed.
 */
export type Policy = { readonly resource: string; readonly action: string } | 'rootQuorumOnly' | 'recoveryOnly'

export type Operation = Query | ActivityOperation

type QueryDefinition<P extends TSchema, R extends TSchema> = {
  readonly name: string
  readonly summary: string
  readonly parameters: P
  readonly result: R
  readonly resolvesSubOrganization?: true
  /** What the schema cannot say: throws a `Failure` that names the field. */
  check?(parameters: Static<P>): void
  reads?(parameters: Static<P>): readonly Need[]
  run(context: QueryContext<Static<P>>): Static<R>
}

/** A read: `POST /public/v1/query/<name>` with a flat body. */
export function defineQuery<P extends TSchema, R extends TSchema>(definition: QueryDefinition<P, R>): Query {
  return {
    ...definition,
    kind: 'query',
    path: `/public/v1/query/${definition.name}`,
    resolvesSubOrganization: definition.resolvesSubOrganization === true,
    check: (parameters: Static<P>) => definition.check?.(parameters),
    reads: (parameters: Static<P>) => definition.reads?.(parameters) ?? [],
  }
}

type ActivityDefinition<P extends TSchema, R extends TSchema> = {
  readonly name: string
  readonly summary: string
  readonly type: string
  readonly intentKey: string
  readonly resultKey: string
  readonly policy: Policy
  readonly parameters: P
  readonly result: R
  /** Older types that the path still accepts, each with the way from its parameters to the newest ones. */
  readonly versions?: readonly OlderType<Static<P>>[]
  /** Changes no record, so that requests of one organization need not wait for one another. */
  readonly concurrent?: true
  /** Whether a user of the parent may submit it: for logging in users of its sub-organizations. */
  readonly openToParent?: true
  readonly resolvesSubOrganization?: true
  /** What the schema cannot say: throws a `Failure` that names the field. */
  check?(parameters: Static<P>): void
  /** The user whose own credentials this changes: that user may, without any rule. */
  ownerOf?(parameters: Static<P>): string
  reads?(parameters: Static<P>): readonly Need[]
  run(context: ActivityContext<Static<P>>): Static<R> | Promise<Static<R>>
}

type OlderType<P> = ActivityVersion & { upgrade(parameters: never): P }

/** How an older type differs; `upgrade` is typed by its own parameters. */
export function olderType<P extends TSchema, N>(
  version: Omit<ActivityVersion, 'parameters'> & { readonly parameters: P; upgrade(parameters: Static<P>): N },
): ActivityVersion & { upgrade(parameters: never): N } {
  return version
}

/** A change: `POST /public/v1/submit/<name>` with the activity envelope. */
export function defineActivity<P extends TSchema, R extends TSchema>(
  definition: ActivityDefinition<P, R>,
): ActivityOperation {
  const { type, intentKey, resultKey, parameters } = definition
  const newest: AcceptedType = { type, intentKey, resultKey, parameters, upgrade: (given: Static<P>) => given }
  return {
    kind: 'activity',
    name: definition.name,
    path: `/public/v1/submit/${definition.name}`,
    summary: definition.summary,
    types: [newest, ...(definition.versions ?? [])],
    result: definition.result,
    policy: definition.policy,
    concurrent: definition.concurrent === true,
    resolvesSubOrganization: definition.resolvesSubOrganization === true,
    openToParent: definition.openToParent === true,
    casts: undefined,
    check: (given: Static<P>) => definition.check?.(given),
    reads: (given: Static<P>) => definition.reads?.(given) ?? [],
    ownerOf: (given: Static<P>) => definition.ownerOf?.(given),
    run: (context: ActivityContext<Static<P>>) => definition.run(context),
  }
}

/** A vote on the activity with a fingerprint; the answer is that activity. */
export function defineVote({
  name,
  summary,
  type,
  intentKey,
  casts,
}: Pick<ActivityDefinition<TSchema, TSchema>, 'name' | 'summary' | 'type' | 'intentKey'> & {
  readonly casts: Vote['selection']
}): ActivityOperation {
  const parameters = fields({ fingerprint: Fingerprint })
  const vote = defineActivity({
    ...{ name, summary, type, intentKey, parameters },
    resultKey: 'result',
    policy: 'rootQuorumOnly',
    result: Type.Object({}),
    run() {
      throw new Error('a vote is cast, not run')
    },
  })
  return { ...vote, casts }
}
