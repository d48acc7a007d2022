import type { RawBuilder } from 'kysely'

/** One step of the schema. Never edited once released, never undone. */
export type Migration = {
  readonly number: number
  readonly name: string
  readonly statements: (dialect: MigrationDialect) => readonly RawBuilder<unknown>[]
}

/** The SQL in which databases differ. */
export type MigrationDialect = {
  /** The type of a column of bytes. */
  readonly bytes: RawBuilder<unknown>
  /** The type of a column of milliseconds since 1970, which 32 bits do not hold. */
  readonly milliseconds: RawBuilder<unknown>
  /** The end of a table whose columns hold their declared types only. */
  readonly strict: RawBuilder<unknown>
  /** The same for a table of short rows that are stored in the order of their primary key. */
  readonly strictClustered: RawBuilder<unknown>
}
