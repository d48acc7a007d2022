import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'
import { initial } from './0001_initial.ts'
import { erasures } from './0002_erasures.ts'
import type { Migration, MigrationDialect } from './migration.ts'

/** In order, numbered from 1 without gaps. */
export const migrations: readonly Migration[] = [initial, erasures]

/**
 * Brings the schema up to this program's. The caller opens the transaction around it, so that it happens as a whole.
 * @throws Error when the database was already brought further by a newer program.
 */
export async function migrate(database: Kysely<Schema>, dialect: MigrationDialect): Promise<void> {
  await database.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .execute()

  const last = await database.selectFrom('migrations').select('number').orderBy('number', 'desc').executeTakeFirst()
  const current = last?.number ?? 0
  if (current > migrations.length) {
    throw new Error(
      `the database has schema ${current}, this program knows schemas up to ${migrations.length}: ` +
        'start the newer program that made it, or restore a backup from before the upgrade',
    )
  }

  for (const migration of migrations.slice(current)) {
    for (const statement of migration.statements(dialect)) await statement.execute(database)
    const { number, name } = migration
    await database.insertInto('migrations').values({ number, name }).execute()
  }
}
