import { setTimeout } from 'node:timers/promises'
import { type Extent, isExpansion, type Made, type Outlook, outlookOf } from '../../migrations/marks.ts'
import { isApart, type Migration } from '../../migrations/migration.ts'
import { migrations } from '../../migrations/migrations.ts'
import { type Run, respell } from '../../migrations/respell.ts'
import { noteOf, statementsOf, type Wording } from '../../migrations/wording.ts'
import { refuseAdditions } from '../additions.ts'
import { stateOf } from '../answers.ts'
import type { Connection } from '../connection.ts'
import type { DatabaseAddress } from '../database_address.ts'
import { connect } from '../hosts.ts'
import { buildIndex, validityOf } from './build_index.ts'
import { olderServers } from './older_servers.ts'
import { byIndex, runOn, storable } from './respelling.ts'

export type Patience = {
  readonly attempts: number
  /** Queries that come after the migration wait behind it while it waits for a lock. */
  readonly lockMs: number
  /** The longest pause between two attempts. */
  readonly pauseMs: number
}

type Migrating = {
  readonly extent: Extent
  readonly steps?: readonly Migration[]
  readonly patience?: Patience
  /** Told why an attempt failed, before the next one. */
  readonly onWait?: (reason: string) => void
  /** Told what a migration has found in the rows that somebody must mend. */
  readonly onWarning?: (text: string) => void
}

const ordinaryPatience: Patience = { attempts: 20, lockMs: 1_000, pauseMs: 2_000 }
const firstPauseMs = 50
/** An index of a large table takes minutes. */
const use = { name: 'claviger migrate', statementMsMax: 12 * 3_600_000 }

/** Another program that makes the tables or a migration at the same time was faster. */
const otherWasFaster: readonly string[] = ['23505', '42P07', '40001', '40P01']
/** When nobody else was there, the next attempts fail in the same way. */
const racesMax = 3
const lockNotAvailable = '55P03'

/**
 * A migration is written once, in SQLite's words. PostgreSQL has other names for two types and none for two options,
 * and its texts must sort by their bytes, as those of SQLite and of this program do.
 */
export const postgresWording: Wording = {
  buildsApart: true,
  table: 'create table if not exists migrations (number bigint not null primary key, name text collate "C" not null)',
  of: (text) =>
    text
      .replaceAll(/\) strict(?:, without rowid)?$/g, ')')
      .replaceAll(/(?<=^\s*\w+) integer\b/gm, ' bigint')
      .replaceAll(/(?<=^\s*\w+) blob\b/gm, ' bytea')
      .replaceAll(/(?<=^\s*\w+) text\b/gm, ' text collate "C"'),
}

/**
 * Tells what `migrateDatabase` would do. Changes nothing.
 * @throws SchemaError when the tables are not those of this program.
 */
export async function outlookOfDatabase(
  address: DatabaseAddress,
  { extent, steps = migrations }: Migrating,
): Promise<Outlook> {
  const connection = await connect(address, use)
  try {
    return await readOutlook(connection, { extent, steps })
  } finally {
    await connection.close()
  }
}

/**
 * Makes the migrations that are due, while other servers use the database, and returns which. They are one transaction,
 * unless one of them is made apart: those before it are then a transaction, and so are those behind it.
 * @throws SchemaError when the tables are not those of this program.
 * @throws Error when the database was in use for too long. Nothing was changed, unless the error says what was.
 */
export async function migrateDatabase(
  address: DatabaseAddress,
  { extent, steps = migrations, patience = ordinaryPatience, onWait = () => {}, onWarning = () => {} }: Migrating,
): Promise<Outlook> {
  const connection = await connect(address, use)
  const made: Migration[] = []
  try {
    for (let attempt = 1; ; ) {
      try {
        // Takes no lock in the ordinary case that nothing is due.
        const outlook = await readOutlook(connection, { extent, steps })
        if (outlook.due.length === 0) return { ...outlook, current: outlook.current - made.length, due: made }
        const apart = await makeApart(connection, { outlook, patience, onWarning })
        made.push(...(await attemptToMigrate(connection, { extent, steps, patience, apart })))
      } catch (error) {
        const obstacle = obstacleOf(error)
        if (obstacle === undefined || (isRace(error) && attempt >= racesMax)) throw error
        if (attempt >= patience.attempts) {
          const changed = made.length === 0 ? 'nothing' : `only ${made.map(({ name }) => name).join(', ')}`
          throw new Error(`${changed} was changed, because ${obstacle}: run it again later`, { cause: error })
        }
        attempt += 1
        onWait(`${obstacle}: attempt ${attempt} of ${patience.attempts} follows`)
        await setTimeout(Math.min(firstPauseMs * 2 ** (attempt - 1), patience.pauseMs))
      }
    }
  } finally {
    await connection.close()
  }
}

type Apart = Pick<Required<Migrating>, 'patience' | 'onWarning'> & { readonly outlook: Outlook }

/** Makes and returns the next migration if it is made apart. It has no statement and can be begun again. */
async function makeApart(
  connection: Connection,
  { outlook, patience: { lockMs }, onWarning }: Apart,
): Promise<Migration | undefined> {
  const [next] = outlook.due
  if (next === undefined || !isApart(next) || outlook.current === 0) return undefined
  await refuseOlderServers(connection, outlook)
  if (next.builds !== undefined) await buildIndex(connection, { ...next.builds, lockMs })
  const inPortion = <T>(make: (run: Run) => Promise<T>) =>
    inTransaction(connection, lockMs, async () => {
      await connection.execute(byIndex)
      return make(runOn(connection))
    })
  if (next.respells !== undefined) await respell(storable(next.respells), { inPortion, onWarning })
  return next
}

async function inTransaction<T>(connection: Connection, lockMs: number, make: () => Promise<T>): Promise<T> {
  try {
    await connection.begin()
    await connection.execute(`set local lock_timeout = ${lockMs}`)
    const made = await make()
    await connection.execute('commit')
    return made
  } catch (error) {
    // A lost connection is rolled back by the server.
    await connection.execute('rollback').catch(() => {})
    throw error
  }
}

/** Makes what one transaction can, and returns it. */
async function attemptToMigrate(
  connection: Connection,
  {
    extent,
    steps,
    patience,
    apart,
  }: Pick<Required<Migrating>, 'extent' | 'steps' | 'patience'> & { readonly apart: Migration | undefined },
): Promise<readonly Migration[]> {
  return await inTransaction(connection, patience.lockMs, async () => {
    await connection.execute(postgresWording.table)
    // The first row stands for the lock of all.
    await connection.execute('select number from migrations where number = 1 for update')
    const outlook = await readOutlook(connection, { extent, steps })
    await refuseOlderServers(connection, outlook)
    const part = await partOf(connection, outlook, apart)
    for (const statement of part.flatMap(({ step, texts }) => texts ?? statementsOf(step, postgresWording))) {
      await connection.execute(statement)
    }
    return part.map(({ step }) => step)
  })
}

/** An empty database gets all at once. Else a migration that is made apart is only noted, once it is made. */
async function partOf(
  connection: Connection,
  { current, due }: Outlook,
  apart: Migration | undefined,
): Promise<readonly { readonly step: Migration; readonly texts?: readonly string[] }[]> {
  const whole = due.map((step) => ({ step }))
  const [next] = due
  if (current === 0 || next === undefined) return whole
  if (!isApart(next)) {
    const count = due.findIndex(isApart)
    return count === -1 ? whole : whole.slice(0, count)
  }
  // Another program may have built the index, or drop it now.
  const isMade = next.builds === undefined ? next === apart : (await validityOf(connection, next.builds.index)) === true
  return isMade ? [{ step: next, texts: [noteOf(next)] }] : []
}

/** @throws SchemaError when the tables are not those of this program. */
export async function readOutlook(
  connection: Connection,
  { extent, steps }: { readonly extent: Extent; readonly steps: readonly Migration[] },
): Promise<Outlook> {
  const { rows } = await connection.client.query<{ exists: boolean }>(
    "select to_regclass(quote_ident(current_schema()) || '.migrations') is not null as exists",
  )
  if (rows[0]?.exists !== true) return outlookOf([], { steps, extent })
  await refuseAdditions(connection)
  const made = await connection.client.query<Made>('select number, name from migrations')
  return outlookOf(made.rows, { steps, extent })
}

async function refuseOlderServers(connection: Connection, { current, due }: Outlook): Promise<void> {
  const closing = due.findLast((step) => !isExpansion(step))
  if (current === 0 || closing === undefined) return
  const places = await olderServers(connection, closing.number)
  if (places.length > 0) throw new OlderServers(places)
}

class OlderServers extends Error {
  override readonly name = 'OlderServers'

  constructor(places: readonly string[]) {
    super(`servers of an earlier version are connected from ${places.join(', ')}, and cannot go on after it`)
  }
}

/** The obstacle that may be gone at the next attempt. Undefined when the error is none. */
function obstacleOf(error: unknown): string | undefined {
  if (error instanceof OlderServers) return error.message
  if (stateOf(error) === lockNotAvailable) return 'another transaction holds a lock that the migration needs'
  return isRace(error) ? 'another program migrates too' : undefined
}

function isRace(error: unknown): boolean {
  return otherWasFaster.includes(stateOf(error) ?? '')
}
