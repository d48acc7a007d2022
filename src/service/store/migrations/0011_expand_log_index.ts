import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Where the entries of an organization stand in the bundles of the transparency logs, and how far each log is indexed. */
export const logIndex: Migration = {
  number: 11,
  name: '0011_expand_log_index',
  statements: [
    sql`create table log_index (
      organization blob not null,
      log integer not null,
      number integer not null,
      places blob not null,
      primary key (organization, log, number)
    ) strict, without rowid`,
    sql`alter table transparency_logs add column indexed integer not null default 0`,
  ],
}
