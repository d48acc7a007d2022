import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Notices that wait for their delivery to a user, and until when no node sends a user another mail. */
export const notices: Migration = {
  number: 6,
  name: '0006_expand_notices',
  statements: [
    sql`create table notices (
      organization_id text not null,
      message_id text not null,
      user_id text not null,
      activity_id text not null,
      expires_at_ms integer not null,
      due_at_ms integer not null,
      sealed blob not null,
      primary key (organization_id, message_id)
    ) strict`,
    sql`create index notices_due on notices (due_at_ms, organization_id, user_id)`,
    sql`create index notices_of_user on notices (organization_id, user_id, message_id)`,
    sql`create table notice_turns (
      organization_id text not null,
      user_id text not null,
      until_ms integer not null,
      primary key (organization_id, user_id)
    ) strict`,
    sql`create index notice_turns_until on notice_turns (until_ms)`,
  ],
}
