import type { OrganizationReader, Reader, Readers } from '../../contract/define.ts'
import type { Signer } from '../../contract/keys.ts'
import type { Logged } from '../../contract/readers.ts'
import type { Activity } from '../../contract/records/activity.ts'
import {
  everyRecordKind,
  type LookupName,
  type RecordKind,
  type RecordTypes,
  recordKinds,
} from '../../contract/records/records.ts'
import type { FoundWebhook, LookupRow } from '../../protocol/reads.ts'
import type { SeenOrganization } from './seen_organization.ts'

/** Everything that an operation named in `needs`, verified, and nothing else. */
export type Resolved = {
  /** `undefined` for an optional record that does not exist. */
  readonly records: ReadonlyMap<string, RecordTypes[RecordKind] | undefined>
  readonly pages: ReadonlyMap<string, readonly RecordTypes[RecordKind][]>
  readonly activities: readonly Activity[]
  readonly lookups: ReadonlyMap<string, readonly LookupRow[]>
  readonly holders: readonly string[]
  readonly deliveries: readonly FoundDelivery[]
  readonly logged: Logged
  readonly signers: ReadonlyMap<string, Signer>
}

/** `sealed` is there if the event itself was asked for. */
export type FoundDelivery = FoundWebhook & { readonly sealed?: Uint8Array }

export type ResolvedOrganization<O extends SeenOrganization = SeenOrganization> = {
  readonly organization: O
  readonly resolved: Resolved
}

export type ResolvedNeeds<O extends SeenOrganization = SeenOrganization> = {
  readonly own: ResolvedOrganization<O>
  /** Undefined if no need is of the parent, or there is no parent. */
  readonly parent: ResolvedOrganization<O> | undefined
}

/** A record of an organization, or its absence. */
export type ResolvedRecord = {
  readonly kind: RecordKind
  readonly recordId: string
  readonly record: RecordTypes[RecordKind] | undefined
}

/** Returns the organization as an operation sees it: the resolved records by id. */
export function readerOf({ own, parent }: ResolvedNeeds): OrganizationReader {
  const { organization, resolved } = own
  return Object.assign(readersOf(resolved), {
    ...organizationFactsOf(organization),
    parent: parent && Object.assign(readersOf(parent.resolved), organizationFactsOf(parent.organization)),
    activities: {
      get(activityId: string) {
        const activity = resolved.activities.find((candidate) => candidate.activityId === activityId)
        if (activity === undefined) throw new Error(`activity ${activityId} is not among the operation's needs`)
        return activity
      },
      all: () => resolved.activities,
      page: () => resolved.activities,
    },
    found<K extends RecordKind>(kind: K, lookup: LookupName, key: string) {
      const rows = resolved.lookups.get(lookupKey(lookup, key))
      if (rows === undefined) throw new Error(`lookup ${lookup} is not among the operation's needs`)
      return rows
        .filter((row) => row.kind === kind)
        .map(({ recordId }) => resolved.records.get(recordKey(kind, recordId)) as RecordTypes[K])
    },
    holders: () => resolved.holders,
    deliveries: () => resolved.deliveries,
    logged: () => resolved.logged,
    signer(signWith: string) {
      const signer = resolved.signers.get(signWith)
      if (signer === undefined) throw new Error("this signer is not among the operation's needs")
      return signer
    },
  })
}

export function organizationFactsOf({
  head: { organizationId, parentId, organizationName, rootQuorum },
}: SeenOrganization) {
  return { organizationId, parentId, organizationName, rootQuorum }
}

function readersOf(resolved: Resolved): Readers {
  return listsOf((kind) => new KindReader(resolved, kind))
}

/**
 * Returns a list for each kind of record, under the plural name of the kind. A request asks for few lists, so each
 * access makes a new list. A list keeps no state of its own. A spread of the object has none of the lists.
 */
export function listsOf<L extends Readers>(make: (kind: RecordKind) => unknown): L {
  const lists: Readonly<Record<string, unknown>> = Object.assign(Object.create(listsPrototype), { [makeList]: make })
  return lists as L // The names in `L` and in the prototype come from the same table.
}

const makeList = Symbol('makeList')
type Lists = { readonly [makeList]: (kind: RecordKind) => unknown }

const listsPrototype = Object.defineProperties(
  {},
  Object.fromEntries(everyRecordKind.map((kind) => [recordKinds[kind].plural, { get: listGetter(kind) }])),
)

function listGetter(kind: RecordKind) {
  return function list(this: Lists) {
    return this[makeList](kind)
  }
}

/** Reads the records of one kind. It is a class because a writer extends it: a reader that sees its own changes. */
export class KindReader<K extends RecordKind> implements Reader<RecordTypes[K]> {
  protected readonly kind: K
  readonly #resolved: Resolved

  constructor(resolved: Resolved, kind: K) {
    this.kind = kind
    this.#resolved = resolved
  }

  find(recordId: string): RecordTypes[K] | undefined {
    const key = recordKey(this.kind, recordId)
    if (!this.#resolved.records.has(key)) throw new Error(`${this.kind} ${recordId} is not among the operation's needs`)
    return this.#resolved.records.get(key) as RecordTypes[K] | undefined
  }

  get(recordId: string): RecordTypes[K] {
    const record = this.find(recordId)
    if (record === undefined) throw new Error(`${this.kind} ${recordId} does not exist`)
    return record
  }

  all(): readonly RecordTypes[K][] {
    return resolvedList(this.#resolved, allKey(this.kind)) as readonly RecordTypes[K][]
  }

  page(): readonly RecordTypes[K][] {
    return resolvedList(this.#resolved, pageKey(this.kind)) as readonly RecordTypes[K][]
  }
}

function resolvedList(resolved: Resolved, key: string): readonly unknown[] {
  const list = resolved.pages.get(key)
  if (list === undefined) throw new Error(`${key} is not among the operation's needs`)
  return list
}

export const recordKey = (kind: string, recordId: string) => `${kind} ${recordId}`
export const lookupKey = (lookup: string, key: string) => `${lookup} ${key}`
export const allKey = (kind: string) => `all ${kind}`
export const pageKey = (kind: string) => `page ${kind}`

export const nothingLogged: Logged = {
  ...{ proofs: [], versionsCount: 0, bundles: undefined, next: undefined },
  ...{ documents: [], left: [] },
}

/** `Resolved` while it is being filled. */
export type Resolving = {
  -readonly [K in keyof Resolved]: Resolved[K] extends ReadonlyMap<infer Key, infer V> ? Map<Key, V> : Resolved[K]
}

/** The state before any need is resolved. */
export function nothingYet(): Resolving {
  return {
    ...{ records: new Map(), pages: new Map(), lookups: new Map(), signers: new Map() },
    ...{ activities: [], holders: [], deliveries: [], logged: nothingLogged },
  }
}
