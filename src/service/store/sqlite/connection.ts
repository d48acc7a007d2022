import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Parameters, Query, SqlValue } from '../query.ts'
import { refuseTriggersAndViews } from './schema_guard.ts'
import type { sqliteQueries } from './sqlite_queries.ts'

const busyMsMax = 5000
const cacheKibibytes = 16 * 1024
/**
 * A commit writes a page of each index, so small pages mean less to write. With activities of 2 KB, 4096 is faster than
 * 8192.
 */
const pageBytes = 4096
/**
 * 4 MiB of log. A checkpoint copies it and makes commits wait for that and two more syncs: 14 ms, where one of 64 MiB
 * takes 120 ms. Both write about as much, because most of a commit is new rows.
 */
const checkpointPages = 1_024
/**
 * The log is cut back to twice its used size, because appending to a file costs several times as much as overwriting.
 */
const logBytesKept = 2 * checkpointPages * pageBytes

/** The connection that writes: a commit is on disk when it returns. */
export function openWriter(path: string): DatabaseSync {
  const database = open(path, { readOnly: false })
  database.exec(`pragma page_size = ${pageBytes}`)
  const mode = database.prepare('pragma journal_mode = wal').get()?.journal_mode
  if (mode !== 'wal') throw new Error(`the file system of ${path} does not allow a write-ahead log`)
  database.exec('pragma synchronous = full')
  // Deleted rows are overwritten with zeros, so that no erased key stays in an unused page.
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
  // The schema has no foreign keys. The authorizer cannot refuse an added one: it changes rows without a trigger's
  // name.
  database.exec('pragma foreign_keys = off')
  database.exec(`pragma cache_size = -${cacheKibibytes}`)
  database.exec('pragma trusted_schema = off')
  refuseTriggersAndViews(database)
  return database
}

/** A statement that was prepared once. */
export type Statement<P extends Parameters, Row> = {
  readonly get: (values: P) => Row | undefined
  readonly all: (values: P) => readonly Row[]
  /** How many rows changed. */
  readonly run: (values: P) => number
}

export function prepare<P extends Parameters, Row>(database: DatabaseSync, query: Query<P, Row>): Statement<P, Row> {
  const statement: StatementSync = database.prepare(query.sqlite)
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

/** Gives a row of SQLite the prototype that it lacks, so that it strictly equals the same row made elsewhere. */
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

/** The statements of `sqlite_queries.ts`, prepared on one connection. */
export type Statements = Prepared<typeof sqliteQueries>
