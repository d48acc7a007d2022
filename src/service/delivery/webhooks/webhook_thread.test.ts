import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from '../../../../test/support/smtp_server.ts'
import { createWebhookThread } from './webhook_thread.ts'

const rules = { privateAddresses: true, loopbackHttp: true }
const eventFor = (port: number) => ({
  channel: 'webhook' as const,
  url: `http://127.0.0.1:${port}/`,
  headers: { 'x-test': 'one' },
  body: '{}',
})
const socketsHere = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

test('another thread connects to the receiver, and nobody waits for it beyond the attempt', async () => {
  const accepted: Socket[] = []
  const receiver = createServer((socket) => void accepted.push(socket)).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => {
    for (const socket of accepted) socket.destroy()
    receiver.close()
  })
  const before = socketsHere()
  const ending = new AbortController()
  const carried = createWebhookThread(rules)(eventFor(portOf(receiver.address())), {
    messageId: 'one',
    signal: ending.signal,
  })
  const [socket] = await once(receiver, 'connection')
  expect(socketsHere() - before).toBe(1) // that of the receiver
  ending.abort()
  expect(await carried).toEqual({ kind: 'failed', reason: 'timeout' })
  socket.resume()
  await once(socket, 'close')
})

test('each event gets its own answer', async () => {
  const receiver = createHttpServer(({ url }, response) => response.writeHead(Number(url?.slice(1))).end())
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close())
  const carry = createWebhookThread(rules)
  const outcomes = [200, 404, 503].map((status) => {
    const event = eventFor(portOf(receiver.address()))
    return carry({ ...event, url: `${event.url}${status}` }, { messageId: 'one', signal: new AbortController().signal })
  })
  expect(await Promise.all(outcomes)).toEqual([
    { kind: 'delivered' },
    { kind: 'refused', reason: 'refused', code: 404 },
    { kind: 'failed', reason: 'refused for now', code: 503 },
  ])
})
