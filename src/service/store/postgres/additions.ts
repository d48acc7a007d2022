import { SchemaError } from '../schema_error.ts'
import type { Connection } from './connection.ts'
import { statement } from './statement.ts'

const tables = [
  ...['migrations', 'organizations', 'records', 'lookups', 'activities', 'outbox'],
  ...['webhook_messages', 'notices', 'notice_turns', 'erasures', 'vault_state'],
  ...['transparency_logs', 'log_bundles', 'log_index'],
]

/** The same, for the text of a statement. */
export const tablesText = `(${tables.map((name) => `'${name}'`).join(', ')})`

const additionsMax = 20

/** Triggers, rules, row security and foreign keys would change what statements do, or who sees which rows. */
const additions = statement<{ tables: readonly string[]; limit: number }, { addition: string }>()`
  with ours as (select oid, relname, relrowsecurity from pg_class where relnamespace =
      (select oid from pg_namespace where nspname = current_schema())
    and relname = any(${'tables'}::text[]))
  select 'trigger ' || tgname || ' on ' || relname as addition from pg_trigger join ours on ours.oid = tgrelid
    where not tgisinternal
  union all select 'rule ' || rulename || ' on ' || relname from pg_rewrite join ours on ours.oid = ev_class
  union all select 'row security on ' || relname from ours where relrowsecurity
  union all select 'foreign key ' || conname || ' on ' || relname from pg_constraint
    join ours on ours.oid = conrelid where contype = 'f'
  order by addition limit ${'limit'}`

/**
 * Refuses a database with additions to the tables. Behind the writes of a transaction it sees whatever ran in them or
 * will run at its commit: a table that is being written to gets no trigger and no rule before the transaction ends.
 * Throws `SchemaError`.
 */
export async function refuseAdditions(connection: Pick<Connection, 'run'>): Promise<void> {
  const { rows } = await connection.run(additions, { tables, limit: additionsMax })
  if (rows.length === 0) return
  const named = rows.map(({ addition }) => addition).join(', ')
  throw new SchemaError(`the database has what this program did not make: ${named}. Remove it, then start again`)
}
