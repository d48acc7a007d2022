import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { copyDatabaseIn, isOnPostgres, sqliteFile } from './server_database.ts'

/** Copies the database of a running server into a folder, as `sqlite3 claviger.db ".backup copy.db"` and `pg_dump` do. */
export async function backUp(folder: string, copy: string): Promise<void> {
  mkdirSync(copy)
  if (isOnPostgres) return copyDatabaseIn(folder, copy, { lasts: true })
  using database = new DatabaseSync(join(folder, sqliteFile), { readOnly: true })
  await backup(database, join(copy, sqliteFile))
}

/** Replaces the database of a stopped server by the copy. */
export function restore(folder: string, copy: string): void {
  copyDatabaseIn(copy, folder, { lasts: true })
}
