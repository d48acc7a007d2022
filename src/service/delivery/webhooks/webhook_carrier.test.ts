import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from '../../../../test/support/smtp_server.ts'
import { startReceiver } from '../../../../test/support/webhook_receiver.ts'
import { createWebhookCarrier } from './webhook_carrier.ts'

/** Hands on connections, and keeps back the first answers of so many until all of them have one. */
async function startGate(port: number, connections: number) {
  const held: (() => void)[] = []
  const gate = createServer((client) => {
    const server = connect({ host: '127.0.0.1', port })
    for (const socket of [client, server]) socket.on('error', () => {})
    client.pipe(server)
    server.once('data', (first) => {
      server.pause()
      held.push(() => {
        client.write(first)
        server.pipe(client)
      })
      if (held.length === connections) for (const release of held) release()
    })
  }).listen(0, '127.0.0.1')
  await once(gate, 'listening')
  onTestFinished(() => void gate.close())
  return portOf(gate.address())
}

const many = Array.from({ length: 8 }, (_, index) => String(index))

test.each([
  ['an organization', { familyId: 'z', organizationId: 'z' }, () => ({ familyId: 'a', organizationId: 'a' })],
  ['a parent', { familyId: 'a', organizationId: 'a' }, (name: string) => ({ familyId: 'a', organizationId: name })],
  ['a sub-organization', { familyId: 'a', organizationId: 'z' }, () => ({ familyId: 'a', organizationId: 'b' })],
])('TLS of %s has the second turn, however many others have answers to read', async (_name, last, othersOf) => {
  const receiver = await startReceiver(() => ({ status: 200 }))
  const port = await startGate(receiver.port, many.length + 1)
  const carry = createWebhookCarrier({ ...receiver, privateAddresses: true, loopbackHttp: false })
  const post = (path: string, sender: { readonly familyId: string; readonly organizationId: string }) =>
    carry(
      { channel: 'webhook', url: `https://127.0.0.1:${port}/${path}`, headers: {}, body: '{}', ...sender },
      { messageId: path, signal: new AbortController().signal },
    )
  await Promise.all([...many.map((name) => post(name, othersOf(name))), post('last', last)])
  const order = receiver.received.map(({ path }) => path)
  expect(order).toHaveLength(many.length + 1)
  expect(order.slice(0, 2)).toContain('/last')
})

test.each([
  ['a second', 500, ['late']],
  ['less', 50, []],
])('an attempt whose turns of TLS were %s away is late', async (_name, stepMs, told) => {
  const receiver = await startReceiver(() => ({ status: 200 }))
  const clock = { nowMs: 0 }
  const carry = createWebhookCarrier({
    ...{ ...receiver, privateAddresses: true, loopbackHttp: false },
    nowMs: () => (clock.nowMs += stepMs),
  })
  const late: string[] = []
  await carry(
    { channel: 'webhook', url: receiver.url, headers: {}, body: '{}', familyId: 'a', organizationId: 'a' },
    { messageId: 'one', signal: new AbortController().signal, onLate: () => void late.push('late') },
  )
  expect(late).toEqual(told)
})
