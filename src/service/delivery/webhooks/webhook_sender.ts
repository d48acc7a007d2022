/** The entry of the worker thread that posts events to their receivers. */

import { parentPort, workerData } from 'node:worker_threads'
import { faultOf } from '../carrier.ts'
import { createWebhookCarrier, type WebhookRules } from './webhook_carrier.ts'
import type { FromSender, ToSender } from './webhook_thread.ts'

const port = parentPort
if (port === null) throw new Error('webhook_sender.ts is the entry of a worker thread')

const rules: WebhookRules = workerData
const carry = createWebhookCarrier(rules)
const sending = new Map<number, AbortController>()

port.on('message', (message: ToSender) => {
  if (message.kind === 'giveUp') sending.get(message.id)?.abort()
  else void send(message)
})

async function send({ id, webhook, messageId }: Extract<ToSender, { kind: 'send' }>): Promise<void> {
  const ending = new AbortController()
  sending.set(id, ending)
  const outcome = await carry(webhook, { messageId, signal: ending.signal }).catch(faultOf)
  sending.delete(id)
  port?.postMessage({ id, outcome } satisfies FromSender)
}
