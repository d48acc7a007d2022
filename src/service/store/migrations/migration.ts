import type { RawBuilder } from 'kysely'

/** One step of the schema. Never edited once released, never undone. */
export type Migration = {
  readonly number: number
  readonly name: string
  readonly statements: readonly RawBuilder<unknown>[]
}
