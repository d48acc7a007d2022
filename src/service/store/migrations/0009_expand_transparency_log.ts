import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** The transparency logs of the deployment's nodes: their newest checkpoints, and the bundles of their entries. */
export const transparencyLog: Migration = {
  number: 9,
  name: '0009_expand_transparency_log',
  statements: [
    sql`create table transparency_logs (
      log_id text not null primary key,
      origin text not null,
      keys blob not null,
      size integer not null,
      checkpoint blob not null,
      last blob not null
    ) strict`,
    sql`create table log_bundles (
      log_id text not null,
      number integer not null,
      root blob not null,
      entries blob not null,
      primary key (log_id, number)
    ) strict`,
  ],
}
