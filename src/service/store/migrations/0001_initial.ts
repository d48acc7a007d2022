import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const initial: Migration = {
  number: 1,
  name: '0001_initial',
  statements: [
    // The head comes last: reading version and tag then never touches the pages on which it continues.
    sql`create table organizations (
      organization_id text not null primary key,
      parent_id text,
      version integer not null,
      tag text not null,
      head blob not null
    ) strict`,
    sql`create index organizations_parent on organizations (parent_id, organization_id)`,

    sql`create table records (
      organization_id text not null,
      kind text not null,
      record_id text not null,
      owner_id text,
      version integer not null,
      sealed blob not null,
      primary key (organization_id, kind, record_id)
    ) strict`,
    sql`create index records_owner on records (organization_id, kind, owner_id, record_id) where owner_id is not null`,

    sql`create table lookups (
      organization_id text not null,
      lookup text not null,
      key text not null,
      record_id text not null,
      kind text not null,
      parent_id text,
      primary key (organization_id, lookup, key, record_id)
    ) strict, without rowid`,
    sql`create index lookups_holders on lookups (parent_id, lookup, key, organization_id, record_id)
      where parent_id is not null`,

    sql`create table activities (
      organization_id text not null,
      sequence integer not null,
      checkpoint integer,
      activity_id text not null,
      request_key text not null,
      type text not null,
      status text not null,
      version integer not null,
      sealed blob not null,
      unique (organization_id, sequence),
      unique (organization_id, activity_id),
      unique (organization_id, request_key)
    ) strict`,
    sql`create index activities_type on activities (organization_id, type, sequence)`,
    // Nearly all activities are completed. Searches by status mostly look for the others.
    sql`create index activities_open on activities (organization_id, status, sequence)
      where status <> 'ACTIVITY_STATUS_COMPLETED'`,
    sql`create index activities_open_type on activities (organization_id, status, type, sequence)
      where status <> 'ACTIVITY_STATUS_COMPLETED'`,

    // A row is short-lived: inserted with the commit that sends the message, deleted once it is delivered or expired.
    sql`create table outbox (
      organization_id text not null,
      message_id text not null,
      channel text not null,
      expires_at_ms integer not null,
      attempts integer not null,
      due_at_ms integer not null,
      sealed blob not null,
      primary key (organization_id, message_id)
    ) strict`,
    sql`create index outbox_due on outbox (channel, due_at_ms, message_id)`,

    sql`create table vault_state (
      id integer not null primary key check (id = 1),
      state blob not null
    ) strict`,
  ],
}
