import type { SQLOutputValue } from 'node:sqlite'
import type { Schema } from '../schema.ts'
import { SchemaError } from '../schema_error.ts'
import { openReader } from '../sqlite/connection.ts'
import type { Connection } from './connection.ts'
import type { DatabaseAddress } from './database_address.ts'
import { connect } from './hosts.ts'
import type { Statement, Value } from './statement.ts'

type ColumnType = 'text' | 'bigint' | 'bytea'
type Columns = Readonly<Record<string, ColumnType>>

/** All that a database holds, but for the migrations, which each kind of database has made itself. */
const tables: {
  readonly [Table in Exclude<keyof Schema, 'migrations'>]: Readonly<Record<keyof Schema[Table], ColumnType>>
} = {
  organizations: { organization_id: 'text', parent_id: 'text', version: 'bigint', tag: 'text', head: 'bytea' },
  records: {
    organization_id: 'text',
    kind: 'text',
    record_id: 'text',
    owner_id: 'text',
    version: 'bigint',
    sealed: 'bytea',
  },
  activities: {
    organization_id: 'text',
    sequence: 'bigint',
    checkpoint: 'bigint',
    activity_id: 'text',
    request_key: 'text',
    type: 'text',
    status: 'text',
    version: 'bigint',
    sealed: 'bytea',
  },
  lookups: {
    organization_id: 'text',
    lookup: 'text',
    key: 'text',
    record_id: 'text',
    kind: 'text',
    parent_id: 'text',
  },
  outbox: {
    organization_id: 'text',
    message_id: 'text',
    channel: 'text',
    expires_at_ms: 'bigint',
    attempts: 'bigint',
    due_at_ms: 'bigint',
    sealed: 'bytea',
  },
  webhook_messages: {
    organization_id: 'text',
    message_id: 'text',
    endpoint_id: 'text',
    activity_id: 'text',
    activity_version: 'bigint',
    expires_at_ms: 'bigint',
    attempts: 'bigint',
    due_at_ms: 'bigint',
    ended_at_ms: 'bigint',
    reason: 'text',
    sealed: 'bytea',
    happened_in: 'text',
  },
  notices: {
    organization_id: 'text',
    message_id: 'text',
    user_id: 'text',
    activity_id: 'text',
    expires_at_ms: 'bigint',
    due_at_ms: 'bigint',
    sealed: 'bytea',
  },
  notice_turns: { organization_id: 'text', user_id: 'text', until_ms: 'bigint' },
  erasures: { organization_id: 'text', kind: 'text', owner_id: 'text' },
  transparency_logs: {
    log_id: 'text',
    origin: 'text',
    keys: 'bytea',
    size: 'bigint',
    checkpoint: 'bytea',
    last: 'bytea',
    indexed: 'bigint',
  },
  log_bundles: { log_id: 'text', number: 'bigint', root: 'bytea', entries: 'bytea' },
  log_index: { organization: 'bytea', log: 'bigint', number: 'bigint', places: 'bytea' },
  vault_state: { id: 'bigint', state: 'bytea' },
}

export type CopiedTable = { readonly table: string; readonly rows: number }

/** A row of a large activity has about a megabyte. */
const portionRowsMax = 1_000
const portionBytesMax = 4_194_304
const use = { name: 'claviger copy-database', statementMsMax: 600_000 }

/**
 * Copies the rows of an embedded database, which nobody writes meanwhile, into the tables of a database that has none
 * yet. All of them arrive, in one transaction, or none does.
 * @throws SchemaError when the database has rows.
 */
export async function copyFile(path: string, address: DatabaseAddress): Promise<readonly CopiedTable[]> {
  const connection = await connect(address, use)
  try {
    await connection.begin()
    await refuseRows(connection)
    const copied: CopiedTable[] = []
    for (const [table, columns] of Object.entries(tables)) {
      copied.push({ table, rows: await copyTable(connection, path, { table, columns }) })
      // So that the first server does not plan its statements for empty tables.
      await connection.execute(`analyze ${table}`)
    }
    await connection.commit()
    return copied
  } finally {
    // The server rolls back what is not committed.
    await connection.close()
  }
}

async function refuseRows({ client }: Connection): Promise<void> {
  for (const table of Object.keys(tables)) {
    const { rows } = await client.query(`select 1 from ${table} limit 1`)
    if (rows.length > 0) {
      throw new SchemaError(`the database is in use: its table ${table} has rows. Make a new database for the copy`)
    }
  }
}

async function copyTable(
  connection: Connection,
  path: string,
  { table, columns }: { readonly table: string; readonly columns: Columns },
): Promise<number> {
  using database = openReader(path)
  const names = Object.keys(columns)
  const insert = insertOf(table, columns)
  let copied = 0
  let portion: Record<string, SQLOutputValue>[] = []
  let bytes = 0
  const send = async () => {
    const values = names.map((name) => [name, portion.map((row) => checked(row[name]))])
    copied += (await connection.run(insert, Object.fromEntries(values))).changed
    portion = []
    bytes = 0
  }
  for (const row of database.prepare(`select ${names.join(', ')} from ${table}`).iterate()) {
    portion.push(row)
    bytes += Object.values(row).reduce<number>((sum, value) => sum + sizeOf(value), 0)
    if (portion.length === portionRowsMax || bytes >= portionBytesMax) await send()
  }
  if (portion.length > 0) await send()
  return copied
}

function insertOf(table: string, columns: Columns): Statement<Readonly<Record<string, Value>>, never> {
  const places = Object.keys(columns)
  const lists = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`)
  const text = `insert into ${table} (${places.join(', ')}) select * from unnest(${lists.join(', ')})`
  return { name: `copy ${table}`, text, places }
}

function checked(value: SQLOutputValue | undefined): string | number | Uint8Array | null {
  if (typeof value === 'bigint') throw new TypeError('a number of the embedded database is not exact')
  return value ?? null
}

function sizeOf(value: SQLOutputValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
}
