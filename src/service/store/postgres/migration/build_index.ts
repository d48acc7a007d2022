import type { MigrationIndex } from '../../migrations/migration.ts'
import { indexText } from '../../migrations/wording.ts'
import type { Connection } from '../connection.ts'

/**
 * Builds an index while the table is read and written, outside of a transaction. A build that was interrupted leaves an
 * index that is not valid, which is dropped here first. A second program waits until the first one is done.
 * @throws Error when the server ends the build; running it again goes on.
 */
export async function buildIndex(
  connection: Connection,
  { table, index, lockMs }: { readonly table: string; readonly index: MigrationIndex; readonly lockMs: number },
): Promise<void> {
  if ((await validityOf(connection, index)) === false) await dropInvalid(connection, { table, index, lockMs })
  // The build waits for older transactions, however long they last, and nobody waits behind it.
  await connection.execute('set lock_timeout = 0')
  await connection.execute(indexText({ table, index }, { concurrently: true }))
}

/** Undefined when there is no such index. */
export async function validityOf({ client }: Connection, { name }: MigrationIndex): Promise<boolean | undefined> {
  const { rows } = await client.query<{ valid: boolean }>(
    `select indisvalid as valid from pg_index join pg_class on pg_class.oid = indexrelid
      where relname = $1 and relnamespace = (select oid from pg_namespace where nspname = current_schema())`,
    [name],
  )
  return rows[0]?.valid
}

async function dropInvalid(
  connection: Connection,
  { table, index, lockMs }: { readonly table: string; readonly index: MigrationIndex; readonly lockMs: number },
): Promise<void> {
  try {
    await connection.begin()
    await connection.execute(`set local lock_timeout = ${lockMs}`)
    // A build that still goes on holds this lock. After it the index is valid.
    await connection.execute(`lock table ${table} in share update exclusive mode`)
    if ((await validityOf(connection, index)) === false) await connection.execute(`drop index ${index.name}`)
    await connection.execute('commit')
  } catch (error) {
    await connection.execute('rollback').catch(() => {})
    throw error
  }
}
