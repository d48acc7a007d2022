import { type Kysely, sql } from 'kysely'
import type { MessageChannel } from '../../protocol/wire/outgoing_messages.ts'
import { query } from './query.ts'
import type { Schema } from './schema.ts'

type HeadValues = { organizationId: string; version: number; tag: string; sealed: Uint8Array }
type RecordKey = { organizationId: string; kind: string; recordId: string }
type RecordValues = RecordKey & { ownerId: string | null; version: number; sealed: Uint8Array }
type LookupValues = { organizationId: string; lookup: string; key: string; recordId: string }
type ErasureValues = { organizationId: string; kind: string; ownerId: string }
type ActivityUpdate = {
  organizationId: string
  activityId: string
  status: string
  version: number
  sealed: Uint8Array
}
type MessageKey = { organizationId: string; messageId: string }
type MessageValues = MessageKey & { channel: MessageChannel; expiresAtMs: number; sealed: Uint8Array }
type ActivityValues = ActivityUpdate & { requestKey: string; type: string }

/** Every statement that writes while the service runs. A replacement only ever raises the version. */
export function writeQueries(builder: Kysely<Schema>) {
  return {
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
    ...headQueries(builder),
    ...recordQueries(builder),
    ...lookupQueries(builder),
    ...activityQueries(builder),
    ...outboxQueries(builder),
    ...erasureQueries(builder),
  } as const
}

function headQueries(builder: Kysely<Schema>) {
  return {
    insertHead: query<HeadValues & { parentId: string | null }>()((bind) =>
      builder.insertInto('organizations').values({
        organization_id: bind('organizationId'),
        parent_id: bind('parentId'),
        version: bind('version'),
        tag: bind('tag'),
        head: bind('sealed'),
      }),
    ),
    replaceHead: query<HeadValues>()((bind) =>
      builder
        .updateTable('organizations')
        .set({ version: bind('version'), tag: bind('tag'), head: bind('sealed') })
        .where('organization_id', '=', bind('organizationId'))
        .where('version', '<', bind('version')),
    ),
  } as const
}

function recordQueries(builder: Kysely<Schema>) {
  return {
    insertRecord: query<RecordValues>()((bind) =>
      builder.insertInto('records').values({
        organization_id: bind('organizationId'),
        kind: bind('kind'),
        record_id: bind('recordId'),
        owner_id: bind('ownerId'),
        version: bind('version'),
        sealed: bind('sealed'),
      }),
    ),
    replaceRecord: query<RecordValues>()((bind) =>
      builder
        .updateTable('records')
        .set({ owner_id: bind('ownerId'), version: bind('version'), sealed: bind('sealed') })
        .where('organization_id', '=', bind('organizationId'))
        .where('kind', '=', bind('kind'))
        .where('record_id', '=', bind('recordId'))
        .where('version', '<', bind('version')),
    ),
    deleteRecord: query<RecordKey>()((bind) =>
      builder
        .deleteFrom('records')
        .where('organization_id', '=', bind('organizationId'))
        .where('kind', '=', bind('kind'))
        .where('record_id', '=', bind('recordId')),
    ),
  } as const
}

function lookupQueries(builder: Kysely<Schema>) {
  return {
    insertLookup: query<LookupValues & { kind: string }>()((bind) =>
      builder.insertInto('lookups').values({
        organization_id: bind('organizationId'),
        lookup: bind('lookup'),
        key: bind('key'),
        record_id: bind('recordId'),
        kind: bind('kind'),
        parent_id: builder
          .selectFrom('organizations')
          .select('parent_id')
          .where('organization_id', '=', bind('organizationId')),
      }),
    ),
    deleteLookup: query<LookupValues>()((bind) =>
      builder
        .deleteFrom('lookups')
        .where('organization_id', '=', bind('organizationId'))
        .where('lookup', '=', bind('lookup'))
        .where('key', '=', bind('key'))
        .where('record_id', '=', bind('recordId')),
    ),
  } as const
}

function erasureQueries(builder: Kysely<Schema>) {
  return {
    insertErasure: query<ErasureValues>()((bind) =>
      builder
        .insertInto('erasures')
        .values({ organization_id: bind('organizationId'), kind: bind('kind'), owner_id: bind('ownerId') })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    deleteErasure: query<ErasureValues>()((bind) =>
      builder
        .deleteFrom('erasures')
        .where('organization_id', '=', bind('organizationId'))
        .where('kind', '=', bind('kind'))
        .where('owner_id', '=', bind('ownerId')),
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
}

function activityQueries(builder: Kysely<Schema>) {
  return {
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
        activity_id: bind('activityId'),
        request_key: bind('requestKey'),
        type: bind('type'),
        status: bind('status'),
        version: bind('version'),
        sealed: bind('sealed'),
      }),
    ),
    replaceActivity: query<ActivityUpdate>()((bind) =>
      builder
        .updateTable('activities')
        .set({ status: bind('status'), version: bind('version'), sealed: bind('sealed') })
        .where('organization_id', '=', bind('organizationId'))
        .where('activity_id', '=', bind('activityId'))
        .where('version', '<', bind('version')),
    ),
  } as const
}

function outboxQueries(builder: Kysely<Schema>) {
  const messages = builder.updateTable('outbox')
  return {
    insertMessage: query<MessageValues>()((bind) =>
      builder.insertInto('outbox').values({
        organization_id: bind('organizationId'),
        message_id: bind('messageId'),
        channel: bind('channel'),
        expires_at_ms: bind('expiresAtMs'),
        attempts: sql.lit(0),
        due_at_ms: sql.lit(0),
        sealed: bind('sealed'),
      }),
    ),
    /** Counts an attempt, unless another service has counted one since. */
    claimMessage: query<MessageKey & { attempts: number; dueAtMs: number }>()((bind) =>
      messages
        .set({ attempts: sql`attempts + 1`, due_at_ms: bind('dueAtMs') })
        .where('organization_id', '=', bind('organizationId'))
        .where('message_id', '=', bind('messageId'))
        .where('attempts', '=', bind('attempts')),
    ),
    postponeMessage: query<MessageKey & { dueAtMs: number }>()((bind) =>
      messages
        .set({ due_at_ms: bind('dueAtMs') })
        .where('organization_id', '=', bind('organizationId'))
        .where('message_id', '=', bind('messageId')),
    ),
    deleteMessage: query<MessageKey>()((bind) =>
      builder
        .deleteFrom('outbox')
        .where('organization_id', '=', bind('organizationId'))
        .where('message_id', '=', bind('messageId')),
    ),
  } as const
}
