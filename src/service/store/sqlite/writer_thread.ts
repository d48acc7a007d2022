import { Worker } from 'node:worker_threads'
import { entryFile } from '../../../link/entry_file.ts'
import { createFairQueue } from '../fair_queue.ts'
import type { QueueOutcome } from '../queue_changes.ts'
import type { Job, Outcome } from './batch.ts'
import { sqliteQueries } from './sqlite_queries.ts'
import { type FromWriter, jobsMessage, type ToWriter, type WriterData, weightOf } from './writer_messages.ts'

/** The worker thread that writes, seen from the thread that asks. */
export type WriterThread = {
  /**
   * Resolves when the transaction that holds the job is on disk.
   * @throws Error when the job could not be written; nothing of it was.
   */
  readonly write: (job: Job) => Promise<QueueOutcome>
  /** Why the last transaction failed; undefined when it did not. */
  readonly lastError: () => Error | undefined
  /** Waits for what was already asked. */
  readonly close: () => Promise<void>
}

type Waiting = {
  readonly job: Job
  readonly resolve: (outcome: QueueOutcome) => void
  readonly reject: (e: Error) => void
}

/** @throws Error when the thread cannot open the database. */
export async function startWriterThread({ path, schema }: Pick<WriterData, 'path' | 'schema'>): Promise<WriterThread> {
  const workerData: WriterData = { path, queries: sqliteQueries, schema }
  const worker = new Worker(entryFile(import.meta.dirname, 'writer'), { workerData, name: 'store writer' })
  const collected = createFairQueue<Waiting>()
  /** The jobs that the thread has not answered yet. */
  let sent: readonly Waiting[] = []
  let lastError: Error | undefined
  /** Set once the thread takes no more jobs. */
  let ended: Error | undefined

  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve()) // 'ready', always the first
    worker.once('error', reject)
  })
  worker.on('message', (message: FromWriter) => {
    if (message.kind === 'outcomes') answer(message.outcomes)
  })
  worker.once('error', (cause) => fail(new Error('the writer of the database died', { cause })))
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      fail(new Error('the store is closed'))
      resolve()
    })
  })

  return { write, lastError: () => lastError, close }

  function write(job: Job): Promise<QueueOutcome> {
    if (ended !== undefined) return Promise.reject(ended)
    return new Promise((resolve, reject) => {
      // Jobs of one turn of the event loop go over in one message, and so do jobs that come while the thread writes:
      // waking the thread costs more than the message.
      if (collected.size() === 0 && sent.length === 0) setImmediate(send)
      collected.add({ job, resolve, reject }, { owner: ownerOf(job), bytes: weightOf(job) })
    })
  }

  function send(): void {
    if (collected.size() === 0 || sent.length > 0) return
    sent = collected.take()
    post(sent)
  }

  function post(waiting: readonly Waiting[]): void {
    const { message, moved } = jobsMessage(waiting.map(({ job }) => job))
    worker.postMessage(message, [moved])
  }

  function answer(outcomes: readonly Outcome[]): void {
    lastError = undefined
    const answered = sent.slice(0, outcomes.length)
    sent = sent.slice(outcomes.length)
    for (const [index, { resolve, reject }] of answered.entries()) {
      const outcome = outcomes[index]
      if (typeof outcome === 'string') resolve(outcome)
      else {
        lastError = new Error(`the database could not write: ${outcome?.error}`)
        reject(lastError)
      }
    }
    send()
  }

  function fail(error: Error): void {
    ended ??= error
    lastError ??= error
    for (const { reject } of [...sent, ...collected.takeAll()]) reject(ended)
    sent = []
  }

  async function close(): Promise<void> {
    if (ended === undefined) {
      const rest = collected.takeAll()
      sent = [...sent, ...rest]
      post(rest)
      ended = new Error('the store is closed')
      const message: ToWriter = { kind: 'close' }
      worker.postMessage(message)
    }
    await exited
  }
}

/** The organization that a job belongs to. */
function ownerOf(job: Job): string {
  if (job.do !== 'commit') return ''
  const { activities, heads } = job.commit
  return activities[0]?.organizationId ?? heads[0]?.organizationId ?? ''
}
