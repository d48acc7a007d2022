/** The entry of the worker thread that owns the one connection which writes. */

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
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
  receive(message)
  while (waiting.length > 0) {
    // What arrived while the last batch was written joins the next one.
    for (let next = receiveNow(); next !== undefined; next = receiveNow()) receive(next)
    const outcomes = executeBatch(waiting.splice(0, batchJobsMax))
    answer({ kind: 'outcomes', outcomes })
  }
  if (isClosing) {
    database.close()
    port.close()
  }
})
answer({ kind: 'ready' })

function receive(message: ToWriter): void {
  if (message.kind === 'close') isClosing = true
  else waiting.push(...message.jobs)
}

function receiveNow(): ToWriter | undefined {
  if (waiting.length >= batchJobsMax || port === null) return undefined
  return receiveMessageOnPort(port)?.message
}

function answer(message: FromWriter): void {
  port?.postMessage(message)
}
