import { chmodSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/**
 * Locks the file at `path` for this process until `release`, and makes the file if there is none. Undefined when this
 * process or another one holds the lock. The system releases the lock when the process ends, so nobody has to remove a
 * stale one by hand. Keep the returned object: garbage collection releases a lock that nothing refers to.
 */
export function lockFile(path: string): { release(): void } | undefined {
  // Node has no file locks, but SQLite has, on every system. Nothing is ever written to this database. Nothing else may
  // open the file: closing it again would release this process's lock (POSIX).
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('begin exclusive')
    chmodSync(path, 0o600)
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw new Error(`cannot lock ${path}`, { cause: error })
  }
}

const sqliteBusy = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}
