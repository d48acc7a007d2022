import type { Commit, ReadSetEntry } from '../../../../protocol/reads.ts'
import { lookupRowsMax } from '../../../../protocol/reads.ts'
import { digestOf } from '../../../../protocol/tools/digest.ts'
import { answered } from '../answers.ts'
import type { Connection, Result } from '../connection.ts'
import { statement } from '../statement.ts'

type Lists<Name extends string> = Readonly<Record<Name, readonly string[]>>
type HeadRow = { organizationId: string; parentId: string | null; version: number; tag: string }
type RecordRow = { organizationId: string; kind: string; recordId: string; version: number; sealed: Uint8Array | null }
type RequestRow = { organizationId: string; requestKey: string; version: number }
type LookupRow = { place: number; kind: string; recordId: string }
type ActivityRow = { organizationId: string; activityId: string; version: number }
type SequenceRow = { organizationId: string; sequence: number }

/**
 * A transaction that writes into an organization holds the lock of its row for itself. Transactions that only rest on
 * rows of it share that lock. So everything that is read after the locks stays as it is until the transaction ends.
 */
const lockToWrite = statement<Lists<'ids'>, HeadRow>()`
  select organization_id as "organizationId", parent_id as "parentId", version, tag from organizations
  where organization_id = any(${'ids'}::text[]) order by organization_id for update`
const lockToRead = statement<Lists<'ids'>, HeadRow>()`
  select organization_id as "organizationId", parent_id as "parentId", version, tag from organizations
  where organization_id = any(${'ids'}::text[]) order by organization_id for share`
const lastSequences = statement<Lists<'ids'>, SequenceRow>()`
  select asked.organization_id as "organizationId", last.sequence
  from unnest(${'ids'}::text[]) as asked (organization_id)
  cross join lateral (select sequence from activities where activities.organization_id = asked.organization_id
    order by sequence desc limit 1) as last`
const recordVersions = statement<Lists<'ids' | 'kinds' | 'recordIds'> & { digests: readonly number[] }, RecordRow>()`
  select organization_id as "organizationId", kind, record_id as "recordId", version,
    case when asked.digest = 1 then sealed end as sealed
  from unnest(${'ids'}::text[], ${'kinds'}::text[], ${'recordIds'}::text[], ${'digests'}::int[])
    as asked (organization_id, kind, record_id, digest)
  join records using (organization_id, kind, record_id)`
const requestVersions = statement<Lists<'ids' | 'requestKeys'>, RequestRow>()`
  select organization_id as "organizationId", request_key as "requestKey", version
  from unnest(${'ids'}::text[], ${'requestKeys'}::text[]) as asked (organization_id, request_key)
  join activities using (organization_id, request_key)`
const activityVersions = statement<Lists<'ids' | 'activityIds'>, ActivityRow>()`
  select organization_id as "organizationId", activity_id as "activityId", version
  from unnest(${'ids'}::text[], ${'activityIds'}::text[]) as asked (organization_id, activity_id)
  join activities using (organization_id, activity_id)`
/** The same rows as a read shows: where more exist, a decision rests only on those. */
const lookupRows = statement<Lists<'ids' | 'lookups' | 'keys'> & { limit: number }, LookupRow>()`
  select asked.place::int as place, found.kind, found.record_id as "recordId"
  from unnest(${'ids'}::text[], ${'lookups'}::text[], ${'keys'}::text[])
    with ordinality as asked (organization_id, lookup, key, place)
  cross join lateral (select kind, record_id from lookups where lookups.organization_id = asked.organization_id
    and lookups.lookup = asked.lookup and lookups.key = asked.key order by record_id limit ${'limit'}) as found`

/** Every statement of this file, for the test that inspects them all. */
export const factStatements = {
  lockToWrite,
  lockToRead,
  lastSequences,
  recordVersions,
  requestVersions,
  activityVersions,
  lookupRows,
}

/** The rows on which the commits of one transaction rest, by `keyOf…`. They cannot change before it ends. */
export type Facts = {
  readonly heads: ReadonlyMap<string, HeadRow>
  readonly records: ReadonlyMap<string, RecordRow>
  readonly requests: ReadonlyMap<string, number>
  readonly activities: ReadonlyMap<string, number>
  readonly lookups: ReadonlyMap<string, ReadonlySet<string>>
  /** The last sequence of each organization that has activities. */
  readonly sequences: ReadonlyMap<string, number>
}

type RecordKey = { readonly organizationId: string; readonly kind: string; readonly recordId: string }
type LookupKey = { readonly organizationId: string; readonly lookup: string; readonly key: string }

export const headKey = (organizationId: string) => `head ${organizationId}`
export const recordKey = ({ organizationId, kind, recordId }: RecordKey) =>
  `record ${organizationId} ${kind} ${recordId}`
export const requestKeyOf = (of: { readonly organizationId: string; readonly requestKey: string }) =>
  `request ${of.organizationId} ${of.requestKey}`
export const activityKey = (of: { readonly organizationId: string; readonly activityId: string }) =>
  `activity ${of.organizationId} ${of.activityId}`
export const lookupKey = ({ organizationId, lookup, key }: LookupKey) => `lookup ${organizationId} ${lookup} ${key}`
const lookupRow = ({ kind, recordId }: { readonly kind: string; readonly recordId: string }) => `${kind} ${recordId}`

/** Locks what the commits rest on and reads it, in one round trip: everything is sent at once. */
export async function readFacts(connection: Connection, commits: readonly Commit[]): Promise<Facts> {
  const readSet = commits.flatMap((commit) => commit.readSet)
  const written = commits.flatMap((commit) => commit.records)
  const made = commits.flatMap((commit) => commit.activities)

  const recordsAsked = unique(
    [...readSet.filter((entry) => entry.of === 'record'), ...written.map((row) => ({ ...row, digest: undefined }))],
    (asked) => `${recordKey(asked)} ${asked.digest === undefined}`,
  )
  const requestsAsked = unique([...readSet.filter((entry) => entry.of === 'request'), ...made], requestKeyOf)
  const lookupsAsked = unique(
    readSet.filter((entry) => entry.of === 'lookup'),
    lookupKey,
  )
  // A new activity has a new id: if it were taken, the insertion would be refused.
  const activitiesAsked = unique(
    made.filter(({ version }) => version > 1),
    activityKey,
  )
  const organizations = [...new Set(made.map(({ organizationId }) => organizationId))]

  const begun = connection.begin()
  const locked = lockPlan(commits).map(({ isWritten, ids }) =>
    connection.run(isWritten ? lockToWrite : lockToRead, { ids }),
  )
  const asked = [
    rowsOf(organizations.length, () => connection.run(lastSequences, { ids: organizations })),
    rowsOf(recordsAsked.length, () =>
      connection.run(recordVersions, {
        ids: idsOf(recordsAsked),
        kinds: recordsAsked.map(({ kind }) => kind),
        recordIds: recordsAsked.map(({ recordId }) => recordId),
        digests: recordsAsked.map(({ digest }) => (digest === undefined ? 0 : 1)),
      }),
    ),
    rowsOf(requestsAsked.length, () =>
      connection.run(requestVersions, {
        ids: idsOf(requestsAsked),
        requestKeys: requestsAsked.map(({ requestKey }) => requestKey),
      }),
    ),
    rowsOf(activitiesAsked.length, () =>
      connection.run(activityVersions, {
        ids: idsOf(activitiesAsked),
        activityIds: activitiesAsked.map(({ activityId }) => activityId),
      }),
    ),
    rowsOf(lookupsAsked.length, () =>
      connection.run(lookupRows, {
        ids: idsOf(lookupsAsked),
        lookups: lookupsAsked.map(({ lookup }) => lookup),
        keys: lookupsAsked.map(({ key }) => key),
        limit: lookupRowsMax,
      }),
    ),
  ] as const
  await answered([begun, ...locked, ...asked])
  const heads = await Promise.all(locked)
  const [sequences, records, requests, activities, lookups] = await Promise.all(asked)

  const found = new Map(lookupsAsked.map((entry) => [lookupKey(entry), new Set<string>()]))
  for (const row of lookups) {
    const entry = lookupsAsked[row.place - 1]
    if (entry !== undefined) found.get(lookupKey(entry))?.add(lookupRow(row))
  }
  return {
    heads: new Map(heads.flatMap(({ rows }) => rows.map((row) => [headKey(row.organizationId), row]))),
    records: recordsOf(records),
    requests: new Map(requests.map((row) => [requestKeyOf(row), row.version])),
    activities: new Map(activities.map((row) => [activityKey(row), row.version])),
    lookups: found,
    sequences: new Map(sequences.map(({ organizationId, sequence }) => [organizationId, sequence])),
  }
}

async function rowsOf<Row>(asked: number, run: () => Promise<Result<Row>>): Promise<readonly Row[]> {
  return asked === 0 ? [] : (await run()).rows
}

/** A record that was asked for with its body and without it is kept with it. */
function recordsOf(rows: readonly RecordRow[]): ReadonlyMap<string, RecordRow> {
  const records = new Map<string, RecordRow>()
  for (const row of rows) {
    if (row.sealed !== null || !records.has(recordKey(row))) records.set(recordKey(row), row)
  }
  return records
}

type Locks = { readonly isWritten: boolean; readonly ids: readonly string[] }

/**
 * All transactions take their locks in the order of the organizations' ids, so no two wait for each other. Neighbours
 * of one kind are taken by one statement.
 */
export function lockPlan(commits: readonly Commit[]): readonly Locks[] {
  const written = new Set(commits.flatMap(writtenOrganizations))
  const rested = commits.flatMap(({ readSet }) => readSet.map(({ organizationId }) => organizationId))
  const plan: { isWritten: boolean; ids: string[] }[] = []
  for (const id of [...new Set([...written, ...rested])].sort()) {
    const isWritten = written.has(id)
    const last = plan.at(-1)
    if (last?.isWritten === isWritten) last.ids.push(id)
    else plan.push({ isWritten, ids: [id] })
  }
  return plan
}

/**
 * The organizations into which a commit writes, some more than once. Events for webhooks are left out: they are new rows
 * on which nothing rests, and those of many sub-organizations go to the endpoints of one parent.
 */
export function writtenOrganizations(commit: Commit): readonly string[] {
  const { activities, heads, records, lookups, outbox, erasures } = commit
  const messages = outbox.filter(({ channel }) => channel !== 'webhook')
  return [activities, heads, records, lookups, messages, erasures].flatMap(idsOf)
}

function idsOf(rows: readonly { readonly organizationId: string }[]): readonly string[] {
  return rows.map(({ organizationId }) => organizationId)
}

function unique<T>(rows: readonly T[], keyOf: (row: T) => string): readonly T[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()]
}

/** Whether an entry of a read set is as the decision saw it. */
export function holds(entry: ReadSetEntry, facts: Facts): boolean {
  switch (entry.of) {
    case 'head': {
      const row = facts.heads.get(headKey(entry.organizationId))
      return row?.version === entry.version && row?.tag === entry.tag
    }
    case 'record': {
      const row = facts.records.get(recordKey(entry))
      if (row?.version !== entry.version || entry.digest === undefined) return row?.version === entry.version
      return row !== undefined && row.sealed !== null && digestOf(row.sealed) === entry.digest
    }
    case 'request':
      return facts.requests.get(requestKeyOf(entry)) === entry.version
    case 'lookup': {
      const found = facts.lookups.get(lookupKey(entry))
      const expected = new Set(entry.rows.map(lookupRow))
      return found?.size === expected.size && [...expected].every((row) => found.has(row))
    }
  }
}
