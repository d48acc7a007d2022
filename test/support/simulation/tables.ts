import { readBundle } from '../../../src/protocol/log/bundle.ts'
import type {
  Commit,
  Found,
  FoundActivity,
  FoundHead,
  LookupRow,
  OutboxRow,
  Page,
  Read,
  ReadSetEntry,
} from '../../../src/protocol/reads.ts'
import { lookupRowsMax } from '../../../src/protocol/reads.ts'
import { digestOf } from '../../../src/protocol/tools/digest.ts'
import type { KeptLog, LogRow, Store } from '../../../src/service/store/store.ts'

type HeadRow = FoundHead & { readonly parentId: string | undefined }
type RecordRow = Commit['records'][number] & { readonly sealed: Uint8Array }
type KeyRow = LookupRow & { readonly lookup: string; readonly key: string; readonly parentId: string | undefined }
type ActivityRow = Commit['activities'][number]

/** The rows of a database. Rows never change, so a copy of the maps is a copy of the database. */
export type Tables = {
  readonly heads: Map<string, HeadRow>
  readonly records: Map<string, RecordRow>
  readonly lookups: Map<string, KeyRow>
  /** In the order of their first commits. */
  readonly activities: Map<string, ActivityRow>
  /** The keys of activities, by request. */
  readonly requests: Map<string, string>
  readonly outbox: Map<string, OutboxRow>
  readonly logs: Map<string, LogRow>
  /** Bundles of the transparency logs. */
  readonly bundles: Map<string, Uint8Array>
}

export const emptyTables = (): Tables => ({
  heads: new Map(),
  records: new Map(),
  lookups: new Map(),
  activities: new Map(),
  requests: new Map(),
  outbox: new Map(),
  logs: new Map(),
  bundles: new Map(),
})

export const copyOf = ({ heads, records, lookups, activities, requests, outbox, logs, bundles }: Tables): Tables => ({
  heads: new Map(heads),
  records: new Map(records),
  lookups: new Map(lookups),
  activities: new Map(activities),
  requests: new Map(requests),
  outbox: new Map(outbox),
  logs: new Map(logs),
  bundles: new Map(bundles),
})

type Of<Kind extends Read['read']> = Extract<Read, { readonly read: Kind }>

const recordKey = (of: { organizationId: string; kind: string; recordId: string }) =>
  `${of.organizationId} ${of.kind} ${of.recordId}`
const lookupKey = (of: { organizationId: string; lookup: string; key: string; recordId: string }) =>
  `${of.organizationId} ${of.lookup} ${of.recordId} ${of.key}`
const activityKey = (of: { organizationId: string; activityId: string }) => `${of.organizationId} ${of.activityId}`
const requestKey = (of: { organizationId: string; requestKey: string }) => `${of.organizationId} ${of.requestKey}`

/** Answers a read as the contract of `Store.find` says. */
export function find(tables: Tables, read: Read): Found {
  const { heads, records, activities, requests } = tables
  switch (read.read) {
    case 'headTag':
    case 'head':
      return { read: read.read, row: heads.get(read.organizationId) }
    case 'record':
      return { read: 'record', row: records.get(recordKey(read)) }
    case 'lookup':
      return { read: 'lookup', rows: rowsOfKey(tables, read).slice(0, lookupRowsMax) }
    case 'holders':
      return { read: 'holders', rows: holders(tables, read) }
    case 'page':
      return { read: 'page', rows: recordPage(tables, read) }
    case 'activity':
      return { read: 'activity', row: activities.get(activityKey(read)) }
    case 'request':
      return { read: 'request', row: activities.get(requests.get(requestKey(read)) ?? '') }
    case 'activities':
      return { read: 'activities', rows: activityPage(tables, read) }
    case 'webhooks':
      return { read: 'webhooks', rows: [] }
    case 'webhook':
      return { read: 'webhook', row: undefined }
    case 'logProofs':
    case 'logBundles':
      throw new Error('the room transparency answers this read')
  }
}

function rowsOfKey({ lookups }: Tables, { organizationId, lookup, key }: Omit<Of<'lookup'>, 'read'>): KeyRow[] {
  return [...lookups.values()]
    .filter((row) => row.organizationId === organizationId && row.lookup === lookup && row.key === key)
    .sort(byText(({ recordId }) => recordId))
}

function holders({ lookups }: Tables, read: Of<'holders'>): readonly LookupRow[] | undefined {
  const found = [...lookups.values()]
    .filter(({ parentId, lookup, key }) => parentId === read.parentId && lookup === read.lookup && key === read.key)
    .sort(byText(({ organizationId, recordId }) => `${organizationId} ${recordId}`))
  const first = new Map(found.toReversed().map((row) => [row.organizationId, row]))
  return pageOf([...first.values()].toReversed(), read, ({ organizationId }) => organizationId)
}

function recordPage({ records }: Tables, read: Of<'page'>) {
  const { organizationId, kind, ownerId } = read
  const rows = [...records.values()]
    .filter((row) => row.organizationId === organizationId && row.kind === kind)
    .filter((row) => ownerId === undefined || row.ownerId === ownerId)
    .sort(byText(({ recordId }) => recordId))
  return pageOf(rows, read, ({ recordId }) => recordId)
}

/** Newest first. The cursor may be any activity of the organization. */
function activityPage({ activities }: Tables, read: Of<'activities'>): readonly FoundActivity[] | undefined {
  const { organizationId, statuses, types } = read
  const all = [...activities.values()].filter((row) => row.organizationId === organizationId).toReversed()
  const isAsked = ({ status, type }: ActivityRow) =>
    (statuses === undefined || statuses.includes(status)) && (types === undefined || types.includes(type))
  return pageOf(all, read, ({ activityId }) => activityId, isAsked)
}

function pageOf<T>(
  all: readonly T[],
  { limit, after, before }: Page,
  idOf: (row: T) => string,
  isAsked: (row: T) => boolean = () => true,
): readonly T[] | undefined {
  const cursor = after ?? before
  const at = cursor === undefined ? -1 : all.findIndex((row) => idOf(row) === cursor)
  if (cursor !== undefined && at === -1) return undefined
  if (before !== undefined) return all.slice(0, at).filter(isAsked).slice(-limit)
  return all
    .slice(at + 1)
    .filter(isAsked)
    .slice(0, limit)
}

function byText<T>(textOf: (row: T) => string): (one: T, other: T) => number {
  return (one, other) => (textOf(one) < textOf(other) ? -1 : 1)
}

/** Whether an entry of a read set is as the decision saw it. */
export function holds(tables: Tables, entry: ReadSetEntry): boolean {
  switch (entry.of) {
    case 'head': {
      const row = tables.heads.get(entry.organizationId)
      return row?.version === entry.version && row?.tag === entry.tag
    }
    case 'record': {
      const row = tables.records.get(recordKey(entry))
      const isSame = entry.digest === undefined || (row !== undefined && digestOf(row.sealed) === entry.digest)
      return row?.version === entry.version && isSame
    }
    case 'request':
      return tables.activities.get(tables.requests.get(requestKey(entry)) ?? '')?.version === entry.version
    case 'lookup': {
      const names = (rows: readonly Pick<LookupRow, 'kind' | 'recordId'>[]) =>
        rows.map(({ kind, recordId }) => `${kind} ${recordId}`).sort()
      return names(rowsOfKey(tables, entry).slice(0, lookupRowsMax)).join() === names(entry.rows).join()
    }
  }
}

/** Whether new rows are new, and rows to be replaced or removed are there and older. */
export function applies(tables: Tables, { heads, records, lookups, activities }: Commit): boolean {
  const follows = (version: number, current: number | undefined) =>
    version === 1 ? current === undefined : current !== undefined && current < version
  return (
    heads.every(({ organizationId, version }) => follows(version, tables.heads.get(organizationId)?.version)) &&
    records.every((record) => {
      const current = tables.records.get(recordKey(record))?.version
      return record.sealed === undefined ? current !== undefined : follows(record.version, current)
    }) &&
    lookups.every((row) => row.change === 'remove' || !tables.lookups.has(lookupKey(row))) &&
    activities.every((activity) => {
      const isTaken = activity.version === 1 && tables.requests.has(requestKey(activity))
      return !isTaken && follows(activity.version, tables.activities.get(activityKey(activity))?.version)
    })
  )
}

/** Writes whatever the commit says. */
export function write(tables: Tables, commit: Commit): void {
  for (const { organizationId, ...row } of commit.heads) tables.heads.set(organizationId, row)
  for (const { sealed, ...row } of commit.records) {
    if (sealed === undefined) tables.records.delete(recordKey(row))
    else tables.records.set(recordKey(row), { ...row, sealed })
  }
  for (const { change, ...row } of commit.lookups) {
    const parentId = tables.heads.get(row.organizationId)?.parentId
    if (change === 'add') tables.lookups.set(lookupKey(row), { ...row, parentId })
    else tables.lookups.delete(lookupKey(row))
  }
  for (const row of commit.activities) {
    tables.activities.set(activityKey(row), row)
    tables.requests.set(requestKey(row), activityKey(row))
  }
  for (const row of commit.outbox) tables.outbox.set(row.messageId, row)
  for (const erasure of commit.erasures) erase(tables, erasure)
}

function erase({ records, lookups }: Tables, { organizationId, kind, ownerId }: Commit['erasures'][number]): void {
  for (const [key, row] of records) {
    if (row.organizationId !== organizationId || row.kind !== kind) continue
    if (ownerId !== undefined && row.ownerId !== ownerId) continue
    records.delete(key)
    for (const [name, hint] of lookups) {
      if (hint.organizationId === organizationId && hint.kind === kind && hint.recordId === row.recordId)
        lookups.delete(name)
    }
  }
}

type BundleKey = { readonly logId: string; readonly number: number }
export const bundleKey = ({ logId, number }: BundleKey) => `${logId} ${number}`

/** Keeps what is new of a transparency log, as `Store.keepLog` does. */
export function keepLogIn({ logs, bundles }: Tables, { logId, log, bundles: added }: KeptLog): void {
  for (const { number, root, entries } of added) {
    const key = bundleKey({ logId, number })
    // An unfinished one has no root, and is shorter than what follows.
    if (root.length > 0 || (bundles.get(key)?.length ?? 0) <= entries.length) bundles.set(key, entries)
  }
  const known = logs.get(logId)
  if (log !== undefined && (known === undefined || known.size <= log.size)) logs.set(logId, log)
}

/** How logs are read. None of them is indexed: they are short. */
export function logReadsIn({ logs, bundles }: Tables): Pick<Store, 'logs' | 'log' | 'bundleRoots' | 'logIndex'> {
  const rowOf = (row: LogRow) => ({ ...row, indexed: 0 })
  return {
    logs: async () => [...logs.values()].map(rowOf).sort(byText(({ logId }) => logId)),
    async log(logId) {
      const row = logs.get(logId)
      return row && rowOf(row)
    },
    async bundleRoots({ logId, from, limit }) {
      return Array.from({ length: limit }, (_, at) => from + at).flatMap((number) => {
        const bundle = readBundle(bundles.get(bundleKey({ logId, number })) ?? new Uint8Array())
        return bundle === undefined ? [] : [{ number, root: bundle.root }]
      })
    },
    logIndex: async () => [],
  }
}

/** Executes a commit as the contract of `Store.commit` says. */
export function commitTo(tables: Tables, commit: Commit): 'committed' | 'conflict' {
  if (!commit.readSet.every((entry) => holds(tables, entry)) || !applies(tables, commit)) return 'conflict'
  write(tables, commit)
  return 'committed'
}
