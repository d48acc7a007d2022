import assert from 'node:assert/strict'
import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'
import { initial } from './0001_initial.ts'
import { erasures } from './0002_erasures.ts'
import { books } from './0003_books.ts'
import { verifiedContacts } from './0004_verified_contacts.ts'
import type { Migration } from './migration.ts'

/** In order, numbered from 1 without gaps. */
export const migrations: readonly Migration[] = [initial, erasures, books, verifiedContacts]

/** Brings the schema up to the last of `steps`, inside the caller's transaction. The caller refuses a newer schema. */
export async function migrate(database: Kysely<Schema>, steps: readonly Migration[]): Promise<void> {
  await database.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .execute()

  const current = await schemaNumber(database)
  assert(current <= steps.length, 'the schema of a newer program was refused before')

  for (const migration of steps.slice(current)) {
    for (const statement of migration.statements) await statement.execute(database)
    const { number, name } = migration
    await database.insertInto('migrations').values({ number, name }).execute()
  }
}

/** The number of the last migration that was made; 0 before the first. The table of migrations must exist. */
export async function schemaNumber(database: Kysely<Schema>): Promise<number> {
  const last = await database.selectFrom('migrations').select('number').orderBy('number', 'desc').executeTakeFirst()
  return last?.number ?? 0
}
