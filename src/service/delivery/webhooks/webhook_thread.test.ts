import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from '../../../../test/support/smtp_server.ts'
import { createWebhookThread } from './webhook_thread.ts'

const noLog = { error: () => {} }
const rules = { privateAddresses: true, loopbackHttp: true }
const eventFor = (port: number) => ({
  channel: 'webhook' as const,
  url: `http://127.0.0.1:${port}/`,
  headers: { 'x-test': 'one' },
  body: '{}',
  organizationId: 'a',
  familyId: 'a',
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
  const carried = createWebhookThread(rules, { log: noLog })(eventFor(portOf(receiver.address())), {
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
  const carry = createWebhookThread(rules, { log: noLog })
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

/** The entry of a thread that ends by the event `fatal`, answers none that is `slow`, and says of one that it is `late`. */
async function brittleEntry(): Promise<string> {
  const entryPath = join(await mkdtemp(join(tmpdir(), 'claviger-sender-')), 'sender.mjs')
  await writeFile(
    entryPath,
    `import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ kind, id, messageId }) => {
  if (messageId === 'fatal') throw new Error('out of luck')
  if (messageId === 'late') parentPort.postMessage({ kind: 'late', id })
  if (kind === 'send' && messageId !== 'slow') parentPort.postMessage({ kind: 'ended', id, outcome: { kind: 'delivered' } })
})`,
  )
  return entryPath
}

const delivered = { kind: 'delivered' }
const fault = { kind: 'failed', reason: 'fault' }
const interrupted = { kind: 'failed', reason: 'interrupted' }

test('a thread that fails is told, and the next event begins another one', async () => {
  const logged: string[] = []
  const log = {
    error: ({ error }: { error?: Error }, message: string) => void logged.push(`${message}: ${error?.message}`),
  }
  const carry = createWebhookThread(rules, { log, entryPath: await brittleEntry() })
  const { signal } = new AbortController()
  expect(await carry(eventFor(1), { messageId: 'fatal', signal })).toEqual(fault)
  expect(logged).toEqual(['the thread that posts webhooks has failed: out of luck'])
  expect(await carry(eventFor(1), { messageId: 'next', signal })).toEqual(delivered)
})

test('the thread says of which attempt it is late', async () => {
  const carry = createWebhookThread(rules, { log: noLog, entryPath: await brittleEntry() })
  const late: string[] = []
  const send = (messageId: string) =>
    carry(eventFor(1), {
      messageId,
      signal: new AbortController().signal,
      onLate: () => void late.push(messageId),
    })
  expect(await Promise.all([send('next'), send('late')])).toEqual([delivered, delivered])
  expect(late).toEqual(['late'])
})

test('an event that ends the thread has failed, once it is known which one it was, and ends it for no other', async () => {
  const carry = createWebhookThread(rules, { log: noLog, entryPath: await brittleEntry() })
  const { signal } = new AbortController()
  const send = (port: number, messageId: string) => carry(eventFor(port), { messageId, signal })
  expect(await Promise.all([send(1, 'slow'), send(2, 'slow'), send(3, 'fatal')])).toEqual(Array(3).fill(interrupted))
  const others = send(4, 'slow')
  expect(await Promise.all([send(1, 'next'), send(2, 'next'), send(3, 'fatal')])).toEqual([delivered, delivered, fault])
  expect(await send(3, 'fatal')).toEqual(fault)
  expect(await Promise.race([others, 'in hand'])).toBe('in hand')
  expect(await send(4, 'fatal')).toEqual(interrupted)
  expect(await others).toEqual(interrupted)
})

test('an event that the thread has in hand though nobody waits for it may be what ended it', async () => {
  const carry = createWebhookThread(rules, { log: noLog, entryPath: await brittleEntry() })
  const ending = new AbortController()
  const early = carry(eventFor(1), { messageId: 'slow', signal: ending.signal })
  ending.abort()
  expect(await early).toEqual({ kind: 'failed', reason: 'timeout' })
  const { signal } = new AbortController()
  expect(await carry(eventFor(2), { messageId: 'fatal', signal })).toEqual(interrupted)
})

test('events that are tried apart wait for each other, and one whose time is up then has not failed', async () => {
  const carry = createWebhookThread(rules, { log: noLog, entryPath: await brittleEntry() })
  const { signal } = new AbortController()
  const ports = [1, 2, 3, 4, 5]
  await Promise.all([
    ...ports.map((port) => carry(eventFor(port), { messageId: 'slow', signal })),
    carry(eventFor(6), { messageId: 'fatal', signal }),
  ])
  const ending = new AbortController()
  const [last, ...slow] = ports.reverse()
  const held = slow.map((port) => carry(eventFor(port), { messageId: 'slow', signal: ending.signal }))
  const about = { messageId: 'next', signal: AbortSignal.timeout(200) }
  expect(await carry(eventFor(last ?? 0), about)).toEqual(interrupted)
  ending.abort()
  expect(await Promise.all(held)).toEqual(Array(4).fill({ kind: 'failed', reason: 'timeout' }))
  expect(await carry(eventFor(last ?? 0), { messageId: 'next', signal })).toEqual(delivered)
})

test('an attempt whose time was up before it began ends', async () => {
  const carry = createWebhookThread(rules, { log: noLog })
  const about = { messageId: 'one', signal: AbortSignal.abort() }
  expect(await carry(eventFor(1), about)).toEqual({ kind: 'failed', reason: 'timeout' })
})
