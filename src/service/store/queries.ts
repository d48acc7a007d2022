import { type SelectQueryBuilder, sql } from 'kysely'
import { lookupRowsMax, type Read } from '../../protocol/reads.ts'
import type { MessageChannel } from '../../protocol/wire/outgoing_messages.ts'
import { changeMarkQueries } from './change_marks.ts'
import { logReadQueries } from './log_queries.ts'
import { noticeReadQueries } from './notice_queries.ts'
import { type Bind, builder, columns, parentOf, query, selected } from './query.ts'
import { type Schema, statusCompleted } from './schema.ts'
import { webhookReadQueries } from './webhook_queries.ts'

type OrganizationKey = { organizationId: string }
type RecordKey = OrganizationKey & { kind: string; recordId: string }
type LookupKey = OrganizationKey & { lookup: string; key: string }
type HolderKey = { parentId: string; lookup: string; key: string; organizationId: string }
type RecordRange = OrganizationKey & { kind: string; cursor: string; limit: number }
type OwnedRange = RecordRange & { ownerId: string }
type ErasureKey = OrganizationKey & { kind: string; ownerId: string }
type ActivityKey = OrganizationKey & { activityId: string }
type RequestKey = OrganizationKey & { requestKey: string }
type DueMessages = OrganizationKey & { channel: MessageChannel; nowMs: number; limit: number }
type ActivityRange = OrganizationKey & { sequence: number; limit: number }
type SequenceRange = OrganizationKey & { type: string; status: string; cursor: number; limit: number }

const organizations = builder.selectFrom('organizations')
const lookups = builder.selectFrom('lookups').select(selected('organizationId', 'kind', 'recordId'))
const records = builder.selectFrom('records').select(selected('recordId', 'version', 'sealed'))
const activities = builder.selectFrom('activities').select(selected('activityId', 'version', 'sealed'))

const kind = (bind: Bind<OrganizationKey & { kind: string }>) => columns(bind, 'organizationId', 'kind')
const record = (bind: Bind<RecordKey>) => columns(bind, 'organizationId', 'kind', 'recordId')
const owner = (bind: Bind<ErasureKey>) => columns(bind, 'organizationId', 'kind', 'ownerId')
const activity = (bind: Bind<ActivityKey>) => columns(bind, 'organizationId', 'activityId')
const request = (bind: Bind<RequestKey>) => columns(bind, 'organizationId', 'requestKey')
const lookup = (bind: Bind<LookupKey>) => columns(bind, 'organizationId', 'lookup', 'key')
const holders = (bind: Bind<HolderKey>) => columns(bind, 'parentId', 'lookup', 'key')

/** Every statement that reads while the service runs. Each is a range of one index, whatever the number of rows. */
export const readQueries = {
  ...changeMarkQueries,
  ...logReadQueries,
  ...noticeReadQueries,
  ...webhookReadQueries,
  ping: query<Record<never, never>>()(() =>
    builder.selectFrom('migrations').select('number').where('number', '=', sql.lit(1)),
  ),
  vaultState: query<Record<never, never>>()(() =>
    builder.selectFrom('vault_state').select('state').where('id', '=', sql.lit(1)),
  ),
  /** The next organization with messages of a channel that are due, and its parent. */
  nextMessageOrganization: query<{ channel: MessageChannel; after: string; exceptParent: string; nowMs: number }>()(
    (bind) =>
      builder
        .selectFrom('outbox')
        .select(['organization_id as organizationId', parentOf('outbox').as('parentId')])
        .where('channel', '=', bind('channel'))
        .where('organization_id', '>', bind('after'))
        .where(parentOf('outbox'), 'is distinct from', bind('exceptParent'))
        .where(sql<number>`+due_at_ms`, '<=', bind('nowMs'))
        .orderBy('organization_id')
        .limit(sql.lit(1)),
  ),
  /** First those that expire first, so that a passcode does not wait behind invitations. Then in the order of ids. */
  dueMessages: query<DueMessages>()((bind) =>
    builder
      .selectFrom('outbox')
      .select(selected('organizationId', 'messageId', 'expiresAtMs', 'attempts', 'sealed'))
      .where('channel', '=', bind('channel'))
      .where('organization_id', '=', bind('organizationId'))
      // The sign keeps SQLite from taking the index of due times, whose rows it would have to sort.
      .where(sql<number>`+due_at_ms`, '<=', bind('nowMs'))
      .orderBy('expires_at_ms')
      .orderBy('message_id')
      .limit(bind('limit')),
  ),

  /** All activities, in the order of their organizations. */
  listedActivities: query<ActivityRange>()((bind) =>
    builder
      .selectFrom('activities')
      .select(selected('organizationId', 'sequence', 'activityId', 'version'))
      .where(sql<boolean>`(organization_id, sequence) > (${bind('organizationId')}, ${bind('sequence')})`)
      .orderBy('organization_id')
      .orderBy('sequence')
      .limit(bind('limit')),
  ),
  headTag: query<OrganizationKey>()((bind) =>
    organizations.select(['version', 'tag']).where(({ and }) => and(columns(bind, 'organizationId'))),
  ),
  head: query<OrganizationKey>()((bind) =>
    organizations.select(['version', 'tag', 'head as sealed']).where(({ and }) => and(columns(bind, 'organizationId'))),
  ),

  lookup: query<LookupKey>()((bind) =>
    lookups
      .where(({ and }) => and(lookup(bind)))
      .orderBy('record_id')
      .limit(sql.lit(lookupRowsMax)),
  ),
  /** The first record with the key in an organization. */
  holder: query<HolderKey>()((bind) =>
    lookups
      .where(({ and }) => and(columns(bind, 'parentId', 'lookup', 'key', 'organizationId')))
      .orderBy('record_id')
      .limit(sql.lit(1)),
  ),
  nextHolder: nearestHolder('>', 'asc'),
  previousHolder: nearestHolder('<', 'desc'),

  record: query<RecordKey>()((bind) => records.where(({ and }) => and(record(bind)))),
  /** The columns that a read set and a cursor need, without the record's body. */
  recordVersion: query<RecordKey>()((bind) =>
    builder
      .selectFrom('records')
      .select(selected('version', 'ownerId'))
      .where(({ and }) => and(record(bind))),
  ),
  recordsAfter: recordPage('>', 'asc'),
  recordsBefore: recordPage('<', 'desc'),
  ownedRecordsAfter: ownedRecordPage('>', 'asc'),
  ownedRecordsBefore: ownedRecordPage('<', 'desc'),

  activity: query<ActivityKey>()((bind) => activities.where(({ and }) => and(activity(bind)))),
  activitySize: query<ActivityKey>()((bind) =>
    builder
      .selectFrom('activities')
      .select(({ fn }) => fn<number>('length', ['sealed']).as('bytes'))
      .where(({ and }) => and(activity(bind))),
  ),
  activityAt: query<OrganizationKey & { sequence: number }>()((bind) =>
    activities.where(({ and }) => and(columns(bind, 'organizationId', 'sequence'))),
  ),
  activitySequence: query<ActivityKey>()((bind) =>
    builder
      .selectFrom('activities')
      .select('sequence')
      .where(({ and }) => and(activity(bind))),
  ),
  request: query<RequestKey>()((bind) => activities.where(({ and }) => and(request(bind)))),
  requestVersion: query<RequestKey>()((bind) =>
    builder
      .selectFrom('activities')
      .select('version')
      .where(({ and }) => and(request(bind))),
  ),

  /** Any erasure: every organization id is greater than the empty text. */
  someErasure: query<Record<never, never>>()(() =>
    builder
      .selectFrom('erasures')
      .select(selected('organizationId', 'kind', 'ownerId'))
      .where('organization_id', '>', sql.lit(''))
      .limit(sql.lit(1)),
  ),
  recordsOfKind: query<OrganizationKey & { kind: string; limit: number }>()((bind) =>
    builder
      .selectFrom('records')
      .select('record_id as recordId')
      .where(({ and }) => and(kind(bind)))
      .limit(bind('limit')),
  ),
  recordsOfOwner: query<ErasureKey & { limit: number }>()((bind) =>
    builder
      .selectFrom('records')
      .select('record_id as recordId')
      .where(({ and }) => and(owner(bind)))
      .limit(bind('limit')),
  ),
} as const

/** One row at a time, because a range would repeat an organization with many records for the key. */
function nearestHolder(comparison: '>' | '<', direction: 'asc' | 'desc') {
  return query<HolderKey>()((bind) =>
    builder
      .selectFrom('lookups')
      .select('organization_id as organizationId')
      .where(({ and }) => and(holders(bind)))
      .where('organization_id', comparison, bind('organizationId'))
      .orderBy('organization_id', direction)
      .limit(sql.lit(1)),
  )
}

function recordPage(comparison: '>' | '<', direction: 'asc' | 'desc') {
  return query<RecordRange>()((bind) =>
    records
      .where(({ and }) => and(kind(bind)))
      .where('record_id', comparison, bind('cursor'))
      .orderBy('record_id', direction)
      .limit(bind('limit')),
  )
}

function ownedRecordPage(comparison: '>' | '<', direction: 'asc' | 'desc') {
  return query<OwnedRange>()((bind) =>
    records
      .where(({ and }) => and(owner(bind)))
      .where('record_id', comparison, bind('cursor'))
      .orderBy('record_id', direction)
      .limit(bind('limit')),
  )
}

type Selection<Row> = SelectQueryBuilder<Schema, 'activities', Row>

/**
 * Finds the sequences of activities of one type, one status or both, from a cursor on: `<` newest first, `>` oldest
 * first. The bodies are read afterwards, only for the rows of the page.
 */
export function sequenceQueries(comparison: '<' | '>') {
  const direction = comparison === '<' ? 'desc' : 'asc'
  const range = query<SequenceRange>()
  const sequences = builder.selectFrom('activities').select('sequence').orderBy('sequence', direction)
  // SQLite takes a partial index only for a query that repeats its condition word for word.
  const open = sequences.where('status', '<>', sql.lit(statusCompleted))
  const visited = sequences.select('status')

  return {
    any: range((bind) => from(sequences, bind)),
    type: range((bind) => from(sequences, bind).where('type', '=', bind('type'))),
    open: range((bind) => from(open, bind).where('status', '=', bind('status'))),
    openType: range((bind) => from(open, bind).where('status', '=', bind('status')).where('type', '=', bind('type'))),
    /** The rows of every status, of which `completedSequences` takes the completed ones. */
    visited: range((bind) => from(visited, bind)),
    visitedType: range((bind) => from(visited, bind).where('type', '=', bind('type'))),
  } as const

  function from<Row>(selection: Selection<Row>, bind: Bind<SequenceRange>) {
    return selection
      .where('organization_id', '=', bind('organizationId'))
      .where('sequence', comparison, bind('cursor'))
      .limit(bind('limit'))
  }
}

/**
 * The queries, of `sequenceQueries`, for each requested status and type. Those of `completed` visit rows whatever their
 * status: `completedSequences` takes the completed ones.
 */
export function sequenceFilters({ statuses, types }: Extract<Read, { readonly read: 'activities' }>) {
  const open = choices(statuses).filter((status) => status !== statusCompleted)
  return {
    open: open.flatMap((status) =>
      choices(types).map((type) => ({ query: queryFor(status, type), status: status ?? '', type: type ?? '' })),
    ),
    completed: choices(statuses?.includes(statusCompleted) === true ? types : []).map((type) => ({
      query: type === undefined ? ('visited' as const) : ('visitedType' as const),
      status: statusCompleted,
      type: type ?? '',
    })),
  }
}

function queryFor(status: string | undefined, type: string | undefined): 'any' | 'type' | 'open' | 'openType' {
  if (status === undefined) return type === undefined ? 'any' : 'type'
  return type === undefined ? 'open' : 'openType'
}

function choices(filter: readonly string[] | undefined): readonly (string | undefined)[] {
  return filter === undefined ? [undefined] : [...new Set(filter)]
}
