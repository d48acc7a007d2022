import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const erasures: Migration = {
  number: 2,
  name: '0002_erasures',
  statements: [
    // Erasures that commits have left to do; an empty owner stands for every record of the kind.
    sql`create table erasures (
      organization_id text not null,
      kind text not null,
      owner_id text not null,
      primary key (organization_id, kind, owner_id)
    ) strict, without rowid`,
    // Only the vault can read a lookup's key in the sealed record, so lookups to be erased are found by the record's
    // id.
    sql`create index lookups_record on lookups (record_id)`,
  ],
}
