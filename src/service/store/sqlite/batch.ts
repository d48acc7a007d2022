import type { DatabaseSync } from 'node:sqlite'
import type { Commit } from '../../../protocol/reads.ts'
import { textOfError } from '../../../protocol/tools/error_text.ts'
import { type QueueChange, type QueueOutcome, type QueueStep, type QueueValues, stepsOf } from '../queue_changes.ts'
import { type IndexedBundle, type KeptLog, logNumberOf } from '../store.ts'
import { Conflict, createApply, createCheck } from './apply.ts'
import type { Statement, Statements } from './connection.ts'
import { createEraser } from './erase.ts'
import type { SchemaGuard } from './schema_guard.ts'

/** A request to the writer. */
export type Job =
  | { readonly do: 'commit'; readonly commit: Commit }
  | { readonly do: 'initializeVaultState'; readonly state: Uint8Array }
  | { readonly do: 'keepLog'; readonly kept: KeptLog }
  | { readonly do: 'indexBundle'; readonly bundle: IndexedBundle }
  | { readonly do: 'changeQueue'; readonly change: QueueChange }
  /** A small write that changes nothing, to learn whether writing works. */
  | { readonly do: 'probe' }

export type Outcome = QueueOutcome | { readonly error: string }

/** So many that each commit's share of the disk sync is small, and so few that the first does not wait long. */
export const batchJobsMax = 256

const sqliteConstraint = 19
const uniqueConstraints: readonly unknown[] = [1555, 2067, 2579] // primary key, unique, row id

/**
 * Makes the function that executes jobs in one transaction, with one disk sync. Each job has a savepoint: it sees what
 * earlier jobs wrote, and a conflict leaves nothing behind. Outcomes are in the order of the jobs and final when the
 * call returns. The function does not throw: when the transaction fails, as for a changed schema, every outcome says
 * so, nothing was written, and the connection is ready for the next call.
 */
export function createBatch(
  database: DatabaseSync,
  statements: Statements,
  schema: SchemaGuard,
): (jobs: readonly Job[]) => readonly Outcome[] {
  const check = createCheck(statements)
  const apply = createApply(statements, createEraser(database, statements, schema))
  const ofQueues: { readonly [N in keyof QueueValues]: Pick<Statement<QueueValues[N], never>, 'run'> } = statements
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const savepoint = database.prepare('savepoint job')
  const release = database.prepare('release job')
  const rollbackTo = database.prepare('rollback to job')

  return (jobs) => {
    try {
      begin.run()
      schema.enter()
      check.forget()
      const outcomes = jobs.map(executeAlone)
      schema.leave()
      commit.run()
      return outcomes
    } catch (cause) {
      const error = textOfError(schema.explain(cause))
      // A full disk or an I/O error may have ended the transaction already.
      if (database.isTransaction) database.exec('rollback')
      return jobs.map(() => ({ error }))
    }
  }

  function executeAlone(job: Job): Outcome {
    savepoint.run()
    try {
      const outcome = execute(job)
      release.run()
      return outcome
    } catch (cause) {
      if (!isOfOneJob(cause)) throw cause
      rollbackTo.run()
      release.run()
      return isConflict(cause) ? 'conflict' : { error: textOfError(cause) }
    }
  }

  function execute(job: Job): 'committed' | 'more' {
    switch (job.do) {
      case 'commit':
        if (!check.holds(job.commit.readSet)) throw new Conflict('the read set no longer holds')
        if (changesWhatIsHeld(job.commit)) check.forget()
        apply(job.commit)
        return 'committed'
      case 'initializeVaultState':
        statements.insertVaultState.run({ state: job.state })
        return 'committed'
      case 'keepLog':
        keepLog(statements, job.kept)
        return 'committed'
      case 'indexBundle':
        indexBundle(statements, job.bundle)
        return 'committed'
      case 'changeQueue':
        return changeQueue(job.change)
      case 'probe':
        statements.touch.run({})
        return 'committed'
    }
  }

  function changeQueue(change: QueueChange): 'committed' | 'more' {
    let isMore = false
    for (const step of stepsOf(change)) {
      const changed = runStep(step)
      if (step.isClaim && changed !== 1) throw new Conflict('it was taken already')
      if (step.isPortion && changed > 0) isMore = true
    }
    return isMore ? 'more' : 'committed'
  }

  function runStep<N extends QueueStep['statement']>({ statement, values }: QueueStep<N>): number {
    return ofQueues[statement].run(values)
  }
}

function keepLog({ insertBundle, insertLog }: Statements, { logId, log, bundles }: KeptLog): void {
  for (const bundle of bundles) insertBundle.run({ logId, ...bundle })
  if (log !== undefined) insertLog.run(log)
}

function indexBundle({ insertIndexRow, raiseIndexed }: Statements, { logId, number, rows }: IndexedBundle): void {
  const log = logNumberOf(logId)
  for (const row of rows) insertIndexRow.run({ log, ...row })
  raiseIndexed.run({ logId, indexed: number + 1 })
}

/** Whether this commit can invalidate cached checks. */
function changesWhatIsHeld({ heads, records, lookups, erasures }: Commit): boolean {
  return [heads, records, lookups, erasures].some((rows) => rows.length > 0)
}

/** Whether only this job failed: by a constraint, or a value that SQLite cannot hold. Other errors fail the batch. */
function isOfOneJob(error: unknown): boolean {
  const code = resultCode(error)
  return code === undefined || (code & 0xff) === sqliteConstraint
}

function isConflict(error: unknown): boolean {
  return error instanceof Conflict || uniqueConstraints.includes(resultCode(error))
}

/** SQLite's extended result code; undefined when it is not SQLite's error. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}
