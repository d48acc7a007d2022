import assert from 'node:assert/strict'
import { portionsOf } from '../change_marks.ts'
import type { Migration } from '../migrations/migration.ts'
import { migrations } from '../migrations/migrations.ts'
import type { Parameters } from '../query.ts'
import { type QueueChange, type QueueOutcome, type QueueStep, type QueueValues, stepsOf } from '../queue_changes.ts'
import { errorOf, type Health, logNumberOf, logsMax, type Store } from '../store.ts'
import { answered } from './answers.ts'
import { writeStatements } from './commits/write_rows.ts'
import { createWriter, type Writer } from './commits/writer.ts'
import type { Connection } from './connection.ts'
import type { DatabaseAddress } from './database_address.ts'
import { createEraser } from './erase.ts'
import { type ConnectorLog, createConnector } from './hosts.ts'
import { serverName } from './migration/older_servers.ts'
import { prepareDatabase } from './prepare_database.ts'
import { createReader, type Reader, readStatements } from './reader.ts'
import { createSlot } from './slot.ts'
import type { Statement } from './statement.ts'
import { waitingEndpoints } from './waiting_endpoints.ts'

/** A statement takes milliseconds. A commit that waits for a lock or a standby may take longer. */
const statementMsMax = 7_000

const queueStatements: { readonly [N in keyof QueueValues]: Statement<QueueValues[N], unknown> } = writeStatements

type Opening = {
  readonly migrates?: boolean
  readonly steps?: readonly Migration[]
  /** Told when the database is lost, and when it is there again. */
  readonly log?: ConnectorLog
}

/**
 * Opens a database of PostgreSQL, and makes its tables if there are none. An older schema is brought up to date only if
 * the caller `migrates`, because other servers may be using it.
 * @throws SchemaError when the tables are not those of this program.
 * @throws Error when no server takes writes.
 */
export async function openPostgresStore(
  address: DatabaseAddress,
  { migrates = false, steps = migrations, log }: Opening = {},
): Promise<Store> {
  const { connect } = createConnector(address, log)
  const open = () => connect({ name: serverName(steps.length), statementMsMax })
  const first = await open()
  try {
    await prepareDatabase({ address, connection: first }, { migrates, steps, onWarning: (text) => log?.warn({}, text) })
  } catch (error) {
    await first.close()
    throw error
  }
  const writer = createWriter(open)
  const reader = createReader(open, first)
  const eraser = createEraser(open, reader.connection)
  // Strangers read the transparency log, and its commits wait for a standby.
  const ofLog = createSlot(open)
  // Erases what the last run of a node left over.
  eraser.eraseSoon()

  return {
    find: (reads) => reader.find(reads),
    async changeMarks(organizationIds) {
      const portions = portionsOf(organizationIds)
      return (await Promise.all(portions.map((portion) => rows(readStatements.changeMarks, portion)))).flat()
    },
    activityBytes: async (activity) => (await rows(readStatements.activitySize, activity))[0]?.bytes ?? 0,
    async commit(commit) {
      const outcome = await writer.write(commit)
      if (outcome === 'committed' && commit.erasures.length > 0) eraser.eraseSoon()
      return outcome
    },
    nextMessageOrganization: async (from) => (await rows(readStatements.nextMessageOrganization, from))[0],
    dueMessages: (due) => rows(readStatements.dueMessages, due),
    waitingEndpoints: (from) => rows(waitingEndpoints, from),
    nextWebhookSource: async (from) => (await rows(readStatements.nextWebhookSource, from))[0],
    largestWebhookSource: async (endpoint) => (await rows(readStatements.largestWebhookSource, endpoint))[0],
    dueWebhooks: (due) => rows(readStatements.dueWebhooks, due),
    dueNoticeLines: (due) => rows(readStatements.dueNoticeLines, due),
    dueNotices: (due) => rows(readStatements.dueNotices, due),
    dueLinesOfMailbox: (of) => rows(readStatements.dueLinesOfMailbox, of),
    changeQueue: async (change) => changeQueue(await reader.connection(), change),
    async keepLog({ logId, log, bundles }) {
      const connection = await ofLog.connection()
      await answered([
        connection.begin(),
        ...bundles.map((bundle) => connection.run(writeStatements.insertBundle, { logId, ...bundle })),
        ...(log === undefined ? [] : [connection.run(writeStatements.insertLog, log)]),
        connection.commit(),
      ])
    },
    logs: (after = '') => logRows(readStatements.logs, { after, limit: logsMax }),
    log: async (logId) => (await logRows(readStatements.log, { logId }))[0],
    logBundle: async (bundle) => (await logRows(readStatements.logBundle, bundle))[0]?.entries,
    bundleRoots: (range) => logRows(readStatements.bundleRoots, range),
    listedActivities: (range) => logRows(readStatements.listedActivities, range),
    async indexBundle({ logId, number, rows: places }) {
      const connection = await reader.connection()
      const log = logNumberOf(logId)
      await answered([
        connection.begin(),
        connection.runRows(
          writeStatements.insertIndexRows,
          places.map((row) => ({ log, ...row })),
        ),
        connection.run(writeStatements.raiseIndexed, { logId, indexed: number + 1 }),
        connection.commit(),
      ])
    },
    logIndex: ({ logId, ...range }) => logRows(readStatements.logIndex, { ...range, log: logNumberOf(logId) }),
    vaultState,
    async initializeVaultState(state) {
      const connection = await reader.connection()
      // Sent at once: the connection is shared.
      await answered([
        connection.begin(),
        connection.run(writeStatements.insertVaultState, { state }),
        connection.commit(),
      ])
      const stored = await vaultState()
      assert(stored !== undefined, 'the state of the vault is stored')
      return stored
    },
    health: () => healthOf({ reader, writer }),
    async close() {
      await writer.close()
      await ofLog.close()
      // Before the reader, whose connection it uses.
      await eraser.close()
      await reader.close()
    },
  }

  async function rows<P extends Parameters, Row>(statement: Statement<P, Row>, values: P): Promise<readonly Row[]> {
    return (await (await reader.connection()).run(statement, values)).rows
  }

  async function logRows<P extends Parameters, Row>(statement: Statement<P, Row>, values: P): Promise<readonly Row[]> {
    return (await (await ofLog.connection()).run(statement, values)).rows
  }

  async function vaultState(): Promise<Uint8Array | undefined> {
    return (await rows(readStatements.vaultState, {}))[0]?.state
  }
}

async function changeQueue(connection: Connection, change: QueueChange): Promise<QueueOutcome> {
  let isMore = false
  for (const step of stepsOf(change)) {
    const { changed } = await runStep(connection, step)
    if (step.isClaim && changed !== 1) return 'conflict'
    if (step.isPortion && changed > 0) isMore = true
  }
  return isMore ? 'more' : 'committed'
}

function runStep<N extends QueueStep['statement']>(connection: Connection, { statement, values }: QueueStep<N>) {
  return connection.run(queueStatements[statement], values)
}

async function healthOf({ reader, writer }: { readonly reader: Reader; readonly writer: Writer }): Promise<Health> {
  const reading = errorOf(async () => {
    const { rows } = await (await reader.connection()).run(readStatements.ping, {})
    assert(rows.length === 1, 'the database lost its schema number')
  })
  const [readError, writeError] = await Promise.all([reading, writer.health()])
  return { readError, writeError }
}
