import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAuthority } from '../../../test/support/certificates.ts'
import { informational, writeWithoutEnd } from '../../../test/support/endless.ts'
import { renegotiateFirst } from '../../../test/support/renegotiate.ts'
import { startTicketServer } from '../../../test/support/ticket_server.ts'
import { handshakeBytesMax } from '../../link/tls_limit.ts'
import { jsonLinesLog } from '../../link/vault_log.ts'
import type { OpenPipe } from '../../link/verbs.ts'
import { createFetchJson, FetchError, fetchedBytesMax } from './fetch_json.ts'

const authority = createAuthority()
const ours = authority.issue({ hosts: ['localhost'] })

const helloJson: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello":"world"}')
}

async function listen(server: Server | ReturnType<typeof createHttpServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

const serveTls = (listener: RequestListener, certificate = ours) => listen(createServer(certificate, listener))

/** Connects to `port` on this machine, whatever host and port the vault asked for. */
const dialTo =
  (port: number): OpenPipe =>
  () =>
    connect(port, '127.0.0.1')

function fetcher(openPipe: OpenPipe, { loopbackHttp = false, authorities = authority.certificate } = {}) {
  const opened: { host: string; port: number; pipe: Duplex }[] = []
  const fetchJson = createFetchJson({
    openPipe(to) {
      const pipe = openPipe(to)
      opened.push({ ...to, pipe })
      return pipe
    },
    authorities,
    loopbackHttp,
  })
  return { fetchJson, opened }
}

/** Fetches `https://localhost/path` once. Its pipe is destroyed afterwards, also after a failure. */
async function fetchThrough(
  openPipe: OpenPipe,
  request: Partial<Parameters<ReturnType<typeof createFetchJson>>[0]> = {},
) {
  const { fetchJson, opened } = fetcher(openPipe)
  const result = await fetchJson({ url: 'https://localhost/path', ...request }).catch((error: unknown) => error)
  expect(opened.map(({ pipe }) => pipe.destroyed)).toEqual([true])
  return result
}

async function expectRefusal(openPipe: OpenPipe, reason: string | RegExp): Promise<void> {
  // Only who is expected to be slow is waited for: on a busy machine, a second is not enough for the others.
  const signal = AbortSignal.timeout(String(reason).includes('in time') ? 1_000 : 20_000)
  const error = await fetchThrough(openPipe, { signal })
  expect(error).toBeInstanceOf(FetchError)
  expect(error).toMatchObject({ message: expect.stringMatching(/^https:\/\/localhost\/path: /) })
  expect(error).toMatchObject({ message: expect.stringMatching(reason) })
}

describe('a fetch', () => {
  test('asks over TLS for the host and port of the address, and returns status, JSON and cache control', async () => {
    const port = await serveTls((request, response) => {
      response.writeHead(418, {
        'content-type': 'Application/Problem+JSON; charset=utf-8',
        'cache-control': 'max-age=7',
      })
      response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers }))
    })
    const { fetchJson, opened } = fetcher(dialTo(port))
    expect(await fetchJson({ url: 'https://localhost/a%20b?c=d#e' })).toEqual({
      status: 418,
      cacheControl: 'max-age=7',
      json: {
        method: 'GET',
        url: '/a%20b?c=d',
        headers: {
          host: 'localhost',
          accept: 'application/json',
          'accept-encoding': 'identity',
          connection: 'close',
        },
      },
    })
    await fetchJson({ url: `https://localhost:${port}/` })
    expect(opened).toMatchObject([
      { host: 'localhost', port: 443 },
      { host: 'localhost', port },
    ])
  })

  test('with a body posts it, and the service that carries it sees neither the question nor the answer', async () => {
    const port = await serveTls(async (request, response) => {
      const chunks = await request.toArray()
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ body: Buffer.concat(chunks).toString(), given: request.headers.authorization }))
    })
    const carried: Uint8Array[] = []
    const { fetchJson } = fetcher(
      tamperedDial(port, (chunk) => {
        carried.push(chunk)
        return chunk
      }),
    )
    const { json } = await fetchJson({
      url: 'https://localhost/',
      headers: { authorization: 'Basic c2VjcmV0' },
      body: Buffer.from('client_secret=hush'),
    })
    expect(json).toEqual({ body: 'client_secret=hush', given: 'Basic c2VjcmV0' })
    const bytes = Buffer.concat(carried).toString('latin1')
    expect(bytes.length).toBeGreaterThan(500)
    for (const secret of ['hush', 'c2VjcmV0', 'client_secret', 'application/json']) expect(bytes).not.toContain(secret)
  })

  test('verifies the certificate of a server that is named by its IP address', async () => {
    const port = await serveTls(helloJson, authority.issue({ hosts: ['127.0.0.1'] }))
    const { fetchJson } = fetcher(dialTo(port))
    expect(await fetchJson({ url: 'https://127.0.0.1/' })).toMatchObject({ json: { hello: 'world' } })
    await expect(fetchJson({ url: 'https://127.0.0.2/' })).rejects.toThrow('127.0.0.2')
  })

  test('accepts an answer of 256 KiB with its head, and refuses a longer one', async () => {
    for (const [bytes, isGood] of [
      [fetchedBytesMax - 1_024, true],
      [fetchedBytesMax, false],
    ] as const) {
      const port = await serveTls((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(`{"a":"${'a'.repeat(bytes - 8)}"}`)
      })
      if (isGood) expect(await fetchThrough(dialTo(port))).toMatchObject({ status: 200 })
      else await expectRefusal(dialTo(port), 'longer than 262144 bytes')
    }
  })

  test('whose time is up before it begins fails at once', async () => {
    const silent = () => new Duplex({ read() {}, write() {} })
    const error = await fetchThrough(silent, { signal: AbortSignal.abort() })
    expect(error).toMatchObject({ name: 'FetchError', message: 'https://localhost/path: no answer in time' })
  })

  test('trusts every authority of the file', async () => {
    const second = createAuthority('Second')
    const port = await serveTls(helloJson, second.issue({ hosts: ['localhost'] }))
    const authorities = `${authority.certificate}\n${second.certificate}`
    const fetchJson = createFetchJson({ openPipe: dialTo(port), authorities, loopbackHttp: false })
    expect(await fetchJson({ url: 'https://localhost/' })).toMatchObject({ status: 200 })
  })
})

describe('plain HTTP', () => {
  test('is spoken on loopback where the settings allow it', async () => {
    const port = await listen(createHttpServer(helloJson))
    const { fetchJson, opened } = fetcher(dialTo(port), { loopbackHttp: true })
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      expect(await fetchJson({ url: `http://${host}/` })).toMatchObject({ json: { hello: 'world' } })
    }
    await fetchJson({ url: `http://localhost:${port}/` })
    expect(opened.map(({ host, port }) => [host, port])).toEqual([
      ['localhost', 80],
      ['127.0.0.1', 80],
      ['::1', 80],
      ['localhost', port],
    ])
  })

  for (const [url, loopbackHttp] of [
    ['http://localhost/', false],
    ['http://localhost.example/', true],
    ['http://issuer.example/', true],
    ['http://127.0.0.2/', true],
    ['ftp://localhost/', true],
    ['file:///etc/passwd', true],
    ['https://ada:hush@localhost/', true],
    ['localhost', true],
    ['', true],
  ] as const) {
    test(`is refused, without a pipe, for ${url} where loopback is ${loopbackHttp ? '' : 'not '}allowed`, async () => {
      const { fetchJson, opened } = fetcher(dialTo(1), { loopbackHttp })
      await expect(fetchJson({ url })).rejects.toBeInstanceOf(FetchError)
      await expect(fetchJson({ url })).rejects.not.toThrow('hush')
      expect(opened).toEqual([])
    })
  }
})

describe('a server is refused', () => {
  for (const [name, certificate, reason] of [
    ['whose authority is unknown', createAuthority().issue({ hosts: ['localhost'] }), /certificate|verify/],
    ['whose certificate is for another name', authority.issue({ hosts: ['localhost.example'] }), /does not match/],
    ['whose certificate is for a name below', authority.issue({ hosts: ['a.localhost'] }), /does not match/],
    ['whose certificate has expired', authority.issue({ hosts: ['localhost'], validForMs: -1_000 }), /expired/],
  ] as const) {
    test(`${name}, before it gets the request`, async () => {
      const heard: unknown[] = []
      const port = await serveTls((request, response) => {
        heard.push(request.url)
        helloJson(request, response)
      }, certificate)
      await expectRefusal(dialTo(port), reason)
      expect(heard).toEqual([])
    })
  }

  for (const [name, listener, reason] of [
    ['redirects', (_request, response) => response.writeHead(307, { location: '/' }).end(), 'it redirects'],
    ['sends no JSON', (_request, response) => response.end('hello'), 'it answers 200 and no JSON'],
    ['sends broken JSON', jsonOf('{"a":'), 'its answer is no JSON'],
    ['sends JSON that is no object', jsonOf('[1]'), 'its answer is no JSON object'],
    ['sends a member twice', jsonOf('{"id":"7","id":"8"}'), 'its answer is no JSON object with each member once'],
    ['sends one twice deep inside', jsonOf('{"keys":[{"n":"a","\\u006e":"b"}]}'), 'with each member once'],
    [
      'sends more levels than a request may have',
      jsonOf(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`),
      'is no JSON object',
    ],
    ['sends half a surrogate pair', jsonOf('{"id":"\\ud800"}'), 'is no JSON object'],
    ['sends JSON that is no UTF-8', jsonOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 'is no JSON'],
    ['sends compressed JSON', jsonOf(Buffer.from('1f8b0800', 'hex')), 'is no JSON'],
    ['sends 10 MB', jsonOf(`{"a":"${'a'.repeat(10_000_000)}"}`), 'longer than 262144 bytes'],
    ['promises more than it sends', cutOff, /aborted|hang up/],
    ['never answers', () => {}, 'no answer in time'],
    [
      'never ends',
      (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
      'no answer in time',
    ],
    ['sends informational answers without end', endless(informational), 'longer than 262144 bytes'],
    ['sends line breaks without end', endless('\r\n'), 'longer than 262144 bytes'],
    [
      'switches protocols',
      (request) => request.socket.write('HTTP/1.1 101 Switching\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n'),
      'it switches to another protocol',
    ],
  ] as const satisfies readonly (readonly [string, RequestListener, string | RegExp])[]) {
    test(`that ${name}`, async () => {
      await expectRefusal(dialTo(await serveTls(listener)), reason)
    })
  }

  test('whose broken JSON is not repeated by the error or its causes, which are logged', async () => {
    const { fetchJson } = fetcher(dialTo(await serveTls(jsonOf('{"access_token": hush}'))))
    const error = await fetchJson({ url: 'https://localhost/' }).catch((reason: unknown) => reason)
    let logged = ''
    jsonLinesLog((line) => {
      logged += line
    }).warn({ error }, 'failed')
    expect(logged).toContain('its answer is no JSON')
    expect(logged).not.toContain('hush')
  })

  test('that chooses the group of Diffie-Hellman, which may be a slow one', async () => {
    const options = { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' as const, maxVersion: 'TLSv1.2' as const }
    const port = await listen(
      createServer({ ...authority.issue({ hosts: ['localhost'], keyType: 'rsa' }), ...options }, helloJson),
    )
    expect(String(await fetchThrough(dialTo(port)))).toMatch(/handshake failure/)
  })

  test('that sends more certificates than anybody needs', async () => {
    const { cert, key } = authority.issue({ hosts: ['localhost'] })
    const others = `${authority.certificate}\n`.repeat(handshakeBytesMax / 300) // a certificate has about 350 bytes
    const port = await listen(createServer({ cert: `${cert}\n${others}`, key }, helloJson))
    await expectRefusal(dialTo(port), `its handshake is longer than ${handshakeBytesMax} bytes`)
  })

  test('that begins a second handshake, which nobody counts', async () => {
    const port = await listen(createServer({ ...ours, maxVersion: 'TLSv1.2' }, renegotiateFirst))
    await expectRefusal(dialTo(port), 'it begins a second handshake')
  })

  test('that sends session tickets without end', async (context) => {
    const { port, certificate } = await startTicketServer(context)
    const { fetchJson } = fetcher(dialTo(port), { authorities: certificate })
    await expect(fetchJson({ url: 'https://localhost/' })).rejects.toThrow('more than 16 session tickets')
  })

  test('that speaks no TLS', async () => {
    await expectRefusal(dialTo(await listen(createHttpServer(helloJson))), /SSL|TLS|packet|version/)
  })
})

describe('the service that carries the bytes causes only refusals when it', () => {
  for (const [name, openPipe, reason] of [
    ['refuses', () => new PassThrough().destroy(new Error('not from here')), 'not from here'],
    ['ends at once', endingAtOnce, /disconnected|closed|ended/],
    ['says nothing', () => new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }), 'no answer in time'],
    ['takes nothing', () => new Duplex({ read() {}, write() {} }), 'no answer in time'],
    ['echoes', () => new PassThrough(), /./],
    ['answers in the clear', () => answering('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{}'), /./],
  ] as const satisfies readonly (readonly [string, OpenPipe, string | RegExp])[]) {
    test(name, () => expectRefusal(openPipe, reason))
  }

  test('answers in the name of the server, with a certificate of its own', async () => {
    const swapped = await serveTls(helloJson, createAuthority('Test authority').issue({ hosts: ['localhost'] }))
    await expectRefusal(dialTo(swapped), /certificate|signature/)
  })

  test('puts another genuine server in the place of the server', async () => {
    const other = await serveTls(helloJson, authority.issue({ hosts: ['other.example'] }))
    await expectRefusal(dialTo(other), 'does not match')
  })

  test('replays what it recorded', async () => {
    const port = await serveTls(helloJson)
    const recorded: Uint8Array[] = []
    const recording = tamperedDial(port, (chunk, direction) => {
      if (direction === 'in') recorded.push(chunk)
      return chunk
    })
    expect(await fetchThrough(recording)).toMatchObject({ status: 200 })
    await expectRefusal(() => answering(Buffer.concat(recorded)), /./)
  })

  test('changes, cuts or drops bytes anywhere, in either direction', async () => {
    const port = await serveTls(helloJson)
    const { fetchJson } = fetcher((to) => dial(to))
    let dial: OpenPipe = dialTo(port)
    let refusals = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('in', 'out'),
        fc.nat(2_500),
        fc.constantFrom('flip', 'cut', 'drop'),
        async (direction, at, how) => {
          let passed = 0
          let isCut = false
          dial = tamperedDial(port, (chunk, where) => {
            if (where !== direction) return chunk
            if (isCut) return undefined
            const offset = at - passed
            passed += chunk.length
            if (offset < 0 || offset >= chunk.length) return chunk
            if (how === 'drop') return Buffer.concat([chunk.subarray(0, offset), chunk.subarray(offset + 1)])
            if (how === 'flip') return Buffer.from(chunk).fill((chunk[offset] ?? 0) ^ 1, offset, offset + 1)
            isCut = true
            return chunk.subarray(0, offset)
          })
          // The service can only cause a refusal: the answer is the server's, or there is none.
          const signal = AbortSignal.timeout(150)
          const result = await fetchJson({ url: 'https://localhost/', signal }).catch((error: unknown) => error)
          if (result instanceof FetchError) refusals += 1
          else expect(result).toMatchObject({ status: 200, json: { hello: 'world' } })
        },
      ),
      { numRuns: 120 },
    )
    expect(refusals).toBeGreaterThan(20)
  })
})

function jsonOf(body: string | Uint8Array): RequestListener {
  return (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

function cutOff(...[, response]: Parameters<RequestListener>): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"hello":"world"}', () => response.socket?.end())
}

function endless(text: string): RequestListener {
  return ({ socket }) => writeWithoutEnd(socket, text)
}

function endingAtOnce(): Duplex {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  stream.push(null)
  return stream
}

/** A stream that sends these bytes when something is written to it. */
function answering(bytes: string | Uint8Array): Duplex {
  const stream = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      stream.push(bytes)
      stream.push(null)
      done()
    },
  })
  return stream
}

/** Opens pipes of a service that tampers. `edit` returns the bytes to pass on, or undefined to drop them. */
function tamperedDial(
  port: number,
  edit: (chunk: Buffer, direction: 'in' | 'out') => Uint8Array | undefined,
): OpenPipe {
  return () => {
    const socket = connect(port, '127.0.0.1')
    const stream = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        const edited = edit(chunk, 'out')
        if (edited === undefined) done()
        else socket.write(edited, () => done())
      },
      destroy(error, done) {
        socket.destroy()
        done(error)
      },
    })
    socket.on('data', (chunk: Buffer) => {
      const edited = edit(chunk, 'in')
      if (edited !== undefined) stream.push(edited)
    })
    socket.on('end', () => stream.push(null))
    socket.on('error', (error) => stream.destroy(error))
    return stream
  }
}
