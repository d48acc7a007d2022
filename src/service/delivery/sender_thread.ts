import { Worker } from 'node:worker_threads'
import type { Message } from '../../protocol/wire/outgoing_messages.ts'
import type { SignedWebhook } from '../../protocol/wire/webhooks.ts'
import type { Carrier, Outcome } from './carrier.ts'

/** Carriers take these, in a form that reaches another thread. */
type Sent = Message | SignedWebhook

/** To the thread: a message to send, or one that is not waited for any more. */
export type ToSender<M extends Sent> =
  | { readonly kind: 'send'; readonly id: number; readonly message: M; readonly messageId: string }
  | { readonly kind: 'giveUp'; readonly id: number }

/** From the thread: `late` is the call of `onLate`. */
export type FromSender =
  | { readonly kind: 'late'; readonly id: number }
  | { readonly kind: 'ended'; readonly id: number; readonly outcome: Outcome }

type InHand<M> = {
  readonly message: M
  readonly end: (outcome: Outcome) => void
  readonly onLate: (() => void) | undefined
}

type SenderThreadParts<M> = {
  /** The file that the thread begins with, which calls `serveSender`. */
  readonly entryPath: string
  readonly name: string
  /** For the thread to begin with. */
  readonly data: unknown
  readonly onError: (error: unknown) => void
  /** Called when the thread has ended by a fault, with what it had in hand. Returns the outcome of each. */
  readonly onEnd: (inHand: readonly M[]) => Outcome
}

export type SenderThread<M extends Sent> = {
  readonly send: Carrier<M>
  /** Ends it, and nothing that it has in hand gets an outcome. */
  stop(): void
}

const timedOut: Outcome = { kind: 'failed', reason: 'timeout' }
/** For objects that stay. A thread sends and reads a few hundred KiB at a time. */
const oldHeapMiBMax = 128

/**
 * Starts a thread that sends messages. TLS with another server can keep a thread busy for long, by certificates with keys
 * of 10,000 bits (docs/decisions/0167-webhooks-from-their-own-thread.md). The thread has a message in hand until it says
 * what became of it, also where nobody waits for that any more: it may be too busy to see that the time is up.
 */
export function startSenderThread<M extends Sent>(parts: SenderThreadParts<M>): SenderThread<M> {
  const { entryPath, name, data, onError, onEnd } = parts
  const worker = new Worker(entryPath, {
    workerData: data,
    name,
    resourceLimits: { maxOldGenerationSizeMb: oldHeapMiBMax },
  })
  const inHand = new Map<number, InHand<M>>()
  let ids = 0
  worker.on('message', (said: FromSender) => {
    const one = inHand.get(said.id)
    if (said.kind === 'late') return one?.onLate?.()
    one?.end(said.outcome)
    inHand.delete(said.id)
  })
  worker.on('error', onError) // 'exit' follows
  worker.on('exit', () => {
    const left = [...inHand.values()]
    const outcome = onEnd(left.map(({ message }) => message))
    for (const { end } of left) end(outcome)
  })
  worker.unref() // The store keeps what is not delivered. Behind the listener, which would hold the process again.
  const post = (message: ToSender<M>) => worker.postMessage(message)

  return {
    async send(message, { messageId, signal, onLate }) {
      if (signal.aborted) return timedOut // No event would tell it.
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      const id = ++ids
      const giveUp = () => {
        resolve(timedOut)
        post({ kind: 'giveUp', id })
      }
      signal.addEventListener('abort', giveUp, { once: true })
      const end = (outcome: Outcome) => {
        signal.removeEventListener('abort', giveUp)
        resolve(outcome)
      }
      inHand.set(id, { message, end, onLate })
      post({ kind: 'send', id, message, messageId })
      return promise
    },
    stop() {
      inHand.clear()
      void worker.terminate()
    },
  }
}
