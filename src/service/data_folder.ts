import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { SettingsError } from './settings/setting_values.ts'
import { lockFile } from './store/sqlite/file_lock.ts'

const serverLockFile = 'server.lock'

/** Where the embedded database of a data folder is. */
export function databasePath(data: string): string {
  return join(data, 'claviger.db')
}

/**
 * Makes the data folder if there is none, and keeps other servers away from it until `release`.
 * @throws SettingsError when a server has it.
 */
export async function lockDataFolder(data: string): Promise<{ release(): void }> {
  await mkdir(data, { recursive: true, mode: 0o700 })
  const lock = lockFile(join(data, serverLockFile))
  if (lock === undefined) throw new SettingsError(`another server is running on the data folder ${data}`)
  return lock
}
