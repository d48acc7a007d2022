import { hash } from 'node:crypto'
import type { Commit } from '../../../../protocol/reads.ts'
import { textOfError } from '../../../../protocol/tools/error_text.ts'
import { createFairQueue } from '../../fair_queue.ts'
import { stateOf } from '../answers.ts'
import type { Connection } from '../connection.ts'
import { createSlot } from '../slot.ts'
import { executeBatch, type Outcome } from './commit_batch.ts'
import { writtenOrganizations } from './locked_rows.ts'
import { writeStatements } from './write_rows.ts'

/** Executes commits in transactions of many. */
export type Writer = {
  /**
   * Resolves when the transaction that holds the commit is durable.
   * @throws Error when the commit could not be written. When the connection was lost, it may have been all the same.
   */
  readonly write: (commit: Commit) => Promise<'committed' | 'conflict'>
  /** Why the last transaction failed; undefined when it did not, or when a small write has worked since. */
  readonly health: () => Promise<Error | undefined>
  /** Waits for what was already asked. */
  readonly close: () => Promise<void>
}

/**
 * While one transaction waits for the disk, another is filled. Commits of one organization stay in one lane, where they
 * need not wait for each other's locks.
 */
const lanes = 2

export function createWriter(connect: () => Promise<Connection>): Writer {
  const all = Array.from({ length: lanes }, () => createLane(connect))
  let isClosed = false
  return {
    write(commit) {
      if (isClosed) return Promise.reject(new Error('the store is closed'))
      const owner = ownerOf(commit)
      const lane = all[hash('sha256', owner, 'buffer').readUInt8(0) % lanes]
      return lane?.write(commit, owner) ?? Promise.reject(new Error('the writer has no lane'))
    },
    health: async () => (await Promise.all(all.map((lane) => lane.health()))).find((error) => error !== undefined),
    async close() {
      isClosed = true
      await Promise.all(all.map((lane) => lane.close()))
    },
  }
}

type Waiting = {
  readonly commit: Commit
  readonly resolve: (outcome: 'committed' | 'conflict') => void
  readonly reject: (error: Error) => void
}

function createLane(connect: () => Promise<Connection>) {
  const slot = createSlot(connect)
  const waiting = createFairQueue<Waiting>()
  let working: Promise<void> | undefined
  let lastError: Error | undefined

  return {
    write,
    async health() {
      if (lastError !== undefined) {
        // In its turn: inside a transaction of commits it would share its fate.
        working ??= probe().then(work)
        await working
      }
      return lastError
    },
    async close() {
      await working
      await slot.close()
    },
  }

  function write(commit: Commit, owner: string): Promise<'committed' | 'conflict'> {
    return new Promise((resolve, reject) => {
      waiting.add({ commit, resolve, reject }, { owner, bytes: bytesOf(commit) })
      // Commits of one turn of the event loop go into one transaction.
      working ??= new Promise((resolveWork) => setImmediate(() => resolveWork(work())))
    })
  }

  async function probe(): Promise<void> {
    try {
      const connection = await slot.connection()
      await connection.run(writeStatements.touch, {})
      if (lacksRoom(lastError?.cause)) await takeRoom(connection)
      lastError = undefined
    } catch (error) {
      lastError = failure(error)
    }
  }

  async function work(): Promise<void> {
    while (waiting.size() > 0) await executeNext()
    working = undefined
  }

  async function executeNext(): Promise<void> {
    let items: readonly Waiting[] = []
    try {
      const connection = await slot.connection().catch(failAll)
      items = waiting.take()
      await execute(connection, items)
      lastError = undefined
    } catch (error) {
      lastError = failure(error)
      // Jobs that have their answer already do not notice.
      for (const { reject } of items) reject(lastError)
    }
  }

  /** Fails all waiting jobs, which would wait for the same connection once more. */
  function failAll(error: unknown): never {
    for (const { reject } of waiting.takeAll()) reject(failure(error))
    throw error
  }

  async function execute(connection: Connection, items: readonly Waiting[]): Promise<void> {
    for (let rest = items; rest.length > 0; ) rest = await executeTogether(connection, rest)
  }

  /** Returns those that are to be executed after these. */
  async function executeTogether(connection: Connection, items: readonly Waiting[]): Promise<readonly Waiting[]> {
    try {
      const commits = items.map(({ commit }) => commit)
      const outcomes = await executeBatch(connection, commits)
      return items.filter((item, index) => !answer(item, outcomes[index]))
    } catch (error) {
      // Nothing was written. One of several does not fail the others.
      const parts = partsToTryAlone(items, error)
      if (parts.length > 1) for (const part of parts) await execute(connection, part)
      else for (const item of items) refuse(item, error)
      return []
    }
  }
}

/**
 * A lock on an organization fails all commits of that organization: to try each of them would take as long each time.
 * @throws the error, when it is not of certain commits.
 */
function partsToTryAlone(items: readonly Waiting[], error: unknown): readonly (readonly Waiting[])[] {
  if (timeouts.includes(stateOf(error) ?? '')) return [...Map.groupBy(items, ({ commit }) => ownerOf(commit)).values()]
  if (isOfOneCommit(error)) return items.map((item) => [item])
  throw error
}

/** Whether it has its answer. */
function answer({ resolve }: Waiting, outcome: Outcome | undefined): boolean {
  if (outcome === undefined || outcome === 'later') return false
  resolve(outcome)
  return true
}

function refuse({ resolve, reject }: Waiting, error: unknown): void {
  if (isConflict(error)) resolve('conflict')
  else reject(new Error(`the database refused it: ${textOfError(error)}`, { cause: error }))
}

const uniqueViolation = '23505'
const serializationFailure = '40001'
const deadlockDetected = '40P01'

function isConflict(error: unknown): boolean {
  const state = stateOf(error)
  return state === uniqueViolation || state === serializationFailure || state === deadlockDetected
}

/** A lock that was not available, and a statement that was cancelled because it took too long. */
const timeouts: readonly string[] = ['55P03', '57014']

/** A full disk, or another resource that the server lacks. */
function lacksRoom(error: unknown): boolean {
  return stateOf(error)?.startsWith('53') ?? false
}

/** Writes some pages, and takes them back. A small change finds room on a page that is there, also on a full disk. */
async function takeRoom(connection: Connection): Promise<void> {
  await connection.begin()
  try {
    await connection.execute(
      "insert into migrations (number, name) select 0, string_agg(md5(random()::text), '') from generate_series(1, 1000)",
    )
  } finally {
    await connection.execute('rollback')
  }
}

/** Data, constraints, and limits of a statement: the classes that one commit can cause. */
const classesOfOneCommit: readonly string[] = ['22', '23', '54']

function isOfOneCommit(error: unknown): boolean {
  const isOfClass = classesOfOneCommit.includes(stateOf(error)?.slice(0, 2) ?? '')
  return error instanceof TypeError || isOfClass || isConflict(error)
}

/** The organization that a commit belongs to: where it writes first, or what it rests on if it writes nothing. */
function ownerOf(commit: Commit): string {
  return writtenOrganizations(commit)[0] ?? commit.readSet[0]?.organizationId ?? ''
}

function bytesOf({ activities, records, heads, outbox }: Commit): number {
  return [...activities, ...records, ...heads, ...outbox].reduce((sum, { sealed }) => sum + (sealed?.length ?? 0), 0)
}

function failure(cause: unknown): Error {
  return new Error(`the database could not write: ${textOfError(cause)}`, { cause })
}
