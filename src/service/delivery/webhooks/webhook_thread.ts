import { Worker } from 'node:worker_threads'
import { entryFile } from '../../../link/entry_file.ts'
import type { SignedWebhook } from '../../../protocol/wire/webhooks.ts'
import type { Log } from '../../process/log.ts'
import type { Carrier, Outcome } from '../carrier.ts'
import type { WebhookRules } from './webhook_carrier.ts'

/** To the thread: an event to post, or one that is not waited for any more. */
export type ToSender =
  | { readonly kind: 'send'; readonly id: number; readonly webhook: SignedWebhook; readonly messageId: string }
  | { readonly kind: 'giveUp'; readonly id: number }

export type FromSender = { readonly id: number; readonly outcome: Outcome }

const timedOut: Outcome = { kind: 'failed', reason: 'timeout' }
const ownEntry = entryFile(import.meta.dirname, 'webhook_sender')
/** For objects that stay. The thread sends and reads a few hundred KiB at a time. */
const oldHeapMiBMax = 128

/**
 * Posts events from a thread of their own. Anybody may be a receiver, and TLS with one can keep a thread busy for a
 * third of a second: by certificates with keys of 10,000 bits, or by records of one byte
 * (docs/decisions/0167-webhooks-from-their-own-thread.md). The thread begins with the first event, and again after it has
 * ended by a fault. `entryPath` is another entry than its own.
 */
export function createWebhookThread(
  rules: Omit<WebhookRules, 'resolve'>,
  { log, entryPath = ownEntry }: { readonly log: Pick<Log, 'error'>; readonly entryPath?: string },
): Carrier<SignedWebhook> {
  const waiting = new Map<number, (outcome: Outcome) => void>()
  let worker: Worker | undefined
  let ids = 0

  function start(): Worker {
    const started = new Worker(entryPath, {
      workerData: rules,
      name: 'webhooks',
      resourceLimits: { maxOldGenerationSizeMb: oldHeapMiBMax },
    })
    started.unref() // The store keeps what is not delivered.
    started.on('message', ({ id, outcome }: FromSender) => finish(id, outcome))
    started.on('error', (error) => log.error({ error }, 'the thread that posts webhooks has failed')) // 'exit' follows
    started.on('exit', () => {
      worker = undefined
      for (const id of waiting.keys()) finish(id, { kind: 'failed', reason: 'fault' })
    })
    return started
  }

  function finish(id: number, outcome: Outcome): void {
    waiting.get(id)?.(outcome)
    waiting.delete(id)
  }

  return (webhook, { messageId, signal }) => {
    if (signal.aborted) return Promise.resolve(timedOut) // No event would tell it.
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    worker ??= start()
    const post = (message: ToSender) => worker?.postMessage(message)
    const id = ++ids
    // The thread may be too busy to see that the time is up.
    const giveUp = () => {
      finish(id, timedOut)
      post({ kind: 'giveUp', id })
    }
    signal.addEventListener('abort', giveUp, { once: true })
    waiting.set(id, (outcome) => {
      signal.removeEventListener('abort', giveUp)
      resolve(outcome)
    })
    post({ kind: 'send', id, webhook, messageId })
    return promise
  }
}
