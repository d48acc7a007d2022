import type { SecretBytes } from '../protocol/crypto/secret_bytes.ts'
import type { Signer } from './keys.ts'
import type { Activity } from './records/activity.ts'
import type { HasSecret, PluralOf, RecordKind, RecordTypes } from './records/records.ts'

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
export type KeyWriter<T> = Omit<Writer<T>, 'add' | 'put'> & {
  /** Takes ownership of `secret`: it is zeroed once it is sealed. */
  add(record: T, secret: SecretBytes): void
  /** Without a secret the record keeps the one that it has; a new one is owned as with `add`. */
  put(record: T, secret?: SecretBytes): void
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
