/** A real database file in a temporary folder, which is removed after the test. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { readDatabaseUrl } from '../../../src/service/store/postgres/database_address.ts'
import { openPostgresStore } from '../../../src/service/store/postgres/postgres_store.ts'
import { createSchemaGuard, readSchema, type SchemaGuard } from '../../../src/service/store/sqlite/schema_guard.ts'
import { openSqliteStore } from '../../../src/service/store/sqlite/sqlite_store.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { runOnPostgres, temporaryDatabase } from '../postgres/postgres.ts'

/** The path of a database that does not exist yet, in a folder that is removed after the test. */
export function temporaryPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'data', 'claviger.db')
}

export async function temporaryStore(path: string = temporaryPath()): Promise<Store> {
  const store = await openSqliteStore({ path })
  onTestFinished(() => store.close())
  return store
}

export type TestDatabase = {
  /** Opens it as another node does. The store is closed after the test. */
  readonly open: () => Promise<Store>
  /** Executes a statement without values, past every store. */
  readonly query: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** Each makes an empty database, for the tests that hold on both kinds. */
export const databases = [
  { name: 'SQLite', make: temporarySqlite },
  { name: 'PostgreSQL', make: temporaryPostgres },
] as const satisfies readonly { name: string; make: () => Promise<TestDatabase> }[]

async function temporarySqlite(): Promise<TestDatabase> {
  const path = temporaryPath()
  return {
    open: () => temporaryStore(path),
    async query(text) {
      using database = new DatabaseSync(path)
      return database.prepare(text).all()
    },
  }
}

export async function temporaryPostgres(): Promise<TestDatabase & { readonly url: string }> {
  const url = await temporaryDatabase()
  return {
    url,
    async open() {
      const store = await openPostgresStore(readDatabaseUrl(url))
      onTestFinished(() => store.close())
      return store
    },
    query: async (text) => (await runOnPostgres(url, text)).rows,
  }
}

/** Makes a guard that holds a connection to the schema that it finds now. */
export function guardSchemaAsItIs(database: DatabaseSync): SchemaGuard {
  return createSchemaGuard(database, { path: 'the database of a test', expected: readSchema(database) })
}
