import { type Kysely, sql } from 'kysely'
import { lookupRowsMax } from '../../protocol/reads.ts'
import type { MessageChannel } from '../../protocol/wire/outgoing_messages.ts'
import { type Bind, query } from './query.ts'
import { type Schema, statusCompleted } from './schema.ts'

type OrganizationKey = { organizationId: string }
type RecordKey = OrganizationKey & { kind: string; recordId: string }
type LookupKey = OrganizationKey & { lookup: string; key: string }
type HolderKey = { parentId: string; lookup: string; key: string; organizationId: string }
type RecordRange = OrganizationKey & { kind: string; cursor: string; limit: number }
type OwnedRange = RecordRange & { ownerId: string }
type ErasureKey = OrganizationKey & { kind: string; ownerId: string }
type ActivityKey = OrganizationKey & { activityId: string }
type RequestKey = OrganizationKey & { requestKey: string }
type DueMessages = { channel: MessageChannel; nowMs: number; limit: number }
export type SequenceRange = OrganizationKey & { type: string; status: string; cursor: number; limit: number }

/** Every statement that reads while the service runs. Each is a range of one index, whatever the number of rows. */
export function readQueries(builder: Kysely<Schema>) {
  return {
    ping: query<Record<never, never>>()(() =>
      builder.selectFrom('migrations').select('number').where('number', '=', sql.lit(1)),
    ),
    vaultState: query<Record<never, never>>()(() =>
      builder.selectFrom('vault_state').select('state').where('id', '=', sql.lit(1)),
    ),
    /** In the order of due times, then of ids. New messages have the due time 0. */
    dueMessages: query<DueMessages>()((bind) =>
      builder
        .selectFrom('outbox')
        .select([
          'organization_id as organizationId',
          'message_id as messageId',
          'expires_at_ms as expiresAtMs',
          'attempts',
          'sealed',
        ])
        .where('channel', '=', bind('channel'))
        .where('due_at_ms', '<=', bind('nowMs'))
        .orderBy('due_at_ms')
        .orderBy('message_id')
        .limit(bind('limit')),
    ),
    ...organizationQueries(builder),
    ...lookupQueries(builder),
    ...recordQueries(builder),
    ...activityQueries(builder),
    ...erasureQueries(builder),
  } as const
}

function organizationQueries(builder: Kysely<Schema>) {
  const organizations = builder.selectFrom('organizations')
  return {
    headTag: query<OrganizationKey>()((bind) =>
      organizations.select(['version', 'tag']).where('organization_id', '=', bind('organizationId')),
    ),
    head: query<OrganizationKey>()((bind) =>
      organizations.select(['version', 'tag', 'head as sealed']).where('organization_id', '=', bind('organizationId')),
    ),
  } as const
}

function lookupQueries(builder: Kysely<Schema>) {
  const lookups = builder
    .selectFrom('lookups')
    .select(['organization_id as organizationId', 'kind', 'record_id as recordId'])

  // One row at a time, because a range would repeat an organization with many records for the key.
  const nearest = (comparison: '>' | '<', direction: 'asc' | 'desc') =>
    query<HolderKey>()((bind) =>
      builder
        .selectFrom('lookups')
        .select('organization_id as organizationId')
        .where('parent_id', '=', bind('parentId'))
        .where('lookup', '=', bind('lookup'))
        .where('key', '=', bind('key'))
        .where('organization_id', comparison, bind('organizationId'))
        .orderBy('organization_id', direction)
        .limit(sql.lit(1)),
    )

  return {
    lookup: query<LookupKey>()((bind) =>
      lookups
        .where('organization_id', '=', bind('organizationId'))
        .where('lookup', '=', bind('lookup'))
        .where('key', '=', bind('key'))
        .orderBy('record_id')
        .limit(sql.lit(lookupRowsMax)),
    ),
    /** The first record with the key in an organization. */
    holder: query<HolderKey>()((bind) =>
      lookups
        .where('parent_id', '=', bind('parentId'))
        .where('lookup', '=', bind('lookup'))
        .where('key', '=', bind('key'))
        .where('organization_id', '=', bind('organizationId'))
        .orderBy('record_id')
        .limit(sql.lit(1)),
    ),
    nextHolder: nearest('>', 'asc'),
    previousHolder: nearest('<', 'desc'),
  } as const
}

function recordQueries(builder: Kysely<Schema>) {
  const records = builder.selectFrom('records')
  const rows = records.select(['record_id as recordId', 'version', 'sealed'])

  const page = (comparison: '>' | '<', direction: 'asc' | 'desc') =>
    query<RecordRange>()((bind) =>
      rows
        .where('organization_id', '=', bind('organizationId'))
        .where('kind', '=', bind('kind'))
        .where('record_id', comparison, bind('cursor'))
        .orderBy('record_id', direction)
        .limit(bind('limit')),
    )
  const ownedPage = (comparison: '>' | '<', direction: 'asc' | 'desc') =>
    query<OwnedRange>()((bind) =>
      rows
        .where('organization_id', '=', bind('organizationId'))
        .where('kind', '=', bind('kind'))
        .where('owner_id', '=', bind('ownerId'))
        .where('record_id', comparison, bind('cursor'))
        .orderBy('record_id', direction)
        .limit(bind('limit')),
    )

  return {
    record: query<RecordKey>()((bind) =>
      rows
        .where('organization_id', '=', bind('organizationId'))
        .where('kind', '=', bind('kind'))
        .where('record_id', '=', bind('recordId')),
    ),
    /** The columns that a read set and a cursor need, without the record's body. */
    recordVersion: query<RecordKey>()((bind) =>
      records
        .select(['version', 'owner_id as ownerId'])
        .where('organization_id', '=', bind('organizationId'))
        .where('kind', '=', bind('kind'))
        .where('record_id', '=', bind('recordId')),
    ),
    recordsAfter: page('>', 'asc'),
    recordsBefore: page('<', 'desc'),
    ownedRecordsAfter: ownedPage('>', 'asc'),
    ownedRecordsBefore: ownedPage('<', 'desc'),
  } as const
}

function erasureQueries(builder: Kysely<Schema>) {
  const recordIds = builder.selectFrom('records').select('record_id as recordId')
  return {
    /** Any erasure: every organization id is greater than the empty text. */
    someErasure: query<Record<never, never>>()(() =>
      builder
        .selectFrom('erasures')
        .select(['organization_id as organizationId', 'kind', 'owner_id as ownerId'])
        .where('organization_id', '>', sql.lit(''))
        .limit(sql.lit(1)),
    ),
    recordsOfKind: query<OrganizationKey & { kind: string; limit: number }>()((bind) =>
      recordIds
        .where('organization_id', '=', bind('organizationId'))
        .where('kind', '=', bind('kind'))
        .limit(bind('limit')),
    ),
    recordsOfOwner: query<ErasureKey & { limit: number }>()((bind) =>
      recordIds
        .where('organization_id', '=', bind('organizationId'))
        .where('kind', '=', bind('kind'))
        .where('owner_id', '=', bind('ownerId'))
        .limit(bind('limit')),
    ),
  } as const
}

function activityQueries(builder: Kysely<Schema>) {
  const activities = builder.selectFrom('activities')
  const rows = activities.select(['activity_id as activityId', 'version', 'sealed'])
  return {
    activity: query<ActivityKey>()((bind) =>
      rows.where('organization_id', '=', bind('organizationId')).where('activity_id', '=', bind('activityId')),
    ),
    activityAt: query<OrganizationKey & { sequence: number }>()((bind) =>
      rows.where('organization_id', '=', bind('organizationId')).where('sequence', '=', bind('sequence')),
    ),
    activitySequence: query<ActivityKey>()((bind) =>
      activities
        .select('sequence')
        .where('organization_id', '=', bind('organizationId'))
        .where('activity_id', '=', bind('activityId')),
    ),
    request: query<RequestKey>()((bind) =>
      rows.where('organization_id', '=', bind('organizationId')).where('request_key', '=', bind('requestKey')),
    ),
    requestVersion: query<RequestKey>()((bind) =>
      activities
        .select('version')
        .where('organization_id', '=', bind('organizationId'))
        .where('request_key', '=', bind('requestKey')),
    ),
  } as const
}

/**
 * Finds the sequences of activities of one type, one status or both, from a cursor on: `<` newest first, `>` oldest
 * first. The bodies are read afterwards, only for the rows of the page.
 */
export function sequenceQueries(builder: Kysely<Schema>, comparison: '<' | '>') {
  const direction = comparison === '<' ? 'desc' : 'asc'
  const range = query<SequenceRange>()
  const sequences = builder.selectFrom('activities').select('sequence').orderBy('sequence', direction)
  // SQLite takes a partial index only for a query that repeats its condition word for word.
  const open = sequences.where('status', '<>', sql.lit(statusCompleted))
  // Nearly all activities are completed. Skipping the few others is cheaper than an index entry for each.
  const completed = sequences.where('status', '=', sql.lit(statusCompleted))

  return {
    any: range((bind) => from(sequences, bind)),
    type: range((bind) => from(sequences, bind).where('type', '=', bind('type'))),
    open: range((bind) => from(open, bind).where('status', '=', bind('status'))),
    openType: range((bind) => from(open, bind).where('status', '=', bind('status')).where('type', '=', bind('type'))),
    completed: range((bind) => from(completed, bind)),
    completedType: range((bind) => from(completed, bind).where('type', '=', bind('type'))),
  } as const

  function from(selection: typeof sequences, bind: Bind<SequenceRange>) {
    return selection
      .where('organization_id', '=', bind('organizationId'))
      .where('sequence', comparison, bind('cursor'))
      .limit(bind('limit'))
  }
}
