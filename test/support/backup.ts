import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'

const files = ['claviger.db', 'claviger.db-wal', 'claviger.db-shm']

/** Copies the database of a running server, as `sqlite3 claviger.db ".backup copy.db"` does. */
export async function backUp(folder: string, copy: string): Promise<void> {
  using database = new DatabaseSync(join(folder, files[0] ?? ''), { readOnly: true })
  await backup(database, copy)
}

/** Replaces the database of a stopped server by the copy. */
export function restore(folder: string, copy: string): void {
  for (const file of files) rmSync(join(folder, file), { force: true })
  cpSync(copy, join(folder, files[0] ?? ''))
}
