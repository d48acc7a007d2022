import { setTimeout as pause } from 'node:timers/promises'
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
/** The thread has ended with this event alone in hand. */
const fault: Outcome = { kind: 'failed', reason: 'fault' }
/** It had others in hand, so nobody knows of which receiver. */
const interrupted: Outcome = { kind: 'failed', reason: 'interrupted' }
const ownEntry = entryFile(import.meta.dirname, 'webhook_sender')
/** For objects that stay. The thread sends and reads a few hundred KiB at a time. */
const oldHeapMiBMax = 128
/** Threads at once that each have a single event. One needs a third of a second of a processor to begin. */
const apartMax = 4
const placeMs = 50
/** Addresses of which this is remembered at once. The oldest is forgotten. */
const suspectsMax = 1_000

type InHand = { readonly url: string; readonly end: (outcome: Outcome) => void }
type Thread = { readonly worker: Worker; readonly inHand: Map<number, InHand> }
type About = Parameters<Carrier<SignedWebhook>>[1]
type ThreadParts = { readonly log: Pick<Log, 'error'>; readonly entryPath?: string }

/**
 * Posts events from a thread of their own. Anybody may be a receiver, and TLS with one can keep a thread busy for a
 * third of a second, by certificates with keys of 10,000 bits
 * (docs/decisions/0167-webhooks-from-their-own-thread.md). The thread begins with the first event, and again after it has
 * ended by a fault. From then on, events for the addresses of all that were in hand go each in a thread of its own, until
 * one of the address has not ended that. `entryPath` is another entry than its own.
 */
export function createWebhookThread(
  rules: Omit<WebhookRules, 'resolve'>,
  { log, entryPath = ownEntry }: ThreadParts,
): Carrier<SignedWebhook> {
  const suspects = new Set<string>()
  let shared: Thread | undefined
  let apart = 0
  let ids = 0

  function start(): Thread {
    const worker = new Worker(entryPath, {
      workerData: rules,
      name: 'webhooks',
      resourceLimits: { maxOldGenerationSizeMb: oldHeapMiBMax },
    })
    const inHand: Thread['inHand'] = new Map()
    worker.unref() // The store keeps what is not delivered.
    worker.on('message', ({ id, outcome }: FromSender) => {
      inHand.get(id)?.end(outcome)
      inHand.delete(id)
    })
    worker.on('error', (error) => log.error({ error }, 'the thread that posts webhooks has failed')) // 'exit' follows
    worker.on('exit', () => {
      if (shared?.worker === worker) shared = undefined
      const outcome = inHand.size === 1 ? fault : interrupted
      for (const { url, end } of inHand.values()) {
        suspect(url)
        end(outcome)
      }
    })
    return { worker, inHand }
  }

  function suspect(url: string): void {
    suspects.add(url)
    const [oldest] = suspects
    if (suspects.size > suspectsMax && oldest !== undefined) suspects.delete(oldest)
  }

  function send({ worker, inHand }: Thread, webhook: SignedWebhook, { messageId, signal }: About): Promise<Outcome> {
    if (signal.aborted) return Promise.resolve(timedOut) // No event would tell it.
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const post = (message: ToSender) => worker.postMessage(message)
    const id = ++ids
    // The thread may be too busy to see that the time is up. It has the event in hand until it says so.
    const giveUp = () => {
      resolve(timedOut)
      post({ kind: 'giveUp', id })
    }
    signal.addEventListener('abort', giveUp, { once: true })
    const end = (outcome: Outcome) => {
      signal.removeEventListener('abort', giveUp)
      resolve(outcome)
    }
    inHand.set(id, { url: webhook.url, end })
    post({ kind: 'send', id, webhook, messageId })
    return promise
  }

  async function sendApart(webhook: SignedWebhook, about: About): Promise<Outcome> {
    const hasWaited = apart >= apartMax
    while (apart >= apartMax) {
      if (about.signal.aborted) return interrupted
      await pause(placeMs)
    }
    apart += 1
    const thread = start()
    const outcome = await send(thread, webhook, about)
    apart -= 1
    thread.inHand.clear() // It does not end by a fault.
    void thread.worker.terminate()
    if (outcome !== fault) suspects.delete(webhook.url)
    return hasWaited && outcome === timedOut ? interrupted : outcome
  }

  return (webhook, about) => {
    if (suspects.has(webhook.url)) return sendApart(webhook, about)
    shared ??= start()
    return send(shared, webhook, about)
  }
}
