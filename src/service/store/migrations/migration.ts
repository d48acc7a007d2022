import type { RawBuilder } from 'kysely'

/** One step of the schema. Never edited once released, never undone. */
export type Migration = {
  readonly number: number
  /** It stands in the database: programs that do not know the migration read its mark there, see `marks.ts`. */
  readonly name: string
  readonly statements: readonly RawBuilder<unknown>[]
  /**
   * An index of a table that may be large, in an expansion without statements. PostgreSQL builds it while servers write,
   * outside of a transaction.
   */
  readonly builds?: { readonly table: string; readonly index: MigrationIndex }
}

/** `on`: the columns, and perhaps a condition: `(kind) where kind <> ''`. */
export type MigrationIndex = { readonly name: string; readonly on: string }
