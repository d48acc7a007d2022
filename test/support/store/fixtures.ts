/** A real database file in a temporary folder, which is removed after the test. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { createSchemaGuard, readSchema, type SchemaGuard } from '../../../src/service/store/sqlite/schema_guard.ts'
import { openSqliteStore } from '../../../src/service/store/sqlite/sqlite_store.ts'
import type { Store } from '../../../src/service/store/store.ts'

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

/** Makes a guard that holds a connection to the schema that it finds now. */
export function guardSchemaAsItIs(database: DatabaseSync): SchemaGuard {
  return createSchemaGuard(database, { path: 'the database of a test', expected: readSchema(database) })
}
