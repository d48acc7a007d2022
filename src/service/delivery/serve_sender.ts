import { parentPort } from 'node:worker_threads'
import type { Message } from '../../protocol/wire/outgoing_messages.ts'
import type { SignedWebhook } from '../../protocol/wire/webhooks.ts'
import { type Carrier, faultOf } from './carrier.ts'
import type { FromSender, ToSender } from './sender_thread.ts'

/** Sends what the other side of `startSenderThread` asks for. Called in the thread. */
export function serveSender<M extends Message | SignedWebhook>(carry: Carrier<M>): void {
  const port = parentPort
  if (port === null) throw new Error('this is the entry of a worker thread')
  const sending = new Map<number, AbortController>()

  port.on('message', (asked: ToSender<M>) => {
    if (asked.kind === 'giveUp') sending.get(asked.id)?.abort()
    else void send(asked)
  })

  async function send({ id, message, messageId }: Extract<ToSender<M>, { kind: 'send' }>): Promise<void> {
    const ending = new AbortController()
    sending.set(id, ending)
    const say = (said: FromSender) => port?.postMessage(said)
    const about = { messageId, signal: ending.signal, onLate: () => say({ kind: 'late', id }) }
    const outcome = await carry(message, about).catch(faultOf)
    sending.delete(id)
    say({ kind: 'ended', id, outcome })
  }
}
