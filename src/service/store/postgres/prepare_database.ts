import { migrations } from '../migrations/migrate.ts'
import type { Migration } from '../migrations/migration.ts'
import { builder } from '../query.ts'
import { SchemaError } from '../schema_error.ts'
import { type Connection, connect, stateOf } from './connection.ts'
import type { DatabaseAddress } from './database_address.ts'

/** Several nodes may start on an empty database at once. All but one find that the others were faster. */
const attemptsMax = 5
const tablesExist: readonly string[] = ['23505', '42P07', '40001', '40P01']

/**
 * Makes the tables if there are none, and brings their schema up to date.
 * @throws SchemaError when a newer program made them, or when something was added that changes what statements do.
 */
export async function prepareDatabase(
  address: DatabaseAddress,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  const connection = await connect(address)
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        await migrate(connection, steps)
        return
      } catch (error) {
        if (attempt === attemptsMax || !tablesExist.includes(stateOf(error) ?? '')) throw error
      }
    }
  } finally {
    await connection.close()
  }
}

async function migrate(connection: Connection, steps: readonly Migration[]): Promise<void> {
  try {
    await connection.execute('begin isolation level read committed read write')
    await connection.execute(
      'create table if not exists migrations (number bigint not null primary key, name text collate "C" not null)',
    )
    await refuseAdditions(connection)
    // The first row stands for the lock of all.
    await connection.execute('select number from migrations where number = 1 for update')
    const { rows } = await connection.client.query('select number from migrations order by number desc limit 1')
    const current = rows[0]?.number ?? 0
    if (current > steps.length) {
      throw new SchemaError(
        `the database has schema ${current}, and this program knows schemas up to ${steps.length}: start the newer program that made it, or put a backup back from before the upgrade`,
      )
    }
    for (const { number, name, statements } of steps.slice(current)) {
      for (const statement of statements) await connection.execute(ofPostgres(statement.compile(builder).sql))
      await connection.client.query('insert into migrations (number, name) values ($1, $2)', [number, name])
    }
    await connection.execute('commit')
  } catch (error) {
    if (connection.isUsable()) await connection.execute('rollback')
    throw error
  }
}

/** Triggers, rules and row security would change what statements do, or who sees which rows. */
async function refuseAdditions({ client }: Connection): Promise<void> {
  const { rows } = await client.query<{ addition: string }>(`
    with ours as (select oid, relname from pg_class where relnamespace = to_regnamespace(current_schema())
      and relname in ('migrations', 'organizations', 'records', 'lookups', 'activities', 'outbox', 'erasures', 'vault_state'))
    select 'trigger ' || tgname || ' on ' || relname as addition from pg_trigger join ours on ours.oid = tgrelid
      where not tgisinternal
    union all select 'rule ' || rulename || ' on ' || relname from pg_rewrite join ours on ours.oid = ev_class
    union all select 'row security on ' || relname from pg_class where oid in (select oid from ours) and relrowsecurity
    union all select 'foreign key ' || conname || ' on ' || relname from pg_constraint
      join ours on ours.oid = conrelid where contype = 'f'
    order by addition`)
  const [first] = rows
  if (first === undefined) return
  throw new SchemaError(
    `the database has what this program did not make: ${rows.map(({ addition }) => addition).join(', ')}. Remove it, then start again`,
  )
}

/**
 * A migration is written once, in SQLite's words. PostgreSQL has other names for two types and none for two options,
 * and its texts must sort by their bytes, as those of SQLite and of this program do.
 */
function ofPostgres(text: string): string {
  return text
    .replaceAll(/\) strict(?:, without rowid)?$/g, ')')
    .replaceAll(/(?<=^\s*\w+) integer\b/gm, ' bigint')
    .replaceAll(/(?<=^\s*\w+) blob\b/gm, ' bytea')
    .replaceAll(/(?<=^\s*\w+) text\b/gm, ' text collate "C"')
}
