import { SchemaError } from '../schema_error.ts'
import type { Migration } from './migration.ts'

/**
 * The name of a migration has a mark, so that programs which do not know the migration learn from the database whether
 * they may go on:
 *
 * - `0005_expand_…` only adds: tables, indexes, columns that an insert may leave out. Older programs go on.
 * - `0006_contract_…` removes what only older programs use. Newer programs work before it too.
 * - Any other name: older programs cannot work after it, and newer ones cannot work before it.
 */
export function isExpansion({ name }: { readonly name: string }): boolean {
  return /^\d{4}_expand_/.test(name)
}

export function isContraction({ name }: { readonly name: string }): boolean {
  return /^\d{4}_contract_/.test(name)
}

/**
 * How far a database is brought up to date. `first`: only an empty one is. `expand`: only as far as older programs can
 * go on. `all`: to the last migration.
 */
export type Extent = 'first' | 'expand' | 'all'

export type Outlook = {
  /** The number of the last migration that the database has; 0 when it is empty. */
  readonly current: number
  /** To be made now, in this order. */
  readonly due: readonly Migration[]
  /** The database lacks these too, and `extent` leaves them out. */
  readonly left: readonly Migration[]
}

/** A row of the table of migrations. */
export type Made = Pick<Migration, 'number' | 'name'>

/** @throws SchemaError when the database is newer than this program by more than expansions. */
export function outlookOf(
  made: readonly Made[],
  { steps, extent }: { readonly steps: readonly Migration[]; readonly extent: Extent },
): Outlook {
  const current = Math.max(0, ...made.map(({ number }) => number))
  const closing = made.find((one) => one.number > steps.length && !isExpansion(one))
  if (closing !== undefined) {
    throw new SchemaError(
      `the database has schema ${current}, and this program knows schemas up to ${steps.length}; migration ${closing.number} shuts older programs out: start the newer program that made it, or put a backup back from before the upgrade`,
    )
  }
  const missing = steps.slice(current)
  const count = current === 0 || extent === 'all' ? missing.length : extent === 'first' ? 0 : expansionsOf(missing)
  return { current, due: missing.slice(0, count), left: missing.slice(count) }
}

/** How many of them come before the first that older programs cannot live with. */
function expansionsOf(missing: readonly Migration[]): number {
  const count = missing.findIndex((migration) => !isExpansion(migration))
  return count === -1 ? missing.length : count
}

/** Why this program cannot work on a database, and how to mend it; undefined when it can. */
export function lackOf({ current, due, left }: Outlook): string | undefined {
  const missing = [...due, ...left]
  // Contractions may wait: they only remove what this program does not use.
  const last = missing.findLast((step) => !isContraction(step))
  if (last === undefined) return undefined
  const remedy = missing.every((step) => step.number > last.number || isExpansion(step))
    ? 'run `claviger migrate`; servers of the version before go on meanwhile'
    : 'end the servers of earlier versions, then run `claviger migrate --contract`'
  return `the database has schema ${current}, and this program needs schema ${last.number}: ${remedy}`
}
