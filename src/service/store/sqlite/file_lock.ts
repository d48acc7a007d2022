import { chmodSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/**
 * Holds the file at `path`, made if there is none, for this process alone until `release`. Undefined when another one
 * holds it, or this one does already. The system lets go of it when the process ends, however it ends: unlike a file
 * with a process id it never has to be removed by hand. Keep what is returned: a lock that nobody refers to is collected,
 * and let go of with that.
 */
export function lockFile(path: string): { release(): void } | undefined {
  // Node has no file locks; SQLite has, on every system. Nothing is ever written to this database. Nor is the file opened
  // in any other way: closing it again would let go of this process's lock (POSIX).
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
