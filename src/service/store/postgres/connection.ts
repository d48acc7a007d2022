import pg from 'pg'
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
  /** Executes a text without values: the beginnings and ends of transactions, and what is done once. */
  readonly execute: (text: string) => Promise<{ readonly command: string }>
  /**
   * Ends a transaction.
   * @throws Error when the server did not commit, or warns that the commit may not last: its wait for a standby was
   *   canceled.
   */
  readonly commit: () => Promise<void>
  readonly client: pg.Client
  /** False once the connection is lost. */
  readonly isUsable: () => boolean
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

/**
 * Connects to the one of the hosts that takes writes, tried in their order.
 * @throws Error when none does; its message says for each why.
 */
export async function connect(address: DatabaseAddress, use: ConnectionUse): Promise<Connection> {
  const refusals: string[] = []
  for (const host of address.hosts) {
    try {
      return await connectTo(host, address, use)
    } catch (error) {
      refusals.push(`${nameOf(host)}: ${error instanceof Error ? error.message || error.name : error}`)
    }
  }
  throw new Error(`no database takes connections: ${refusals.join('; ')}`)
}

async function connectTo(
  host: DatabaseHost,
  address: DatabaseAddress,
  { name, statementMsMax }: ConnectionUse,
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
  let isLost = false
  const lose = () => {
    isLost = true
    client.connection.stream.destroy()
  }
  /** Its end may be seen late, or never. */
  const loseIfEnded = (error: unknown): never => {
    if (isEnding(error)) lose()
    throw error
  }
  let warning: string | undefined
  client.on('notice', ({ message }) => {
    warning = message
  })
  client.on('error', lose)
  client.on('end', () => {
    isLost = true
  })
  const query = async (name: string, text: string, values: readonly Value[]) => {
    const { rows, rowCount } = await client.query({ name, text, values: [...values] }).catch(loseIfEnded)
    return { rows, changed: rowCount ?? 0 }
  }
  const connection: Connection = {
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
    execute: (text) => client.query(text).catch(loseIfEnded),
    async commit() {
      warning = undefined
      const { command } = await client.query('commit').catch(loseIfEnded)
      if (command !== 'COMMIT') throw new Error(`the transaction was ended by ${command}`)
      if (warning !== undefined) throw new Error(`the commit may not last: ${warning}`)
    },
    client,
    // The library closes it after a silence, and tells that later.
    isUsable: () => !isLost && !client.connection.stream.destroyed,
    async close() {
      isLost = true
      const timer = setTimeout(lose, closeMsMax)
      await client.end()
      clearTimeout(timer)
    },
  }
  try {
    await client.connect()
    await refuseUnsafe(connection, { statementMsMax })
    return connection
  } catch (error) {
    // A server that refused it may wait for another password.
    lose()
    throw error
  }
}

/** Refuses a server that takes no writes or forgets acknowledged ones. */
async function refuseUnsafe(
  { client }: Connection,
  { statementMsMax }: Pick<ConnectionUse, 'statementMsMax'>,
): Promise<void> {
  // The limits are set here and not when the connection begins, because poolers refuse unknown parameters there.
  const limits = [statementMsMax, lockMsMax, idleInTransactionMsMax].map(String)
  const { rows } = await client.query(
    `select current_setting('transaction_read_only') as "readOnly",
    current_setting('fsync') as fsync, current_setting('server_encoding') as encoding,
    current_setting('server_version_num')::int as version,
    set_config('synchronous_commit', case current_setting('synchronous_commit')
      when 'remote_apply' then 'remote_apply' else 'on' end, false),
    set_config('bytea_output', 'hex', false), set_config('client_min_messages', 'warning', false),
    set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', $3, false)`,
    limits,
  )
  const { readOnly, fsync, encoding, version } = rows[0]
  if (readOnly !== 'off') throw new Error('it takes no writes: it is a standby or set to read only')
  if (fsync !== 'on') throw new Error('it forgets what it acknowledged when its machine stops: set fsync = on')
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}: make the database with encoding UTF8`)
  if (version < 140_000) throw new Error(`its version is ${version / 10_000}: PostgreSQL 14 or later is needed`)
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

function nameOf({ name, port }: DatabaseHost): string {
  return `${name}:${port}`
}

/**
 * Codes with which the server ends the connection: a broken protocol, an operator, a crash, a dropped database, and
 * limits of a session or a transaction. The severity says nothing: it comes in the language of the server.
 */
const endingCodes = /^(?:08|57P0|25P03|25P04)/

function isEnding(error: unknown): boolean {
  return error instanceof pg.DatabaseError && endingCodes.test(error.code ?? '')
}

/** The error code of the server (SQLSTATE); undefined when the connection failed and not a statement. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && !isEnding(error) ? error.code : undefined
}

/** The answers to statements behind one that failed in a transaction: it is aborted, and nothing is prepared there. */
const consequences: readonly (string | undefined)[] = ['25P02', '26000']

/** Whether a statement failed because one before it in its transaction has failed. */
export function isConsequence(error: unknown): boolean {
  return consequences.includes(stateOf(error))
}

/**
 * Waits for everything that was sent, given in that order. A failed statement makes those behind it fail too, so the
 * first cause is thrown.
 * @throws Error of the statement that failed.
 */
export async function settled(sent: readonly Promise<unknown>[]): Promise<void> {
  const reasons = reasonsOf(await Promise.allSettled(sent))
  if (reasons.length > 0) throw firstCause(reasons)
}

/** The reasons of those that failed, in the order of what was sent. */
export function reasonsOf(outcomes: readonly PromiseSettledResult<unknown>[]): readonly unknown[] {
  return outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
}

export function firstCause(reasons: readonly unknown[]): unknown {
  return reasons.find((reason) => !isConsequence(reason)) ?? reasons[0]
}
