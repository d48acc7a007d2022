import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import type { TlsOptions } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAuthority } from '../../../../test/support/certificates.ts'
import { informational, writeWithoutEnd } from '../../../../test/support/endless.ts'
import { renegotiateFirst } from '../../../../test/support/renegotiate.ts'
import { freePort, portOf, startHangingServer } from '../../../../test/support/smtp_server.ts'
import { startTicketServer } from '../../../../test/support/ticket_server.ts'
import { handshakeBytesMax } from '../../../link/tls_limit.ts'
import type { Sms } from '../../../protocol/wire/outgoing_messages.ts'
import { parseSmsUrl } from './addresses.ts'
import { createSmsGateway } from './sms.ts'

const sms: Sms = { channel: 'sms', to: '+14155550123', text: 'Grüße 🔑\nXK7-passcode' }
const messageId = '0198c0de-0000-7000-8000-000000000001'

type Asked = { readonly method: string | undefined; readonly url: string | undefined; readonly body: unknown } & {
  readonly headers: IncomingHttpHeaders
}

/** Starts a gateway that notes its requests. */
async function startGateway(answer: RequestListener) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    asked.push({ method, url, headers, body: JSON.parse(await textOf(request)) })
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: portOf(server.address()), asked }
}

const status =
  (code: number, headers = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(code, headers).end('XK7-passcode for +14155550123')
  }

type Sending = { readonly signal?: AbortSignal; readonly caFile?: string }

function send(url: string, { signal = AbortSignal.timeout(20_000), caFile }: Sending = {}) {
  const gateway = parseSmsUrl(url) ?? expect.fail('no address of a gateway')
  return createSmsGateway(gateway, { caFile })(sms, { messageId, signal })
}

test('a gateway is asked as documented', async () => {
  const { port, asked } = await startGateway(status(202))
  expect(await send(`http://ada:p%3Aw@127.0.0.1:${port}/send?from=keys`)).toEqual({ kind: 'delivered' })
  expect(asked).toMatchObject([
    {
      method: 'POST',
      url: '/send?from=keys',
      body: { to: sms.to, text: sms.text, messageId },
      headers: { 'content-type': 'application/json', authorization: 'Basic YWRhOnA6dw==' },
    },
  ])
  expect(Object.keys(Object(asked[0]?.body))).toEqual(['to', 'text', 'messageId'])
})

describe('the status decides:', () => {
  test.each([
    [200, { kind: 'delivered' }],
    [204, { kind: 'delivered' }],
    [400, { kind: 'refused', reason: 'refused', code: 400 }],
    [404, { kind: 'refused', reason: 'refused', code: 404 }],
    [408, { kind: 'failed', reason: 'refused for now', code: 408 }],
    [422, { kind: 'refused', reason: 'refused', code: 422 }],
    [429, { kind: 'failed', reason: 'refused for now', code: 429 }],
    [500, { kind: 'failed', reason: 'refused for now', code: 500 }],
    [503, { kind: 'failed', reason: 'refused for now', code: 503 }],
  ])('%d', async (code, outcome) => {
    const { port } = await startGateway(status(code))
    expect(await send(`http://127.0.0.1:${port}`)).toEqual(outcome)
  })

  test.each([301, 307, 308])('%d is not followed: the text goes nowhere else', async (code) => {
    const other = await startGateway(status(200))
    const { port } = await startGateway(status(code, { location: `http://127.0.0.1:${other.port}/` }))
    expect(await send(`http://127.0.0.1:${port}`)).toEqual({ kind: 'failed', reason: 'refused for now', code })
    expect(other.asked).toEqual([])
  })
})

describe('a gateway that', () => {
  test('is away', async () => {
    const outcome = await send(`http://127.0.0.1:${await freePort()}`)
    expect(outcome).toEqual({ kind: 'failed', reason: 'unreachable', code: 'ECONNREFUSED' })
  })

  test.each([
    ['says nothing', ''],
    ['stops in the middle', 'HTTP/1.1 200 '],
  ])('%s is left when the time is up', async (_, greeting) => {
    const server = await startHangingServer({ greeting })
    onTestFinished(() => server.close())
    const stop = new AbortController()
    const sent = send(`http://127.0.0.1:${server.port}`, { signal: stop.signal })
    await server.connected
    stop.abort()
    expect(await sent).toEqual({ kind: 'failed', reason: 'timeout' })
  })

  test('hangs up', async () => {
    const { port } = await startGateway((request) => request.socket.destroy())
    expect(await send(`http://127.0.0.1:${port}`)).toMatchObject({ kind: 'failed', reason: 'unreachable' })
  })

  test('speaks no HTTP', async () => {
    const server = await startHangingServer({ greeting: 'XK7-passcode\r\n' })
    onTestFinished(() => server.close())
    const outcome = await send(`http://127.0.0.1:${server.port}`)
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    expect(JSON.stringify(outcome)).not.toContain('XK7')
  })

  test.each([
    ['informational answers', informational],
    ['line breaks', '\r\n'],
  ])('sends %s without end before its answer', async (_, withoutEnd) => {
    const { port } = await startGateway((request) => writeWithoutEnd(request.socket, withoutEnd))
    const outcome = await send(`http://127.0.0.1:${port}`)
    expect(outcome).toEqual({ kind: 'failed', reason: 'unreachable', code: 'ANSWER_TOO_LONG' })
  })

  test('changes to another protocol', async () => {
    const { port } = await startGateway(status(101, { connection: 'Upgrade', upgrade: 'websocket' }))
    const outcome = await send(`http://127.0.0.1:${port}`)
    expect(outcome).toEqual({ kind: 'failed', reason: 'refused for now', code: 101 })
  })

  test.each<[string, RequestListener]>([
    ['is sent without end', (_, response) => writeWithoutEnd(response.writeHead(200), 'XK7-passcode')],
    ['comes bit by bit', (_, response) => dripWithoutEnd(response.writeHead(200))],
    ['never comes', (_, response) => response.writeHead(200).flushHeaders()],
  ])('sends a body that %s has taken the message, and is hung up on', async (_, answer) => {
    const left = Promise.withResolvers<void>()
    const { port } = await startGateway((request, response) => {
      request.socket.on('close', () => left.resolve())
      answer(request, response)
    })
    expect(await send(`http://127.0.0.1:${port}`)).toEqual({ kind: 'delivered' })
    await left.promise
  })
})

describe('by TLS, a gateway', () => {
  type Gateway = { readonly chainBytes?: number; readonly listener?: RequestListener } & TlsOptions

  async function startTlsGateway({ chainBytes = 0, listener = accept, ...options }: Gateway = {}) {
    const authority = createAuthority()
    const { cert, key } = authority.issue({ hosts: ['localhost'], keyType: 'rsa' })
    // A certificate has about 350 bytes.
    const others = `${authority.certificate}\n`.repeat(chainBytes / 300)
    const server = createTlsServer({ cert: `${cert}\n${others}`, key, ...options }, listener)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const caFile = join(await mkdtemp(join(tmpdir(), 'claviger-gateway-')), 'ca.pem')
    await writeFile(caFile, authority.certificate)
    return { url: `https://localhost:${portOf(server.address())}`, caFile }
  }

  test('is asked if an authority of the settings vouches for it', async () => {
    const { url, caFile } = await startTlsGateway()
    expect(await send(url, { caFile })).toEqual({ kind: 'delivered' })
  })

  test('that nobody vouches for gets nothing', async () => {
    const { url } = await startTlsGateway()
    expect(await send(url)).toMatchObject({ kind: 'failed', reason: 'encryption' })
  })

  test('that sends more certificates than anybody needs is hung up on before they are verified', async () => {
    const { url, caFile } = await startTlsGateway({ chainBytes: handshakeBytesMax })
    expect(await send(url, { caFile })).toEqual({ kind: 'failed', reason: 'unreachable', code: 'HANDSHAKE_TOO_LONG' })
    const shorter = await startTlsGateway({ chainBytes: handshakeBytesMax / 2 })
    expect(await send(shorter.url, { caFile: shorter.caFile })).toEqual({ kind: 'delivered' })
  })

  test('that sends session tickets without end is hung up on', async (context) => {
    const { port, caFile } = await startTicketServer(context)
    const outcome = await send(`https://localhost:${port}`, { caFile })
    expect(outcome).toEqual({ kind: 'failed', reason: 'unreachable', code: 'ANSWER_TOO_LONG' })
  })

  test('that begins a second handshake, which nobody counts, is hung up on', async () => {
    const { url, caFile } = await startTlsGateway({ maxVersion: 'TLSv1.2', listener: renegotiateFirst })
    const outcome = await send(url, { caFile })
    expect(outcome).toEqual({ kind: 'failed', reason: 'unreachable', code: 'SECOND_HANDSHAKE' })
  })

  test('does not choose the group of Diffie-Hellman, which may be a slow one', async () => {
    const options = { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto', maxVersion: 'TLSv1.2' } as const
    const { url, caFile } = await startTlsGateway(options)
    const outcome = await send(url, { caFile })
    expect(outcome).toEqual({ kind: 'failed', reason: 'unreachable', code: 'EPROTO' })
  })
})

function accept(request: IncomingMessage, response: ServerResponse): void {
  request.resume().on('end', () => response.writeHead(202).end())
}

function dripWithoutEnd(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 10)
  response.on('close', () => clearInterval(timer))
}
