import { type Execute, type Value, withStatements } from './server_database.ts'

export type Row = Readonly<Record<string, Value>>
export type Table =
  | 'organizations'
  | 'records'
  | 'activities'
  | 'lookups'
  | 'outbox'
  | 'notices'
  | 'webhook_messages'
  | 'vault_state'
  | 'log_bundles'

/** The rows of a table that have these values. */
export type Place = { readonly table: Table; readonly where: Row }

/** Edits the database, past the service and the vault. */
export type Hand = {
  read(place: Place): readonly Row[]
  /** The only row there. */
  one(place: Place): Row
  update(place: Place, values: Row): void
  insert(table: Table, row: Row): void
  remove(place: Place): void
}

/** Runs `edit` on connections of its own. A server may be running on the database. */
export function withDatabase<T>(folder: string, edit: (hand: Hand) => T): T {
  return withStatements(folder, (execute) => edit(handOn(execute)))
}

function handOn(execute: Execute): Hand {
  function read({ table, where }: Place): readonly Row[] {
    const { rows } = execute(`select * from ${table} where ${conditionOf(where)}`, Object.values(where))
    return rows.map((row) => ({ ...row }) as Row)
  }

  return {
    read,
    one(place) {
      const [row, another] = read(place)
      if (row === undefined || another !== undefined) throw new Error(`not one row at ${JSON.stringify(place)}`)
      return row
    },
    update({ table, where }, values) {
      const names = Object.keys(values).map((name) => `${name} = ?`)
      const text = `update ${table} set ${names.join(', ')} where ${conditionOf(where)}`
      const { changed } = execute(text, [...Object.values(values), ...Object.values(where)])
      if (changed === 0) throw new Error(`nothing to change at ${JSON.stringify({ table, where })}`)
    },
    insert(table, row) {
      const places = Object.keys(row).map(() => '?')
      const text = `insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`
      execute(text, Object.values(row))
    },
    remove({ table, where }) {
      const { changed } = execute(`delete from ${table} where ${conditionOf(where)}`, Object.values(where))
      if (changed === 0) throw new Error(`nothing to delete at ${JSON.stringify({ table, where })}`)
    },
  }
}

function conditionOf(where: Row): string {
  return ['true', ...Object.keys(where).map((name) => `${name} = ?`)].join(' and ')
}
