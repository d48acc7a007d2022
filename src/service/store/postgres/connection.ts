import pg from 'pg'
import { isEnding, stateOf } from './answers.ts'
import type { DatabaseAddress, DatabaseHost } from './database_address.ts'
import { type Single, type Statement, storableText, type Value } from './statement.ts'
import { getTypeParser } from './type_parsers.ts'

export type Result<Row> = { readonly rows: readonly Row[]; readonly changed: number }

/** One connection to the server that takes writes. Statements are sent at once and executed in their order. */
export type Connection = {
  readonly run: <P extends Readonly<Record<string, Value>>, Row>(
    statement: Statement<P, Row>,
    values: P,
  ) => Promise<Result<Row>>
  /** Executes a statement once for many rows. Each of its values is an array with that value of every row. */
  readonly runRows: <P extends Readonly<Record<string, Single>>>(
    statement: Statement<P, never>,
    rows: readonly P[],
  ) => Promise<{ readonly changed: number }>
  /**
   * Begins a transaction that writes. It brings its settings with it, so that nothing which another client left in the
   * session holds for it.
   */
  readonly begin: () => Promise<unknown>
  /** Executes a text without values: the beginnings and ends of transactions, and what is done once. */
  readonly execute: (text: string) => Promise<{ readonly command: string }>
  /**
   * Ends a transaction.
   * @throws Error when the server did not commit, or warns that the commit may not last: its wait for a standby was
   *   canceled.
   */
  readonly commit: () => Promise<void>
  readonly client: pg.Client
  /** undefined when the server does not tell. */
  readonly history: History | undefined
  /** False once the connection is lost. */
  readonly isUsable: () => boolean
  /** Ends it at once. Queries under way fail with this cause. */
  readonly lose: (cause: Error) => void
  readonly close: () => Promise<void>
}

const connectMsMax = 3_000
const lockMsMax = 3_000
/** Less than others wait for a lock: a node that stands still in a transaction does not make them fail. */
const idleInTransactionMsMax = 2_000
/** How long a connection may take to say goodbye. */
const closeMsMax = 1_000
/** A server that says nothing counts as lost after it: the server ends a statement itself, and has the time to say so. */
const silenceMsMax = 1_000

export type ConnectionUse = {
  /** The server shows it beside the connection. */
  readonly name: string
  readonly statementMsMax: number
}

/** The place of a server in its history: a promoted standby begins a new timeline, with a higher number. */
export type History = { readonly system: string; readonly timeline: number }

/**
 * Connects to a host.
 * @param onEnd is told once why the connection was lost, or undefined when it was closed here.
 * @throws Error when the host cannot be reached, takes no writes or may forget them.
 */
export async function connectTo(
  host: DatabaseHost,
  address: DatabaseAddress,
  { name, statementMsMax }: ConnectionUse,
  onEnd: (cause: Error | undefined) => void,
): Promise<Connection> {
  const client = new pg.Client({
    host: host.name,
    port: host.port,
    user: address.user,
    database: address.database,
    // A function, because the library would take the place of an absent one from the environment or a file.
    password: () => address.password ?? '',
    ssl: host.name.startsWith('/') ? false : tlsOf(address),
    application_name: name,
    connectionTimeoutMillis: connectMsMax,
    query_timeout: statementMsMax + silenceMsMax,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser },
  })
  let ending: { readonly cause: Error | undefined } | undefined
  const end = (cause: Error | undefined) => {
    if (ending === undefined) {
      ending = { cause }
      if (isOpen) onEnd(cause)
    }
  }
  const lose = (cause: Error) => {
    end(cause)
    client.connection.stream.destroy()
  }
  /** The server says why and then ends the connection, which may be seen late, or never. */
  const fail = (error: unknown): never => {
    if (isEnding(error) || client.connection.stream.destroyed) lose(errorOf(error))
    // The statements that are under way then have one reason, and not that there is no connection.
    throw error instanceof pg.DatabaseError ? error : (ending?.cause ?? error)
  }
  /** Before that its error is thrown. */
  let isOpen = false
  let warning: string | undefined
  client.on('notice', ({ message }) => {
    warning = message
  })
  client.on('error', lose)
  client.on('end', () => end(new Error('the server closed the connection')))
  const query = async (name: string, text: string, values: readonly Value[]) => {
    const { rows, rowCount } = await client.query({ name, text, values: [...values] }).catch(fail)
    return { rows, changed: rowCount ?? 0 }
  }
  const connection: Omit<Connection, 'history' | 'begin'> = {
    run: ({ name, text, places }, values) =>
      query(
        name,
        text,
        places.map((place) => bound(values[place])),
      ),
    runRows: ({ name, text, places }, rows) =>
      query(
        name,
        text,
        places.map((place) => rows.map((row) => storable(row[place] ?? null))),
      ),
    execute: (text) => client.query(text).catch(fail),
    async commit() {
      warning = undefined
      const { command } = await client.query('commit').catch(fail)
      if (command !== 'COMMIT') throw new Error(`the transaction was ended by ${command}`)
      if (warning !== undefined) throw new Error(`the commit may not last: ${warning}`)
    },
    client,
    // The library closes it after a silence, and tells that later.
    isUsable: () => ending === undefined && !client.connection.stream.destroyed,
    lose,
    async close() {
      end(undefined)
      const timer = setTimeout(() => client.connection.stream.destroy(), closeMsMax)
      await client.end()
      clearTimeout(timer)
    },
  }
  try {
    await client.connect()
    const settings = await settingsFor(client, { statementMsMax })
    const history = await readHistory(client)
    isOpen = true
    const begin = ['begin isolation level read committed read write', ...settings].join('; ')
    return { ...connection, begin: () => connection.execute(begin), history }
  } catch (error) {
    // A server that refused it may wait for another password.
    client.connection.stream.destroy()
    throw error
  }
}

/** A session has it once a node has used it, until the session ends or is reset. */
const usedMark = 'claviger.used'

const poolerText =
  'a pooler gives it sessions that others use too: let it keep a session for a client (pool_mode = session of PgBouncer) and restart it'

/**
 * Sets what holds for statements outside transactions, and returns the statements that set it for one transaction.
 * @throws Error when the server takes no writes, forgets acknowledged ones, or is behind a pooler that shares sessions.
 */
async function settingsFor(
  client: pg.Client,
  { statementMsMax }: Pick<ConnectionUse, 'statementMsMax'>,
): Promise<readonly string[]> {
  const { rows: found } = await client.query(`
    select current_setting('transaction_read_only') as "readOnly",
      current_setting('fsync') as fsync, current_setting('server_encoding') as encoding,
      current_setting('server_version_num')::int as version,
      current_setting('synchronous_commit') as "synchronousCommit", current_setting('${usedMark}', true) as used`)
  const { readOnly, fsync, encoding, version, synchronousCommit, used } = found[0]
  if (readOnly !== 'off') throw new Error('it takes no writes: it is a standby or set to read only')
  if (fsync !== 'on') throw new Error('it forgets what it acknowledged when its machine stops: set fsync = on')
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}: make the database with encoding UTF8`)
  if (version < 140_000) throw new Error(`its version is ${version / 10_000}: PostgreSQL 14 or later is needed`)
  if (used === 'yes') throw new Error(poolerText)
  const settings = {
    synchronous_commit: synchronousCommit === 'remote_apply' ? 'remote_apply' : 'on',
    bytea_output: 'hex',
    client_min_messages: 'warning',
    statement_timeout: String(statementMsMax),
    lock_timeout: String(lockMsMax),
    idle_in_transaction_session_timeout: String(idleInTransactionMsMax),
  }
  // They are set here and not when the connection begins, because poolers refuse unknown parameters there.
  const all = Object.entries({ ...settings, [usedMark]: 'yes' })
  const calls = all.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`)
  await client.query(`select ${calls.join(', ')}`, all.flat())
  return Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`)
}

/**
 * Any role may call these functions of PostgreSQL. Another engine may lack them.
 * @returns undefined when the server does not tell.
 */
async function readHistory(client: pg.Client): Promise<History | undefined> {
  try {
    const { rows } = await client.query(
      `select system_identifier::text as system, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline
      from pg_control_system()`,
    )
    return { system: rows[0].system, timeline: Number.parseInt(rows[0].timeline, 16) }
  } catch (error) {
    if (stateOf(error) === undefined) throw error
    return undefined
  }
}

/** The library gives the name to verify, which is no name of a server when it is an address of the network. */
function tlsOf({ tls }: DatabaseAddress) {
  if (tls === undefined) return false
  const { ca, checksName } = tls
  return {
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    ...(checksName ? {} : { checkServerIdentity: () => undefined }),
  }
}

function bound(value: Value): Value {
  return Array.isArray(value) ? value.map(storable) : storable(value)
}

function storable<V>(value: V): V | string {
  return typeof value === 'string' ? storableText(value) : value
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
