import type { SecretBytes } from '../protocol/crypto/secret_bytes.ts'
import type { FoundLogBundle, FoundLogProof, FoundWebhook } from '../protocol/reads.ts'
import type { Signer } from './keys.ts'
import type { Activity } from './records/activity.ts'
import type { WrittenDocument } from './records/documents.ts'
import type { HasSecret, LookupName, PluralOf, RecordKind, RecordTypes, WithoutTimes } from './records/records.ts'

/** The records of one kind that `needs` named. Asking for another record is a bug. */
export type Reader<T> = {
  get(recordId: string): T
  /** A record that may be absent, named by a `maybe` need. */
  find(recordId: string): T | undefined
  all(): readonly T[]
  /** The records of the `page` need. */
  page(): readonly T[]
}

/** A Writer is a Reader, never the reverse: a query gets no Writer. */
export type Writer<T> = Reader<T> & {
  /** The present number of records, for listed kinds only. */
  count(): number
  /** The number of removed records whose owner stays. The head names each of them. */
  removedCount(): number
  /** Adds a record that is created now, and returns it with its times. Throws LIMIT_REACHED. */
  add(record: WithoutTimes<T>): T
  /** Replaces the record with this id by one that is updated now, and returns that with its times. */
  put(record: Omit<T, 'updatedAtMs'>): T
  remove(recordId: string): void
}

/** The writer of a kind with secrets, which adds each record together with its secret. */
export type KeyWriter<T> = Omit<Writer<T>, 'add' | 'put'> & {
  /** Takes ownership of `secret`, and zeroes it once it is sealed. */
  add(record: WithoutTimes<T>, secret: SecretBytes): T
  /** An absent secret stays as it is. A new secret is owned and zeroed as with `add`. */
  put(record: Omit<T, 'updatedAtMs'>, secret?: SecretBytes): T
}

export type Quorum = { readonly threshold: number; readonly userIds: readonly string[] }

export type OrganizationFacts = {
  readonly organizationId: string
  readonly parentId: string | undefined
  readonly organizationName: string
  readonly rootQuorum: Quorum
}

export type Readers = { readonly [K in RecordKind as PluralOf<K>]: Reader<RecordTypes[K]> }

type WriterOf<K extends RecordKind> = HasSecret<K> extends true ? KeyWriter<RecordTypes[K]> : Writer<RecordTypes[K]>
export type Writers = { readonly [K in RecordKind as PluralOf<K>]: WriterOf<K> }

/** `bundles` undefined: there was no such tree. `next`: the bundle from which there may be more. */
export type Logged = {
  readonly proofs: readonly (FoundLogProof & { readonly version: number })[]
  /** So many versions the activity has. */
  readonly versionsCount: number
  readonly bundles: readonly FoundLogBundle[] | undefined
  readonly next: number | undefined
  readonly documents: readonly LoggedDocument[]
  /** The activities whose documents the answer has no room for. */
  readonly left: readonly string[]
}

/** See `documentOf`. `content` undefined: it is withheld, or there is none. */
export type LoggedDocument = WrittenDocument & { readonly activityId: string; readonly version: number }

type OrganizationViews = OrganizationFacts & {
  readonly activities: Omit<Reader<Activity>, 'find'>
  /** The records that the `lookup` need with this key found. */
  found<K extends RecordKind>(kind: K, lookup: LookupName, key: string): readonly RecordTypes[K][]
  /** The events that the `deliveries` need or the `delivery` need found. They are as the database tells. */
  deliveries(): readonly FoundWebhook[]
  /** The sub-organizations that the `holders` need found. */
  holders(): readonly string[]
  signer(signWith: string): Signer
}

export type OrganizationReader = OrganizationViews &
  Readers & {
    /** The entries that the `logged` need, the `logBundles` need or the `logDocuments` need found in the transparency logs. */
    logged(): Logged
    /** The records that `needs` named with `of: 'parent'`. Undefined if there is no parent. */
    readonly parent: (OrganizationFacts & Readers) | undefined
  }

export type OrganizationWriter = OrganizationViews &
  Writers & {
    rename(organizationName: string): void
    setRootQuorum(rootQuorum: Quorum): void
    /** Creates an organization below this one, in the same transaction. */
    createChild(child: { organizationName: string }): ChildWriter
    /** The parent's records that `needs` named with `of: 'parent'`, to change in the same transaction. */
    readonly parent: (OrganizationFacts & Writers) | undefined
  }

export type ChildWriter = Writers & Pick<OrganizationWriter, 'organizationId' | 'setRootQuorum'>
