import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Events that wait for their delivery to an endpoint, and those whose delivery was given up. */
export const webhookMessages: Migration = {
  number: 5,
  name: '0005_expand_webhook_messages',
  statements: [
    sql`create table webhook_messages (
      organization_id text not null,
      message_id text not null,
      endpoint_id text not null,
      activity_id text not null,
      activity_version integer not null,
      expires_at_ms integer not null,
      attempts integer not null,
      due_at_ms integer not null,
      ended_at_ms integer,
      reason text,
      sealed blob not null,
      primary key (organization_id, message_id)
    ) strict`,
    // A row is in the first three indexes while it waits, and in the last two once its delivery was given up.
    sql`create index webhook_messages_due on webhook_messages (organization_id, due_at_ms, message_id)
      where ended_at_ms is null`,
    sql`create index webhook_messages_order
      on webhook_messages (organization_id, endpoint_id, activity_id, activity_version)
      where ended_at_ms is null`,
    sql`create index webhook_messages_waiting on webhook_messages (organization_id, endpoint_id, message_id)
      where ended_at_ms is null`,
    sql`create index webhook_messages_given_up on webhook_messages (organization_id, endpoint_id, message_id)
      where ended_at_ms is not null`,
    sql`create index webhook_messages_ended on webhook_messages (ended_at_ms) where ended_at_ms is not null`,
  ],
}
