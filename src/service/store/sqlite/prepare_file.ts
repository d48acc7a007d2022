import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { Kysely, SqliteDialect } from 'kysely'
import type { Outlook } from '../migrations/marks.ts'
import type { Migration } from '../migrations/migration.ts'
import { migrations } from '../migrations/migrations.ts'
import { type Run, respell } from '../migrations/respell.ts'
import { statementsOf, type Wording } from '../migrations/wording.ts'
import { builder, type SqlValue } from '../query.ts'
import type { Schema } from '../schema.ts'
import { SchemaError } from '../schema_error.ts'
import { openReader, openWriter } from './connection.ts'
import { differenceOf, forgetSchema, readSchema, type SchemaEntry } from './schema_guard.ts'

/** The schema guard compares the text of this table too, so it never changes. */
export const sqliteWording: Wording = {
  table: builder.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .compile().sql,
  of: (text) => text,
  buildsApart: false,
}

type Preparing = {
  readonly steps?: readonly Migration[]
  /** Told what a migration has found in the rows that somebody must mend. */
  readonly onWarning?: (text: string) => void
}

/**
 * Makes the file if there is none, for this user only, brings its schema up to date and returns the schema.
 * @throws SchemaError when the schema is not the one that its migrations make, or a newer program made it; the file is
 *   left as it is.
 * @throws Error when it cannot be opened.
 */
export async function prepareFile(
  path: string,
  { steps = migrations, onWarning = () => {} }: Preparing = {},
): Promise<readonly SchemaEntry[]> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // SQLite would make it readable for everyone; its log and index files take the mode of this one.
  closeSync(openSync(path, 'a', 0o600))

  const database = openWriter(path)
  try {
    database.exec('begin immediate')
    const current = await currentSchema(database, { path, steps })
    migrate(database, steps.slice(current))
    // All portions are in the transaction of the migrations.
    const inPortion = respellingIn(database)
    for (const { respells } of steps.slice(current)) {
      if (respells !== undefined) await respell(respells, { inPortion, onWarning })
    }
    const schema = readSchema(database)
    await releaseMessages(database, schema)
    database.exec('commit')
    return schema
  } catch (cause) {
    if (cause instanceof SchemaError) throw cause
    throw new Error(`cannot open ${path}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  } finally {
    database.close()
  }
}

/**
 * Tells what `prepareFile` would do. Changes nothing, and makes no file that does not exist.
 * @throws SchemaError as `prepareFile`.
 */
export async function outlookOfFile(path: string, steps: readonly Migration[] = migrations): Promise<Outlook> {
  if (!existsSync(path)) return { current: 0, due: steps, left: [] }
  using database = openReader(path)
  const current = await currentSchema(database, { path, steps })
  return { current, due: steps.slice(current), left: [] }
}

/**
 * The number of the last migration that was made; 0 before the first. Compares the schema word for word with that of
 * the migrations. An added trigger, view, constraint or clause such as `on conflict replace` would change what
 * statements do, and no list of such additions is complete. So a newer schema is refused whatever the marks of its
 * migrations say: this program cannot tell what they made from what somebody added.
 */
async function currentSchema(
  database: DatabaseSync,
  { path, steps }: { readonly path: string; readonly steps: readonly Migration[] },
): Promise<number> {
  forgetSchema(database)
  const found = readSchema(database)
  if (found.length === 0) return 0

  const [ofMigrations] = schemaMadeBy([])
  // Only the table that we make is asked for the number, and nothing else by its name.
  const isNumbered = found.some((entry) => isDeepStrictEqual(entry, ofMigrations))
  const current = isNumbered ? await schemaNumber(database) : steps.length
  if (current > steps.length) {
    throw new SchemaError(
      `${path} cannot be opened: the database has schema ${current}, and this program knows schemas up to ${steps.length}: start the newer program that made it, or put a backup back from before the upgrade`,
    )
  }

  const difference = differenceOf(path, found, schemaMadeBy(steps.slice(0, current)))
  if (difference !== undefined) throw difference
  return current
}

async function schemaNumber(database: DatabaseSync): Promise<number> {
  const numbers = kyselyOf(database).selectFrom('migrations').select('number').orderBy('number', 'desc')
  return (await numbers.executeTakeFirst())?.number ?? 0
}

function schemaMadeBy(steps: readonly Migration[]): readonly SchemaEntry[] {
  using database = new DatabaseSync(':memory:')
  migrate(database, steps)
  return readSchema(database)
}

function migrate(database: DatabaseSync, steps: readonly Migration[]): void {
  database.exec(sqliteWording.table)
  for (const statement of steps.flatMap((step) => statementsOf(step, sqliteWording))) database.exec(statement)
}

function respellingIn(database: DatabaseSync) {
  const kysely = kyselyOf(database)
  const run: Run = async (query) => (await kysely.executeQuery(query)).rows
  return <T>(make: (run: Run) => Promise<T>) => make(run)
}

/** Makes every message due now: an embedded database has one service, so no other one is delivering a message. */
async function releaseMessages(database: DatabaseSync, schema: readonly SchemaEntry[]): Promise<void> {
  for (const table of ['outbox', 'webhook_messages'] as const) {
    if (!schema.some(({ name }) => name === table)) continue
    await kyselyOf(database).updateTable(table).set({ due_at_ms: 0 }).where('due_at_ms', '>', 0).execute()
  }
}

/** The query builder with a connection, for statements that run seldom. Each call compiles and prepares anew. */
export function kyselyOf(database: DatabaseSync): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: {
        close: () => database.close(),
        prepare(text) {
          const statement = database.prepare(text)
          return {
            reader: statement.columns().length > 0,
            all: (parameters) => statement.all(...parameters.map(sqlValue)),
            run: (parameters) => statement.run(...parameters.map(sqlValue)),
            iterate: (parameters) => statement.iterate(...parameters.map(sqlValue)),
          }
        },
      },
    }),
  })
}

function sqlValue(value: unknown): SqlValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array) {
    return value
  }
  throw new TypeError(`a ${typeof value} is not a value of a column`)
}
