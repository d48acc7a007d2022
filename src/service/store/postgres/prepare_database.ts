import { lackOf } from '../migrations/marks.ts'
import type { Migration } from '../migrations/migration.ts'
import { SchemaError } from '../schema_error.ts'
import type { DatabaseAddress } from './database_address.ts'
import { migrateDatabase } from './migrate_database.ts'

/**
 * Makes the tables if there are none. An older schema is brought up to date if the caller `migrates`.
 * @throws SchemaError when the schema is too old or too new, or when something was added that changes what statements
 *   do.
 */
export async function prepareDatabase(
  address: DatabaseAddress,
  { migrates, steps }: { readonly migrates: boolean; readonly steps: readonly Migration[] },
): Promise<void> {
  const { current, left } = await migrateDatabase(address, { extent: migrates ? 'all' : 'first', steps })
  const lack = lackOf({ current, due: [], left })
  if (lack !== undefined) throw new SchemaError(lack)
}
