import type { Migration } from './migration.ts'

/**
 * Changes no table. Heads have a lineage from here on, and a journal has replaced the vault's marks. Older versions of
 * the program know neither and must not open this database.
 */
export const books: Migration = { number: 3, name: '0003_books', statements: [] }
