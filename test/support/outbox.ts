import { randomUUID } from 'node:crypto'
import type { OutboxRow } from '../../src/protocol/reads.ts'
import type { Message, OutgoingMessage } from '../../src/protocol/wire/outgoing_messages.ts'
import { createOutbox } from '../../src/vault/state/draft/outbox.ts'
import type { Server } from './in_process.ts'
import { openVaultSeals } from './seals.ts'
import { commitOf } from './store/rows.ts'

export const passcode = 'XK7QPASSCODE'

export const mail: Message = {
  channel: 'mail',
  to: 'ada@example.org',
  subject: 'Dein Zugangscode',
  text: `Grüße. Der Code ist ${passcode}`,
  html: `<p>Grüße. Der Code ist <b>${passcode}</b></p>`,
}

export const sms: Message = { channel: 'sms', to: '+14155550123', text: `Code: ${passcode}` }

/**
 * Writes messages as operations of one organization would, a new one or the given: sealed by the vault's own seals, each
 * in its own commit.
 */
export async function writeMessages(
  server: Pick<Server, 'folder' | 'store'>,
  messages: readonly OutgoingMessage[],
  organizationId: string = randomUUID(),
): Promise<readonly OutboxRow[]> {
  const seals = await openVaultSeals(server)
  const outbox = createOutbox({ seals, newId: randomUUID }, organizationId)
  for (const message of messages) outbox.send(message)
  for (const row of outbox.rows()) {
    if ((await server.store.commit(commitOf({ outbox: [row] }))) !== 'committed') throw new Error('a fresh id is free')
  }
  return outbox.rows()
}
