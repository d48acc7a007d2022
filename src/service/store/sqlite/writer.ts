/** The entry of the worker thread that owns the one connection which writes. */

import { parentPort, workerData } from 'node:worker_threads'
import { batchJobsMax, createBatch, type Job } from './batch.ts'
import { openWriter, prepareAll } from './connection.ts'
import { createEraser } from './erase.ts'
import { createSchemaGuard } from './schema_guard.ts'
import type { FromWriter, ToWriter, WriterData } from './writer_messages.ts'

const port = parentPort
if (port === null) throw new Error('writer.ts is the entry of a worker thread')

const { path, queries, schema: expected }: WriterData = workerData
const database = openWriter(path)
const schema = createSchemaGuard(database, { path, expected })
const statements = prepareAll(database, queries)
const executeBatch = createBatch(database, statements, schema)
const waiting: Job[] = []
let isClosing = false

/** Pauses between two portions, and after a portion that failed. Jobs come first. */
const eraseAfterMs = 20
const eraseAgainAfterMs = 10_000
const eraser = createEraser(database, statements, schema)
let erasing: NodeJS.Timeout | undefined

port.on('message', (message: ToWriter) => {
  if (message.kind === 'close') isClosing = true
  else waiting.push(...message.jobs)
  if (waiting.some(leavesToErase)) eraseIn(eraseAfterMs)
  while (waiting.length > 0) {
    const outcomes = executeBatch(waiting.splice(0, batchJobsMax))
    answer({ kind: 'outcomes', outcomes })
  }
  if (isClosing) {
    clearTimeout(erasing)
    database.close()
    port.close()
  }
})
// Erases what the last run of the program left over.
eraseIn(eraseAfterMs)
answer({ kind: 'ready' })

function leavesToErase(job: Job): boolean {
  return job.do === 'commit' && job.commit.erasures.length > 0
}

function eraseIn(afterMs: number): void {
  clearTimeout(erasing)
  erasing = setTimeout(eraseMore, afterMs)
}

function eraseMore(): void {
  try {
    if (eraser.eraseMore() === 'more') eraseIn(eraseAfterMs)
  } catch {
    // For example, the disk is full. Failing jobs report it; erasing waits.
    eraseIn(eraseAgainAfterMs)
  }
}

function answer(message: FromWriter): void {
  port?.postMessage(message)
}
