import { constants, type DatabaseSync } from 'node:sqlite'

/** A row of `sqlite_schema`: all of what decides how a statement is carried out. */
export type SchemaEntry = {
  readonly type: string
  readonly name: string
  readonly table: string
  /** Null for an index that belongs to a constraint of its table. */
  readonly sql: string | null
}

/** The database has another schema than this program makes. The message says what is different and how to mend it. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

const namedMax = 5
const nameCharactersMax = 60
const entriesMax = 1000

/**
 * Refuses every statement that would run a trigger or read a view, on this connection. SQLite asks when it compiles a
 * statement, and compiles it again once the schema has changed: what somebody adds later is refused too, and a
 * statement that is only run costs nothing.
 */
export function refuseTriggersAndViews(database: DatabaseSync, onCompile: () => void = () => {}): void {
  database.setAuthorizer((action, _first, _second, _database, triggerOrView) => {
    if (!withoutSchema.has(action)) onCompile()
    return triggerOrView === null ? constants.SQLITE_OK : constants.SQLITE_DENY
  })
}

/** What begins and ends transactions is compiled again as well, but is the same with every schema. */
const withoutSchema: ReadonlySet<number> = new Set([constants.SQLITE_TRANSACTION, constants.SQLITE_SAVEPOINT])

/** Called before reading: lets SQLite notice that the schema is another one now, where it would not by itself. */
export type SchemaRefresh = () => void

/**
 * For a connection that reads, which goes on reading what it may. Once a statement was refused SQLite compiles it against the schema that it knows, and
 * refuses it again and again, until a statement that it does carry out shows it that the schema is another one now.
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
 * What holds a connection that writes to the schema that is expected. Both are called in each transaction, and read
 * nothing unless SQLite has compiled a statement since they last found everything as expected.
 */
export type SchemaGuard = {
  /** @throws SchemaError when the schema is another one now. Called first, before anything is written. */
  readonly enter: () => void
  /** @throws SchemaError when what was written was written with another schema. Called last: then do not commit. */
  readonly leave: () => void
  /** Why a transaction failed: `cause`, or that the schema is another one. Called before it is rolled back. */
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
        return cause // a disk that cannot be read, say
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
 * Lets the connection read the schema again, in the transaction that it is in: what is compared is then what statements
 * are compiled against, also where somebody wrote `sqlite_schema` without counting up its number.
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

/** Undefined: they are the same. */
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

/** Names are somebody else's: none may end the line, or speak to a terminal. */
function printable(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]/g, '?')
  return plain.length > nameCharactersMax ? `${plain.slice(0, nameCharactersMax)}…` : plain
}
