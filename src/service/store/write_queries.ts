import { sql } from 'kysely'
import type { MessageChannel } from '../../protocol/wire/outgoing_messages.ts'
import { logWriteQueries } from './log_queries.ts'
import { noticeWriteQueries } from './notice_queries.ts'
import { type Bind, builder, columns, query } from './query.ts'
import { webhookWriteQueries } from './webhook_queries.ts'

type HeadValues = { organizationId: string; version: number; tag: string; sealed: Uint8Array }
type RecordKey = { organizationId: string; kind: string; recordId: string }
type RecordValues = RecordKey & { ownerId: string | null; version: number; sealed: Uint8Array }
type LookupValues = { organizationId: string; lookup: string; key: string; recordId: string }
type ErasureValues = { organizationId: string; kind: string; ownerId: string }
type ActivityKey = { organizationId: string; activityId: string }
type ActivityUpdate = ActivityKey & { status: string; version: number; sealed: Uint8Array }
type ActivityValues = ActivityUpdate & { requestKey: string; type: string }
type MessageKey = { organizationId: string; messageId: string }
type MessageValues = MessageKey & { channel: MessageChannel; expiresAtMs: number; sealed: Uint8Array }

const record = (bind: Bind<RecordKey>) => columns(bind, 'organizationId', 'kind', 'recordId')
const recordContent = (bind: Bind<RecordValues>) => columns(bind, 'ownerId', 'version', 'sealed')
const lookup = (bind: Bind<LookupValues>) => columns(bind, 'organizationId', 'lookup', 'key', 'recordId')
const erasure = (bind: Bind<ErasureValues>) => columns(bind, 'organizationId', 'kind', 'ownerId')
const activity = (bind: Bind<ActivityKey>) => columns(bind, 'organizationId', 'activityId')
const message = (bind: Bind<MessageKey>) => columns(bind, 'organizationId', 'messageId')

export const messageWriteQueries = {
  /** Counts an attempt, unless another service has counted one since. */
  claimMessage: query<MessageKey & { attempts: number; dueAtMs: number }>()((bind) =>
    builder
      .updateTable('outbox')
      .set({ attempts: sql`attempts + 1`, due_at_ms: bind('dueAtMs') })
      .where(({ and }) => and({ ...message(bind), attempts: bind('attempts') })),
  ),
  postponeMessage: query<MessageKey & { dueAtMs: number }>()((bind) =>
    builder
      .updateTable('outbox')
      .set({ due_at_ms: bind('dueAtMs') })
      .where(({ and }) => and(message(bind))),
  ),
  deleteMessage: query<MessageKey>()((bind) => builder.deleteFrom('outbox').where(({ and }) => and(message(bind)))),
} as const

/** Every statement that writes while the service runs. A replacement only ever raises the version. */
export const writeQueries = {
  ...messageWriteQueries,
  ...logWriteQueries,
  ...noticeWriteQueries,
  ...webhookWriteQueries,
  /** Tries the disk without changing anything. */
  touch: query<Record<never, never>>()(() =>
    builder
      .updateTable('migrations')
      .set({ number: sql.ref('number') })
      .where('number', '=', sql.lit(1)),
  ),
  insertVaultState: query<{ state: Uint8Array }>()((bind) =>
    builder
      .insertInto('vault_state')
      .values({ id: sql.lit(1), state: bind('state') })
      .onConflict((conflict) => conflict.doNothing()),
  ),

  insertHead: query<HeadValues & { parentId: string | null }>()((bind) =>
    builder.insertInto('organizations').values({
      ...columns(bind, 'organizationId', 'parentId', 'version', 'tag'),
      head: bind('sealed'),
    }),
  ),
  replaceHead: query<HeadValues>()((bind) =>
    builder
      .updateTable('organizations')
      .set({ ...columns(bind, 'version', 'tag'), head: bind('sealed') })
      .where('organization_id', '=', bind('organizationId'))
      .where('version', '<', bind('version')),
  ),

  insertRecord: query<RecordValues>()((bind) =>
    builder.insertInto('records').values({ ...record(bind), ...recordContent(bind) }),
  ),
  replaceRecord: query<RecordValues>()((bind) =>
    builder
      .updateTable('records')
      .set(recordContent(bind))
      .where(({ and }) => and(record(bind)))
      .where('version', '<', bind('version')),
  ),
  deleteRecord: query<RecordKey>()((bind) => builder.deleteFrom('records').where(({ and }) => and(record(bind)))),

  insertLookup: query<LookupValues & { kind: string }>()((bind) =>
    builder.insertInto('lookups').values({
      ...lookup(bind),
      kind: bind('kind'),
      parent_id: builder
        .selectFrom('organizations')
        .select('parent_id')
        .where('organization_id', '=', bind('organizationId')),
    }),
  ),
  deleteLookup: query<LookupValues>()((bind) => builder.deleteFrom('lookups').where(({ and }) => and(lookup(bind)))),

  insertActivity: query<ActivityValues>()((bind) =>
    builder.insertInto('activities').values({
      organization_id: bind('organizationId'),
      // Read here and not kept in memory, so that a commit that is rolled back leaves no gap.
      sequence: sql<number>`coalesce(${builder
        .selectFrom('activities')
        .select('sequence')
        .where('organization_id', '=', bind('organizationId'))
        .orderBy('sequence', 'desc')
        .limit(sql.lit(1))}, 0) + 1`,
      ...columns(bind, 'activityId', 'requestKey', 'type', 'status', 'version', 'sealed'),
    }),
  ),
  replaceActivity: query<ActivityUpdate>()((bind) =>
    builder
      .updateTable('activities')
      .set(columns(bind, 'status', 'version', 'sealed'))
      .where(({ and }) => and(activity(bind)))
      .where('version', '<', bind('version')),
  ),

  insertMessage: query<MessageValues>()((bind) =>
    builder.insertInto('outbox').values({
      ...message(bind),
      ...columns(bind, 'channel', 'expiresAtMs'),
      attempts: sql.lit(0),
      due_at_ms: sql.lit(0),
      sealed: bind('sealed'),
    }),
  ),
  insertErasure: query<ErasureValues>()((bind) =>
    builder
      .insertInto('erasures')
      .values(erasure(bind))
      .onConflict((conflict) => conflict.doNothing()),
  ),
  deleteErasure: query<ErasureValues>()((bind) =>
    builder.deleteFrom('erasures').where(({ and }) => and(erasure(bind))),
  ),
  deleteLookupsOf: query<RecordKey>()((bind) =>
    builder
      .deleteFrom('lookups')
      .where('record_id', '=', bind('recordId'))
      .where('kind', '=', bind('kind'))
      // `|| ''` keeps SQLite from walking all lookups of the organization, which it takes for few without statistics.
      .where(sql`organization_id || ''`, '=', bind('organizationId')),
  ),
} as const
