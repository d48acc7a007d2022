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
  /** Keys of lookups that get another spelling, in a contraction without statements: see `respell.ts`. */
  readonly respells?: Respelling
}

/** Whether the migration is made in portions while servers go on, outside of the transaction that notes it. */
export function isApart({ builds, respells }: Migration): boolean {
  return builds !== undefined || respells !== undefined
}

export type Respelling = {
  /** In SQL, which rows may have a key of the old spelling. The program looks at each of them. */
  readonly candidates: string
  /** The new spelling of a key. Idempotent. */
  readonly keyOf: (key: string) => string
  readonly lookups: readonly RespelledLookup[]
}

export type RespelledLookup = {
  readonly lookup: string
  /** Several records of these may not be found by one key. */
  readonly among: 'organization_id' | 'parent_id'
  /** Warns that the keys of these holders, such as `user … of organization …, user …`, have become one. */
  readonly warning: (holders: string) => string
}

/** `on`: the columns, and perhaps a condition: `(kind) where kind <> ''`. */
export type MigrationIndex = { readonly name: string; readonly on: string }
