import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const erasures: Migration = {
  number: 2,
  name: '0002_erasures',
  statements: ({ strictClustered }) => [
    // What commits have left to erase; an empty owner stands for every record of the kind.
    sql`create table erasures (
      organization_id text not null,
      kind text not null,
      owner_id text not null,
      primary key (organization_id, kind, owner_id)
    ) ${strictClustered}`,
    // The key of a lookup stands in the sealed record, which only the vault can read: erased ones are found by the id.
    sql`create index lookups_record on lookups (record_id)`,
  ],
}
