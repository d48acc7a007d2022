import { constants, type DatabaseSync } from 'node:sqlite'
import { SchemaError } from '../schema_error.ts'

/** A row of `sqlite_schema`, with all that decides how a statement is carried out. */
export type SchemaEntry = {
  readonly type: string
  readonly name: string
  readonly table: string
  /** Null for an index that belongs to a constraint of its table. */
  readonly sql: string | null
}

const namedMax = 5
const nameCharactersMax = 60
const entriesMax = 1000

/**
 * Makes this connection refuse every statement that would run a trigger or read a view. SQLite asks when it compiles a
 * statement, and it compiles again after a change of the schema. So later additions are refused too, and running a
 * compiled statement costs nothing.
 */
export function refuseTriggersAndViews(database: DatabaseSync, onCompile: () => void = () => {}): void {
  database.setAuthorizer((action, _first, _second, _database, triggerOrView) => {
    if (!withoutSchema.has(action)) onCompile()
    return triggerOrView === null ? constants.SQLITE_OK : constants.SQLITE_DENY
  })
}

/** Statements that begin and end transactions are compiled again too, but are the same with every schema. */
const withoutSchema: ReadonlySet<number> = new Set([constants.SQLITE_TRANSACTION, constants.SQLITE_SAVEPOINT])

/** Called before reading: makes SQLite notice a changed schema that it would otherwise miss. */
export type SchemaRefresh = () => void

/**
 * Makes the refresh of a connection that reads. After a refusal, SQLite compiles the statement against the schema that
 * it knows and refuses it again. It notices a new schema only when it carries out another statement.
 */
export function createSchemaRefresh(database: DatabaseSync): SchemaRefresh {
  let mayHaveChanged = false
  refuseTriggersAndViews(database, () => {
    mayHaveChanged = true
  })
  const look = database.prepare('select type from sqlite_schema limit 1')
  return () => {
    if (!mayHaveChanged) return
    look.get()
    mayHaveChanged = false
  }
}

/**
 * Keeps a connection that writes to the expected schema. `enter` and `leave` are called in each transaction. They read
 * nothing unless SQLite has compiled a statement since they last found the schema as expected.
 */
export type SchemaGuard = {
  /** @throws SchemaError when the schema has changed. Called before anything is written. */
  readonly enter: () => void
  /** @throws SchemaError when the transaction wrote with another schema; then do not commit. Called last. */
  readonly leave: () => void
  /** Why a transaction failed: the changed schema, or else `cause`. Called before the rollback. */
  readonly explain: (cause: unknown) => unknown
}

export function createSchemaGuard(
  database: DatabaseSync,
  { path, expected }: { readonly path: string; readonly expected: readonly SchemaEntry[] },
): SchemaGuard {
  let mayHaveChanged = true
  refuseTriggersAndViews(database, () => {
    mayHaveChanged = true
  })

  return {
    enter() {
      if (!mayHaveChanged) return
      forgetSchema(database)
      check()
    },
    leave() {
      if (mayHaveChanged) check()
    },
    explain(cause) {
      if (!mayHaveChanged || !database.isTransaction) return cause
      try {
        return differenceOf(path, readSchema(database), expected) ?? cause
      } catch {
        return cause // for example, the disk cannot be read
      }
    },
  }

  function check(): void {
    const difference = differenceOf(path, readSchema(database), expected)
    if (difference !== undefined) throw difference
    mayHaveChanged = false
  }
}

/**
 * Makes the connection read the schema again in its transaction. Statements are then compiled against the schema that
 * is compared, even where somebody wrote `sqlite_schema` without raising its number.
 */
export function forgetSchema(database: DatabaseSync): void {
  database.exec('pragma writable_schema = reset')
}

export function readSchema(database: DatabaseSync): readonly SchemaEntry[] {
  const rows = database.prepare('select type, name, tbl_name, sql from sqlite_schema limit ?').all(entriesMax)
  return rows.map(({ type, name, tbl_name, sql }) => {
    return { type: String(type), name: String(name), table: String(tbl_name), sql: sql === null ? null : String(sql) }
  })
}

/** Describes how the schemas differ; undefined when they are the same. */
export function differenceOf(
  path: string,
  found: readonly SchemaEntry[],
  expected: readonly SchemaEntry[],
): SchemaError | undefined {
  const texts = new Set(expected.map(textOf))
  const names = new Set(expected.map(nameOf))
  const foreign = found.filter((entry) => !texts.has(textOf(entry)))
  const present = new Set(found.map(nameOf))
  const differences = [
    ...foreign.filter((entry) => !names.has(nameOf(entry))).map((entry) => `${shown(entry)} was added`),
    ...foreign.filter((entry) => names.has(nameOf(entry))).map((entry) => `${shown(entry)} is another one`),
    ...expected.filter((entry) => !present.has(nameOf(entry))).map((entry) => `${shown(entry)} is missing`),
  ]
  if (differences.length === 0) return undefined

  const more = differences.length - namedMax
  const named = [...differences.slice(0, namedMax), ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return new SchemaError(
    `the schema of ${path} is not the one that this program makes: ${named}; ` +
      'drop triggers, views and indexes that were added, put a backup back for anything else, and see who can write the file',
  )
}

const textOf = ({ type, name, table, sql }: SchemaEntry) => JSON.stringify([type, name, table, sql])
const nameOf = ({ type, name }: SchemaEntry) => JSON.stringify([type, name])

const types = new Set(['trigger', 'view', 'table', 'index'])

function shown({ type, name, table }: SchemaEntry): string {
  const place = type === 'trigger' || type === 'index' ? ` on ${printable(table)}` : ''
  return `${types.has(type) ? type : 'entry'} ${printable(name)}${place}`
}

/** The name may be anybody's, so it must not end the line or control a terminal. */
function printable(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]/g, '?')
  return plain.length > nameCharactersMax ? `${plain.slice(0, nameCharactersMax)}…` : plain
}
