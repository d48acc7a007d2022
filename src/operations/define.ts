import Type, { type Static, type TSchema } from 'typebox'
import type { SignatureScheme } from '../protocol/address_formats.ts'
import type { Curve } from '../protocol/curves.ts'
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
  /** How many of the organization's records the head names because they were removed while their owner stays. */
  removedCount(): number
  add(record: T): void
  put(record: T): void
  remove(recordId: string): void
}

/** Records with a secret come into being together with it. */
export type KeyWriter<T> = Omit<Writer<T>, 'add'> & {
  /** Takes ownership of `secret`: it is zeroed once it is sealed. */
  add(record: T, secret: SecretBytes): void
}

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
  newEntropy(mnemonicLength: number): SecretBytes
  newPrivateKey(curve: Curve): SecretBytes
  seedOf(entropy: SecretBytes): Promise<SecretBytes>
  /** The entropy of a wallet that `reads` named. */
  entropyOf(walletId: string): SecretBytes
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
  reads(parameters: never, organizationId: string): readonly Need[]
  run(context: QueryContext<never>): unknown
}

export type ActivityVersion = {
  readonly type: string
  readonly intentKey: string
  readonly resultKey: string
  readonly parameters: TSchema
}

/** A type, the way from its parameters to the newest ones, and the way back for the result. */
export type AcceptedType = ActivityVersion & {
  readonly result: TSchema
  /** Parameters of this type in the form of the newest one. */
  upgrade(parameters: never): unknown
  /** The newest type's result in the form of this one. */
  downgrade(result: never): unknown
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
  /** Whether a user of the parent may submit it, as if it were one of the organization's root users. */
  readonly openToParent: boolean
  /** Whether the organization is deleted once it is done. */
  readonly endsOrganization: boolean
  /** It is a vote on another activity, named by its fingerprint: it is not recorded itself and never run. */
  readonly casts: Vote['selection'] | undefined
  check(parameters: never): void
  reads(parameters: never, organizationId: string): readonly Need[]
  ownerOf(parameters: never): string | undefined
  run(context: ActivityContext<never>): unknown
}

/** How policies will speak of an activity; nothing evaluates it yet. `rootQuorumOnly`: no policy can grant it. */
export type Policy = { readonly resource: string; readonly action: string } | 'rootQuorumOnly'

export type Operation = Query | ActivityOperation

type QueryDefinition<P extends TSchema, R extends TSchema> = {
  readonly name: string
  readonly summary: string
  readonly parameters: P
  readonly result: R
  readonly resolvesSubOrganization?: true
  /** What the schema cannot say: throws a `Failure` that names the field. */
  check?(parameters: Static<P>): void
  reads?(parameters: Static<P>, organizationId: string): readonly Need[]
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
    reads: (parameters: Static<P>, organizationId) => definition.reads?.(parameters, organizationId) ?? [],
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
  readonly versions?: readonly OlderType<Static<P>, Static<R>>[]
  /** Changes no record, so that requests of one organization need not wait for one another. */
  readonly concurrent?: true
  /** Whether a user of the parent may submit it: for logging in users of its sub-organizations. */
  readonly openToParent?: true
  /** Whether the organization is deleted, with all that is in it, once `run` has returned. */
  readonly endsOrganization?: true
  /** What the schema cannot say: throws a `Failure` that names the field. */
  check?(parameters: Static<P>): void
  /** The user whose own credentials this changes: that user may, without any rule. */
  ownerOf?(parameters: Static<P>): string
  reads?(parameters: Static<P>, organizationId: string): readonly Need[]
  run(context: ActivityContext<Static<P>>): Static<R> | Promise<Static<R>>
}

type OlderType<P, R> = ActivityVersion & {
  upgrade(parameters: never): P
  /** Left out: this type's result has the fields of the newest one. */
  readonly ownResult?: OlderResult<R>
}

type OlderResult<R> = { readonly result: TSchema; downgrade(result: R): unknown }

/** How an older type differs; `upgrade` is typed by its own parameters. */
export function olderType<P extends TSchema, N, R>(
  version: Omit<ActivityVersion, 'parameters'> & {
    readonly parameters: P
    upgrade(parameters: Static<P>): N
    readonly ownResult?: OlderResult<R>
  },
): ActivityVersion & { upgrade(parameters: never): N; readonly ownResult?: OlderResult<R> } {
  return version
}

/** A change: `POST /public/v1/submit/<name>` with the activity envelope. */
export function defineActivity<P extends TSchema, R extends TSchema>(
  definition: ActivityDefinition<P, R>,
): ActivityOperation {
  const { type, intentKey, resultKey, parameters, result } = definition
  const same = { upgrade: (given: Static<P>) => given, downgrade: (given: Static<R>) => given }
  const newest: AcceptedType = { type, intentKey, resultKey, parameters, result, ...same }
  const versions = definition.versions?.map(({ ownResult = { result, downgrade: same.downgrade }, ...version }) => ({
    ...version,
    ...ownResult,
  }))
  return {
    kind: 'activity',
    name: definition.name,
    path: `/public/v1/submit/${definition.name}`,
    summary: definition.summary,
    types: [newest, ...(versions ?? [])],
    result: definition.result,
    policy: definition.policy,
    concurrent: definition.concurrent === true,
    openToParent: definition.openToParent === true,
    endsOrganization: definition.endsOrganization === true,
    casts: undefined,
    check: (given: Static<P>) => definition.check?.(given),
    reads: (given: Static<P>, organizationId) => definition.reads?.(given, organizationId) ?? [],
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
