import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openVaultSeals } from '../../../../test/support/seals.ts'
import { start } from '../../../../test/support/start.ts'
import type { Message } from '../../../protocol/wire/outgoing_messages.ts'
import { createOutbox } from './outbox.ts'

const organizationId = randomUUID()
const expiresAtMs = 2_000_000
const mail: Message = {
  channel: 'mail',
  to: 'ada@example.org',
  subject: 'Dein Code für „Müller“',
  text: 'XK7-passcode',
  html: '<b>XK7-passcode</b>',
  from: { name: 'Müller' },
  replyTo: 'help@example.org',
}
const sms: Message = { channel: 'sms', to: '+14155550123', text: 'XK7-passcode' }

/** A vault whose clock the test sets, and the outbox of its operations. */
async function startVault() {
  const clock = { nowMs: expiresAtMs - 1 }
  const server = await start({ nowMs: () => clock.nowMs })
  const outbox = createOutbox({ seals: await openVaultSeals(server), newId: () => randomUUID() }, organizationId)
  const send = (message: Message) => {
    outbox.send({ ...message, expiresAtMs })
    return outbox.rows().at(-1) ?? expect.fail('nothing was sent')
  }
  const open = ({ channel: _channel, expiresAtMs: _expiresAtMs, ...request }: ReturnType<typeof send>) =>
    server.vault.openMessage({ ...request, presented: [] })
  return { clock, outbox, send, open }
}

test.each([mail, sms])('a $channel opens as it was sent, any number of times', async (message) => {
  const { send, open } = await startVault()
  const row = send(message)
  expect(row).toEqual({ ...row, organizationId, channel: message.channel, expiresAtMs })
  expect(await open(row)).toEqual({ kind: 'message', message })
  expect(await open(row)).toEqual({ kind: 'message', message })
})

test('the row shows neither recipient nor content', async () => {
  const { send } = await startVault()
  const bytes = Buffer.from(send(mail).sealed).toString('latin1')
  for (const text of ['XK7-passcode', 'ada@example.org', 'Code']) expect(bytes).not.toContain(text)
})

test('from its expiry on a message stays shut, by the time of the vault and whatever the row says', async () => {
  const { clock, send, open } = await startVault()
  const row = send(mail)
  clock.nowMs = expiresAtMs
  expect(await open({ ...row, expiresAtMs: expiresAtMs + 1_000_000 })).toEqual({ kind: 'expired' })
  clock.nowMs = 0 // the vault's time does not run backwards
  expect(await open(row)).toEqual({ kind: 'expired' })
})

describe('other bytes than this message are refused, and the incident repeats none of them:', () => {
  test.each([
    ['another id', { messageId: randomUUID() }],
    ['another organization', { organizationId: randomUUID() }],
    ['other bytes', { sealed: randomBytes(200) }],
    ['no bytes', { sealed: new Uint8Array() }],
    ['an id that no slot has', { messageId: 'a\0b' }],
  ])('%s', async (_, change) => {
    const { send, open } = await startVault()
    const answer = await open({ ...send(mail), ...change })
    expect(answer).toEqual({ kind: 'integrity', incident: expect.stringContaining('message') })
    expect(JSON.stringify(answer)).not.toContain('XK7')
  })

  test('every flipped bit', async () => {
    const { send, open } = await startVault()
    const row = send(sms)
    for (let index = 0; index < row.sealed.length; index += 1) {
      const sealed = Uint8Array.from(row.sealed)
      sealed[index] = (sealed[index] ?? 0) ^ (1 << (index % 8))
      expect(await open({ ...row, sealed })).toMatchObject({ kind: 'integrity' })
    }
  })
})

test('a message that cannot be sent is a bug of the operation: nothing is sealed', async () => {
  const { outbox } = await startVault()
  const to = 'ada@example.org\r\nBcc: eve@example.org'
  expect(() => outbox.send({ ...mail, channel: 'mail', to, subject: 'x', expiresAtMs })).toThrow('cannot be sent')
  expect(() => outbox.send({ ...sms, expiresAtMs: Number.NaN })).toThrow('a whole millisecond')
  expect(outbox.rows()).toEqual([])
})
