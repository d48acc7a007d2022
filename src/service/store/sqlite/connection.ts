import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { migrate } from '../migrations/migrate.ts'
import type { MigrationDialect } from '../migrations/migration.ts'
import type { Parameters, Query, SqlValue } from '../query.ts'
import type { Schema } from '../schema.ts'

const busyMsMax = 5000
const cacheKibibytes = 16 * 1024
/**
 * A commit touches a page of each index, one of them at random: small pages keep what has to be written small. With
 * activities of 2 KB, 4096 was faster than 8192.
 */
const pageBytes = 4096
/** 64 MiB of log. Folding it into the database makes commits wait for two more syncs, so it should be seldom. */
const checkpointPages = 16_384
/** The log is cut back to this. Appending to a file costs several times what overwriting does: twice what is in use. */
const logBytesKept = 2 * checkpointPages * pageBytes

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

/** The connection that writes: a commit is on disk when it returns. */
export function openWriter(path: string): DatabaseSync {
  const database = open(path, { readOnly: false })
  database.exec(`pragma page_size = ${pageBytes}`)
  const mode = database.prepare('pragma journal_mode = wal').get()?.journal_mode
  if (mode !== 'wal') throw new Error(`the file system of ${path} does not allow a write-ahead log`)
  database.exec('pragma synchronous = full')
  // What is deleted is overwritten with zeros: an erased key does not stay behind in a page that nothing uses.
  database.exec('pragma secure_delete = on')
  // On macOS a plain sync leaves the data in the drive's cache. Elsewhere these two change nothing.
  database.exec('pragma fullfsync = on')
  database.exec('pragma checkpoint_fullfsync = on')
  database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`)
  database.exec(`pragma journal_size_limit = ${logBytesKept}`)
  return database
}

/** A connection that cannot write and sees only what is committed. The database must exist. */
export function openReader(path: string): DatabaseSync {
  return open(path, { readOnly: true })
}

function open(path: string, { readOnly }: { readonly readOnly: boolean }): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly, timeout: busyMsMax })
  database.exec('pragma foreign_keys = on')
  database.exec(`pragma cache_size = -${cacheKibibytes}`)
  database.exec('pragma trusted_schema = off')
  return database
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

/** A statement that was prepared once. */
export type Statement<P extends Parameters, Row> = {
  readonly get: (values: P) => Row | undefined
  readonly all: (values: P) => readonly Row[]
  /** How many rows changed. */
  readonly run: (values: P) => number
}

export function prepare<P extends Parameters, Row>(database: DatabaseSync, query: Query<P, Row>): Statement<P, Row> {
  const statement: StatementSync = database.prepare(query.sql)
  const { places } = query
  const inOrder = (values: P): SqlValue[] => places.map((name) => values[name] ?? null)
  return {
    get(values) {
      const row = statement.get(...inOrder(values))
      return row && (ordinary(row) as Row)
    },
    all: (values) => statement.all(...inOrder(values)).map(ordinary) as Row[],
    run: (values) => Number(statement.run(...inOrder(values)).changes),
  }
}

/** SQLite's rows have no prototype, by which a strict comparison tells them from the same row made elsewhere. */
function ordinary(row: Record<string, unknown>): Record<string, unknown> {
  return { ...row }
}

export type Prepared<Queries> = {
  readonly [Name in keyof Queries]: Queries[Name] extends Query<infer P, infer Row> ? Statement<P, Row> : never
}

/** Prepares a table of queries under the same names. */
export function prepareAll<Queries extends Record<string, Query<never, unknown>>>(
  database: DatabaseSync,
  queries: Queries,
): Prepared<Queries> {
  const prepared = Object.entries(queries).map(([name, query]) => [name, prepare(database, query)])
  return Object.fromEntries(prepared)
}
