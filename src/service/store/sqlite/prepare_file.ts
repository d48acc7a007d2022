import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { Kysely, SqliteDialect } from 'kysely'
import { migrate, migrations, schemaNumber } from '../migrations/migrate.ts'
import type { Migration } from '../migrations/migration.ts'
import type { SqlValue } from '../query.ts'
import type { Schema } from '../schema.ts'
import { SchemaError } from '../schema_error.ts'
import { openWriter } from './connection.ts'
import { differenceOf, forgetSchema, readSchema, type SchemaEntry } from './schema_guard.ts'

/**
 * Makes the file if there is none, for this user only, brings its schema up to date and returns the schema.
 * @throws SchemaError when the schema is not the one that its migrations make, or a newer program made it; the file is
 *   left as it is.
 * @throws Error when it cannot be opened.
 */
export async function prepareFile(
  path: string,
  steps: readonly Migration[] = migrations,
): Promise<readonly SchemaEntry[]> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // SQLite would make it readable for everyone; its log and index files take the mode of this one.
  closeSync(openSync(path, 'a', 0o600))

  const database = openWriter(path)
  try {
    database.exec('begin immediate')
    await refuseOtherSchemas(database, { path, steps })
    await migrate(kyselyOf(database), steps)
    await releaseMessages(database)
    const schema = readSchema(database)
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
 * Compares the schema word for word. An added trigger, view, constraint or clause such as `on conflict replace` would
 * change what statements do, and no list of such additions is complete.
 */
async function refuseOtherSchemas(
  database: DatabaseSync,
  { path, steps }: { readonly path: string; readonly steps: readonly Migration[] },
): Promise<void> {
  forgetSchema(database)
  const found = readSchema(database)
  if (found.length === 0) return

  const [ofMigrations] = await schemaMadeBy([])
  // Only the table that we make is asked for the number, and nothing else by its name.
  const isNumbered = found.some((entry) => isDeepStrictEqual(entry, ofMigrations))
  const current = isNumbered ? await schemaNumber(kyselyOf(database)) : steps.length
  if (current > steps.length) {
    throw new SchemaError(
      `${path} cannot be opened: the database has schema ${current}, and this program knows schemas up to ${steps.length}: start the newer program that made it, or put a backup back from before the upgrade`,
    )
  }

  const difference = differenceOf(path, found, await schemaMadeBy(steps.slice(0, current)))
  if (difference !== undefined) throw difference
}

async function schemaMadeBy(steps: readonly Migration[]): Promise<readonly SchemaEntry[]> {
  using database = new DatabaseSync(':memory:')
  await migrate(kyselyOf(database), steps)
  return readSchema(database)
}

/** Makes every message due now: an embedded database has one service, so no other one is delivering a message. */
async function releaseMessages(database: DatabaseSync): Promise<void> {
  await kyselyOf(database).updateTable('outbox').set({ due_at_ms: 0 }).where('due_at_ms', '>', 0).execute()
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
