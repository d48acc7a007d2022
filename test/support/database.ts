import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type Value = string | number | Uint8Array | null
export type Row = Readonly<Record<string, Value>>
export type Table = 'organizations' | 'records' | 'activities' | 'lookups' | 'outbox' | 'vault_state'

/** The rows of a table that have these values. */
export type Place = { readonly table: Table; readonly where: Row }

/** Edits the database file, past the service and the vault. */
export type Hand = {
  read(place: Place): readonly Row[]
  /** The only row there. */
  one(place: Place): Row
  update(place: Place, values: Row): void
  insert(table: Table, row: Row): void
  remove(place: Place): void
}

/** Runs `edit` on a connection of its own. A server may be running on the file. */
export function withDatabase<T>(folder: string, edit: (hand: Hand) => T): T {
  const database = new DatabaseSync(join(folder, 'claviger.db'), { timeout: 5_000 })
  try {
    return edit(handOn(database))
  } finally {
    database.close()
  }
}

function handOn(database: DatabaseSync): Hand {
  function read({ table, where }: Place): readonly Row[] {
    const rows = database.prepare(`select * from ${table} where ${conditionOf(where)}`).all(...Object.values(where))
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
      const { changes } = database.prepare(text).run(...Object.values(values), ...Object.values(where))
      if (changes === 0) throw new Error(`nothing to change at ${JSON.stringify({ table, where })}`)
    },
    insert(table, row) {
      const places = Object.keys(row).map(() => '?')
      const text = `insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`
      database.prepare(text).run(...Object.values(row))
    },
    remove({ table, where }) {
      const { changes } = database
        .prepare(`delete from ${table} where ${conditionOf(where)}`)
        .run(...Object.values(where))
      if (changes === 0) throw new Error(`nothing to delete at ${JSON.stringify({ table, where })}`)
    },
  }
}

function conditionOf(where: Row): string {
  return ['true', ...Object.keys(where).map((name) => `${name} = ?`)].join(' and ')
}
