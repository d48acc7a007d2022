import { lackOf } from '../migrations/marks.ts'
import type { Migration } from '../migrations/migration.ts'
import { SchemaError } from '../schema_error.ts'
import { tablesText } from './additions.ts'
import type { Connection } from './connection.ts'
import type { DatabaseAddress } from './database_address.ts'
import { migrateDatabase, readOutlook } from './migration/migrate_database.ts'

type Migrating = {
  readonly migrates: boolean
  readonly steps: readonly Migration[]
  readonly onWarning: (text: string) => void
}

/**
 * Makes the tables if there are none. An older schema is brought up to date if the caller `migrates`. In the ordinary
 * case nothing is due, and the connection of the caller is enough.
 * @throws SchemaError when the schema is too old or too new, when something was added that changes what statements do,
 *   or when the role may not write.
 */
export async function prepareDatabase(
  { address, connection }: { readonly address: DatabaseAddress; readonly connection: Connection },
  { migrates, steps, onWarning }: Migrating,
): Promise<void> {
  const extent = migrates ? 'all' : 'first'
  // An obstacle to the reading, such as a lock, is waited for or reported below.
  const seen = await readOutlook(connection, { extent, steps }).catch(() => undefined)
  const isDone = seen?.due.length === 0
  const { current, left } = isDone ? seen : await migrateDatabase(address, { extent, steps, onWarning })
  const lack = lackOf({ current, due: [], left })
  if (lack !== undefined) throw new SchemaError(lack)
  await refuseReadingRole(connection)
}

/** A role that may only read would be noticed at the first commit. */
async function refuseReadingRole({ client }: Connection): Promise<void> {
  const { rows } = await client.query<{ relname: string; role: string }>(`
    select relname, current_user as role from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and relname in ${tablesText} and relname <> 'migrations' and not has_table_privilege(oid, 'insert')
      order by relname`)
  const [first] = rows
  if (first === undefined) return
  const names = rows.map(({ relname }) => relname).join(', ')
  throw new SchemaError(`the role ${first.role} may not write to ${names}: make it the owner of the tables`)
}
