import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { migrate } from '../migrations/migrate.ts'
import type { MigrationDialect } from '../migrations/migration.ts'
import type { SqlValue } from '../query.ts'
import type { Schema } from '../schema.ts'
import { openWriter } from './connection.ts'

/**
 * Makes the file if there is none, for this user only, and brings its schema up to date.
 * @throws Error when a newer program made the database, or it cannot be opened.
 */
export async function prepareFile(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // SQLite would make it readable for everyone; its log and index files take the mode of this one.
  closeSync(openSync(path, 'a', 0o600))

  const database = openWriter(path)
  try {
    database.exec('begin immediate')
    await migrate(kyselyOf(database), sqliteDialect)
    await releaseMessages(database)
    database.exec('commit')
  } catch (cause) {
    throw new Error(`cannot open ${path}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  } finally {
    database.close()
  }
}

/** One service has an embedded database: what an earlier one had in hand, or was to try later, is due now. */
async function releaseMessages(database: DatabaseSync): Promise<void> {
  await kyselyOf(database).updateTable('outbox').set({ due_at_ms: 0 }).where('due_at_ms', '>', 0).execute()
}

/** The query builder with a connection, for what runs seldom. Each call compiles and prepares anew. */
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

const sqliteDialect: MigrationDialect = {
  bytes: sql`blob`,
  milliseconds: sql`integer`,
  strict: sql`strict`,
  strictClustered: sql`strict, without rowid`,
}

function sqlValue(value: unknown): SqlValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array) {
    return value
  }
  throw new TypeError(`a ${typeof value} is not a value of a column`)
}
