import { existsSync } from 'node:fs'
import { SettingsError } from './process/settings_error.ts'
import type { Settings } from './settings/settings.ts'
import { databasePath, lockDataFolder } from './store/data_folder.ts'
import { openingFile, openingServer } from './store/database_faults.ts'
import { type CopiedTable, copyFile } from './store/postgres/copy_file.ts'
import { migrateDatabase } from './store/postgres/migration/migrate_database.ts'
import { prepareFile } from './store/sqlite/prepare_file.ts'

/**
 * Copies the embedded database of the data folder into the PostgreSQL database of the settings, whose tables it makes.
 * The embedded one stays as it is, apart from migrations that it lacks.
 * `onWarning` is told what these have found in the rows that somebody must mend.
 * @throws SettingsError when either is missing, or a server has the data folder.
 * @throws SchemaError when the database has rows, or a schema is not that of this program.
 */
export async function copyDatabase(
  { data, database }: Settings,
  { onWarning }: { readonly onWarning: (text: string) => void },
): Promise<readonly CopiedTable[]> {
  if (database === undefined) {
    throw new SettingsError('name the PostgreSQL database to copy to: --database-url-file, or CLAVIGER_DATABASE_URL')
  }
  const path = databasePath(data)
  if (!existsSync(path)) throw new SettingsError(`there is no embedded database: ${path} does not exist`)
  const lock = await lockDataFolder(data)
  try {
    await openingFile(path, () => prepareFile(path, { onWarning }))
    await openingServer(() => migrateDatabase(database, { extent: 'all' }))
    return await copyFile(path, database)
  } finally {
    lock.release()
  }
}
