import type { Settings } from './settings/settings.ts'
import { databasePath, lockDataFolder } from './store/data_folder.ts'
import { openingFile, openingServer } from './store/database_faults.ts'
import type { Outlook } from './store/migrations/marks.ts'
import { scriptOf } from './store/migrations/wording.ts'
import type { DatabaseAddress } from './store/postgres/database_address.ts'
import { migrateDatabase, outlookOfDatabase, postgresWording } from './store/postgres/migration/migrate_database.ts'
import { outlookOfFile, prepareFile, sqliteWording } from './store/sqlite/prepare_file.ts'

/** Migrates the database of the settings, for `claviger migrate`. */
export type Migrator = {
  /** Tells which migrations are due. Changes nothing. */
  readonly outlook: () => Promise<Outlook>
  /** The SQL of the migrations, for a person to read. */
  readonly script: (outlook: Outlook) => string
  /** Makes the migrations, and returns what was made. */
  readonly migrate: () => Promise<Outlook>
}

type MigratorOptions = {
  /** Whether servers of earlier versions are shut out, where a migration does that. */
  readonly contracts: boolean
  /** Told why the database lets the migration wait. */
  readonly onWait: (reason: string) => void
  /** Told what a migration has found in the rows that somebody must mend. */
  readonly onWarning: (text: string) => void
}

export function createMigrator({ data, database }: Settings, options: MigratorOptions): Migrator {
  return database === undefined ? ofFile(data, options) : ofServer(database, options)
}

/** One server has an embedded database at a time. So nobody is shut out, and a running server is in the way. */
function ofFile(data: string, { onWarning }: Pick<MigratorOptions, 'onWarning'>): Migrator {
  const path = databasePath(data)
  return {
    outlook: () => openingFile(path, () => outlookOfFile(path)),
    script: ({ due }) => scriptOf(due, sqliteWording),
    async migrate() {
      const lock = await lockDataFolder(data)
      try {
        return await openingFile(path, async () => {
          const outlook = await outlookOfFile(path)
          await prepareFile(path, { onWarning })
          return outlook
        })
      } finally {
        lock.release()
      }
    },
  }
}

function ofServer(address: DatabaseAddress, { contracts, onWait, onWarning }: MigratorOptions): Migrator {
  const extent = contracts ? 'all' : 'expand'
  return {
    outlook: () => openingServer(() => outlookOfDatabase(address, { extent })),
    script: ({ due }) => scriptOf(due, postgresWording),
    migrate: () => openingServer(() => migrateDatabase(address, { extent, onWait, onWarning })),
  }
}
