import type { RawBuilder } from 'kysely'

/** One step of the schema. Never edited once released, never undone. */
export type Migration = {
  readonly number: number
  /** It stands in the database: programs that do not know the migration read its mark there, see `marks.ts`. */
  readonly name: string
  readonly statements: readonly RawBuilder<unknown>[]
}
