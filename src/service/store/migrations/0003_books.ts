import type { Migration } from './migration.ts'

/**
 * The tables stay as they are. But heads name the heads below them from here on, and the vault's marks have become its
 * journal: a former version of the program, which knows neither, must not open this database.
 */
export const books: Migration = { number: 3, name: '0003_books', statements: () => [] }
