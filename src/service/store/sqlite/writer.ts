/** The entry of the worker thread that owns the one connection which writes. */

import { parentPort, workerData } from 'node:worker_threads'
import { batchJobsMax, createBatch, type Job } from './batch.ts'
import { openWriter } from './connection.ts'
import type { FromWriter, ToWriter } from './messages.ts'

const port = parentPort
if (port === null) throw new Error('writer.ts is the entry of a worker thread')

const database = openWriter(workerData)
const executeBatch = createBatch(database)
const waiting: Job[] = []
let isClosing = false

port.on('message', (message: ToWriter) => {
  if (message.kind === 'close') isClosing = true
  else waiting.push(...message.jobs)
  while (waiting.length > 0) {
    const outcomes = executeBatch(waiting.splice(0, batchJobsMax))
    answer({ kind: 'outcomes', outcomes })
  }
  if (isClosing) {
    database.close()
    port.close()
  }
})
answer({ kind: 'ready' })

function answer(message: FromWriter): void {
  port?.postMessage(message)
}
