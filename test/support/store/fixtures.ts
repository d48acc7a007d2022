/** A real database file in a temporary folder, which is removed after the test. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
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
