import { setTimeout as pause } from 'node:timers/promises'
import { entryFile } from '../../../link/entry_file.ts'
import type { Log } from '../../process/log.ts'
import { type Carrier, interrupted, type Outcome } from '../carrier.ts'
import { type SenderThread, startSenderThread } from '../sender_thread.ts'
import type { SentWebhook, WebhookRules } from './webhook_carrier.ts'

/** The thread has ended with this event alone in hand. */
const fault: Outcome = { kind: 'failed', reason: 'fault' }
const ownEntry = entryFile(import.meta.dirname, 'webhook_sender')
/** Threads at once that each have a single event. One needs a third of a second of a processor to begin. */
const apartMax = 4
const placeMs = 50
/** Addresses of which this is remembered at once. The oldest is forgotten. */
const suspectsMax = 1_000

type Thread = SenderThread<SentWebhook>
type ThreadParts = { readonly log: Pick<Log, 'error'>; readonly entryPath?: string }

/**
 * Posts events from a thread of their own, because anybody may be a receiver. It begins with the first event, and again
 * after it has ended by a fault. From then on, events for the addresses of all that were in hand go each in a thread of
 * its own, until one of the address has not ended that (docs/decisions/0168-events-are-tried-apart.md). `entryPath` is
 * another entry than its own.
 */
export function createWebhookThread(
  rules: Omit<WebhookRules, 'resolve' | 'nowMs'>,
  { log, entryPath = ownEntry }: ThreadParts,
): Carrier<SentWebhook> {
  const suspects = new Set<string>()
  let shared: Thread | undefined
  let apart = 0

  function start(): Thread {
    const thread: Thread = startSenderThread<SentWebhook>({
      entryPath,
      name: 'webhooks',
      data: rules,
      onError: (error) => log.error({ error }, 'the thread that posts webhooks has failed'),
      onEnd(inHand) {
        if (shared === thread) shared = undefined
        for (const { url } of inHand) suspect(url)
        return inHand.length === 1 ? fault : interrupted // nobody knows of which receiver
      },
    })
    return thread
  }

  function suspect(url: string): void {
    suspects.add(url)
    const [oldest] = suspects
    if (suspects.size > suspectsMax && oldest !== undefined) suspects.delete(oldest)
  }

  const sendApart: Carrier<SentWebhook> = async (webhook, about) => {
    const hasWaited = apart >= apartMax
    while (apart >= apartMax) {
      if (about.signal.aborted) return interrupted
      await pause(placeMs)
    }
    apart += 1
    const thread = start()
    const outcome = await thread.send(webhook, about)
    apart -= 1
    thread.stop() // It does not end by a fault.
    if (outcome !== fault) suspects.delete(webhook.url)
    return hasWaited && outcome.kind === 'failed' && outcome.reason === 'timeout' ? interrupted : outcome
  }

  return (webhook, about) => {
    if (suspects.has(webhook.url)) return sendApart(webhook, about)
    shared ??= start()
    return shared.send(webhook, about)
  }
}
