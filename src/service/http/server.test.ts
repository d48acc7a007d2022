import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { calculateJwkThumbprint } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connected,
  head,
  headAsGiven,
  type Listening,
  operationPath,
  readUntil,
  sendRaw,
  startHttp,
} from '../../../test/support/http_server.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { parseIpRange } from '../../protocol/wire/ip_ranges.ts'
import type { Answer } from '../requests/request.ts'
import { networkOf } from '../turns/network_of.ts'
import { bodyBytesMax, createBodies } from './body.ts'
import { headersMax } from './server.ts'

let server: Listening
beforeAll(async () => {
  server = await startHttp()
})
afterAll(() => server.close())

const post = (path: string, init: RequestInit & { duplex?: 'half' } = {}) =>
  fetch(server.url + path, { method: 'POST', body: '{}', ...init })

/** An error of the interface: its shape, its content type, and readable for a page of any origin. */
async function expectError(response: Response, status: number): Promise<{ code: number; message: string }> {
  const body = await response.json()
  expect({ status: response.status, body }).toEqual({
    status,
    body: expect.objectContaining({
      code: expect.any(Number),
      message: expect.any(String),
      details: expect.any(Array),
    }),
  })
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  return body
}

/** The same for an answer read from a socket. */
function expectRawError(answer: string, status: number): void {
  const [lines = '', body = ''] = answer.split('\r\n\r\n')
  expect(lines).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(lines).toMatch(/^content-type: application\/json$/im)
  expect(lines).toMatch(/^access-control-allow-origin: \*$/im)
  expect(JSON.parse(body)).toMatchObject({ code: 3, message: expect.any(String), details: expect.any(Array) })
}

describe('the source of a request', () => {
  test('is the other end of its connection, whatever a header says', async () => {
    await post(operationPath, { headers: { 'x-forwarded-for': '203.0.113.7' } })
    expect(server.seen.at(-1)?.sourceAddress).toBe('127.0.0.1')
  })

  test('is what a trusted proxy says, and nobody else', async () => {
    const behind = await startHttp({ trustedProxies: rangeOf('127.0.0.0/8') })
    const request = head(
      `POST ${operationPath} HTTP/1.1`,
      'X-Forwarded-For: 198.51.100.1',
      'x-forwarded-for: 203.0.113.7, 127.0.0.2',
      'Content-Length: 2',
      'Connection: close',
    )
    await sendRaw(behind.port, `${request}{}`)
    expect(behind.seen.at(-1)?.sourceAddress).toBe('203.0.113.7')
    await behind.close()
  })

  test('says whose turn a file is: of an address behind a trusted proxy, or its network of IPv6', async () => {
    const peers: string[] = []
    const files = async (_: string, peer: string) => void peers.push(peer)
    const behind = await startHttp({ trustedProxies: rangeOf('127.0.0.0/8'), files })
    const direct = await startHttp({ files })
    const readFor = (port: number, address: string) =>
      sendRaw(port, head('GET /log/ HTTP/1.1', `X-Forwarded-For: ${address}`, 'Connection: close'))
    for (const address of ['203.0.113.7', '2001:db8::1', '2001:db8::2']) await readFor(behind.port, address)
    await readFor(direct.port, '203.0.113.7')
    expect(peers).toEqual(['203.0.113.7', '2001:db8::1', '2001:db8::2', '127.0.0.1'].map(networkOf))
    expect(peers[1]).toBe(peers[2])
    await behind.close()
    await direct.close()
  })

  test('is known of a connection that was reset before its request was read', async () => {
    const own = await startHttp()
    for (let sent = 0; sent < 10; sent += 1) {
      const socket = await connected(own.port)
      socket.write(`${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 2')}{}`)
      socket.resetAndDestroy()
    }
    // Those that were reset come first; that they come at all is the system's to say.
    await fetch(own.url + operationPath, { method: 'POST', body: '{}' })
    expect(new Set(own.seen.map(({ sourceAddress }) => sourceAddress))).toEqual(new Set(['127.0.0.1']))
    await own.close()
  })
})

describe('the paths of operations', () => {
  for (const [path, reached] of [
    ['/public/v1/query/whoami', { path: '/public/v1/query/whoami', dialect: 'spec' }],
    ['/public/v1/submit/create_wallet', { path: '/public/v1/submit/create_wallet', dialect: 'spec' }],
    ['/hosted/public/v1/query/whoami', { path: '/public/v1/query/whoami', dialect: 'hosted' }],
    ['/hosted/public/v1/submit/create_wallet', { path: '/public/v1/submit/create_wallet', dialect: 'hosted' }],
  ] as const) {
    test(`POST ${path} is answered in the dialect ${reached.dialect}`, async () => {
      const response = await post(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await response.json()).toMatchObject(reached)
    })
  }

  for (const path of [
    '/',
    '/docs',
    '/public',
    '/public/v1/query',
    '/public/v1/query/',
    '/public/v1/query/whoami/',
    '/public/v1/query/Whoami',
    '/PUBLIC/v1/query/whoami',
    '/public/v1/query/nothing',
    '/public/v1/query/constructor',
    '/public/v1/query/__proto__',
    '/public/v1/submit/whoami',
    '/public/v1/query/create_wallet',
    '/public/v2/query/whoami',
    '//public/v1/query/whoami',
    '/public//v1/query/whoami',
    '/public/v1/query//whoami',
    '/public/v1/query/who%61mi',
    '/%70ublic/v1/query/whoami',
    '/public%2fv1/query/whoami',
    '/public/v1/submit/%2e%2e/query/whoami',
    '/public/v1/query/whoami%00',
    '/public/v1/query/whoami%2f',
    '/public/v1/query/%zz',
    '/%',
    '/public/v1/query/%E0%A4%A',
    '/public/v1/query/whoami;a=b',
    '/public/v1/query/whoami?',
    '/public/v1/query/whoami?organizationId=1',
    `/public/v1/query/${'a'.repeat(5_000)}`,
    '/hosted',
    '/hosted/public/v1/query/nothing',
    '/hosted/hosted/public/v1/query/whoami',
    '/Hosted/public/v1/query/whoami',
    '/%68osted/public/v1/query/whoami',
    '/hostedpublic/v1/query/whoami',
  ]) {
    test(`POST ${path.slice(0, 60)} reaches nothing: 404`, async () => {
      const answer = await sendRaw(
        server.port,
        `${head(`POST ${path} HTTP/1.1`, 'Content-Length: 2', 'Connection: close')}{}`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 404 /)
      expect(answer).toMatch(/^content-type: application\/json$/im)
      expect(answer).toMatch(/^access-control-allow-origin: \*$/im)
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 5, details: [] })
    })
  }

  test('a target with dots, a fragment or another scheme never reaches an operation and is never a 500', async () => {
    const before = server.seen.length
    for (const target of [
      '/public/v1/submit/../query/whoami',
      '/./public/v1/query/whoami',
      '/public/v1/query/whoami#a',
      'whoami',
      '*',
      'ftp://a/public/v1/query/whoami',
      'http://',
      '\\public\\v1\\query\\whoami',
    ]) {
      const answer = await sendRaw(
        server.port,
        `${head(`POST ${target} HTTP/1.1`, 'Content-Length: 2', 'Connection: close')}{}`,
      )
      expect(answer, target).toMatch(/^HTTP\/1\.1 40[04] /)
    }
    expect(server.seen).toHaveLength(before)
  })

  test('the absolute form of the target is the same path', async () => {
    const target = `http://claviger.example${operationPath}`
    const answer = await sendRaw(
      server.port,
      `${head(`POST ${target} HTTP/1.1`, 'Content-Length: 2', 'Connection: close')}{}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(server.seen.at(-1)?.path).toBe(operationPath)
  })

  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'LINK']) {
    for (const prefix of ['', '/hosted']) {
      test(`${method} on the operation ${prefix}${operationPath} is 405 and names POST`, async () => {
        const answer = await sendRaw(
          server.port,
          head(`${method} ${prefix}${operationPath} HTTP/1.1`, 'Connection: close'),
        )
        if (method !== 'HEAD') expectRawError(answer, 405)
        expect(answer).toMatch(/^HTTP\/1\.1 405 /)
        expect(answer).toMatch(/^allow: POST, OPTIONS$/im)
      })
    }

    test(`${method} on an operation that does not exist is 404: the path comes before the method`, async () => {
      const answer = await sendRaw(
        server.port,
        head(`${method} /public/v1/query/nothing HTTP/1.1`, 'Connection: close'),
      )
      expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    })
  }
})

describe('what the wider interface has and this server has not', () => {
  for (const [path, name] of [
    ['/public/v1/submit/eth_send_transaction', 'eth_send_transaction'],
    ['/public/v1/query/list_secrets', 'list_secrets'],
    ['/hosted/public/v1/query/list_secrets', 'list_secrets'],
  ] as const) {
    test(`POST and GET ${path} say so`, async () => {
      const message = `not supported yet: ${name}; see docs/compatibility.md`
      const before = server.seen.length
      for (const answer of [await post(path, { body: '{}' }), await fetch(server.url + path)]) {
        expect(answer.status).toBe(404)
        expect(await answer.json()).toEqual({ code: 5, message, details: [] })
      }
      expect(server.seen).toHaveLength(before)
    })
  }

  test('any other path is still no operation', async () => {
    for (const path of [
      '/public/v1/submit/list_secrets',
      '/public/v1/query/list_secrets?',
      '/hosted/hosted/public/v1/query/list_secrets',
      '/public/v1/query/nothing',
    ]) {
      const { message } = await expectError(await post(path, { body: '{}' }), 404)
      expect(message).toBe('there is no such operation: see /docs for those that exist')
    }
  })
})

describe('a path with a slash too many', () => {
  for (const path of [`/${operationPath}`, `/hosted/${operationPath}`, operationPath.replaceAll('/', '//')]) {
    test(`POST and GET ${path} are no operation, and the refusal says what is meant`, async () => {
      const before = server.seen.length
      const meant = path.replaceAll('//', '/')
      const text = `the path ${meant} is meant: leave further slashes out, such as one at the end of the base URL`
      for (const answer of [await post(path, { body: '{}' }), await fetch(server.url + path)]) {
        expect((await expectError(answer, 404)).message).toContain(text)
      }
      expect(server.seen).toHaveLength(before)
    })
  }
})

describe('a page of another origin', () => {
  for (const path of [operationPath, `/hosted${operationPath}`, '/public/v1/query/nothing']) {
    test(`may send a stamp to ${path}`, async () => {
      const response = await fetch(server.url + path, {
        method: 'OPTIONS',
        headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
      })
      expect({ status: response.status, body: await response.text() }).toEqual({ status: 204, body: '' })
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-methods')).toContain('POST')
      expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0)
      const allowed = response.headers.get('access-control-allow-headers')?.split(', ')
      expect(allowed).toEqual(
        expect.arrayContaining(['content-type', 'x-stamp', 'x-stamp-webauthn', 'x-stamp-attested', 'x-session']),
      )
      expect(allowed).toEqual(expect.arrayContaining(['x-client-version', 'x-auth-proxy-config-id', 'x-captcha-token']))
    })
  }
})

describe('the body', () => {
  for (const contentType of [
    undefined,
    'application/json',
    'application/json; charset=utf-16',
    'text/plain',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    '???',
    ';;;',
    'a/b; c="',
  ]) {
    test(`is taken as bytes when the content type is ${contentType ?? 'not sent'}`, async () => {
      const type = contentType === undefined ? [] : [`Content-Type: ${contentType}`]
      const lines = [`POST ${operationPath} HTTP/1.1`, ...type, 'Content-Length: 4', 'Connection: close']
      expect(await sendRaw(server.port, `${head(...lines)}\u0000a=b`)).toMatch(/^HTTP\/1\.1 200 /)
      expect(Buffer.from(server.seen.at(-1)?.body ?? []).toString('latin1')).toBe('\u0000a=b')
    })
  }

  test('may be empty, which is for the vault to refuse', async () => {
    for (const lines of [[], ['Content-Length: 0'], ['Content-Type: application/json']]) {
      const answer = await sendRaw(server.port, head(`POST ${operationPath} HTTP/1.1`, ...lines, 'Connection: close'))
      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
      expect(server.seen.at(-1)?.body).toHaveLength(0)
    }
  })

  test('is refused when it is packed, since the stamp would be over the packed bytes', async () => {
    for (const encoding of ['gzip', 'br', 'gzip, identity']) {
      const response = await post(operationPath, { headers: { 'content-encoding': encoding }, body: gzipSync('{}') })
      expect((await expectError(response, 400)).message).toContain('Content-Encoding')
    }
    expect((await post(operationPath, { headers: { 'content-encoding': 'identity' } })).status).toBe(200)
  })

  test('of exactly 1 MiB passes', async () => {
    for (const body of [new Uint8Array(bodyBytesMax), chunked(bodyBytesMax)]) {
      const response = await post(operationPath, { body, duplex: 'half' })
      expect(await response.json()).toMatchObject({ bytes: bodyBytesMax })
    }
  })

  for (const [name, bodyOf] of [
    ['with its length told', (bytes: number) => new Uint8Array(bytes)],
    ['in chunks', (bytes: number) => chunked(bytes)],
  ] as const) {
    for (const bytes of [bodyBytesMax + 1, 20 * bodyBytesMax]) {
      test(`of ${bytes} bytes ${name} is 413, and the connection goes on`, async () => {
        const before = server.seen.length
        await expectError(await post(operationPath, { body: bodyOf(bytes), duplex: 'half' }), 413)
        expect(server.seen).toHaveLength(before)
        expect((await post(operationPath)).status).toBe(200)
      })
    }
  }

  test('is put together however it is cut', async () => {
    const bytes = randomBytes(100_000)
    const parts = [...bytes.subarray(0, 5_000)].map((byte) => Buffer.of(byte))
    for (let at = 5_000, size = 1; at < bytes.length; at += size, size *= 3) parts.push(bytes.subarray(at, at + size))
    const chunks = parts.map((part) =>
      Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
    )
    const lines = [`POST ${operationPath} HTTP/1.1`, 'Transfer-Encoding: chunked', 'Connection: close']
    await sendRaw(server.port, Buffer.concat([Buffer.from(head(...lines)), ...chunks, Buffer.from('0\r\n\r\n')]))
    expect(Buffer.from(server.seen.at(-1)?.body ?? []).equals(bytes)).toBe(true)
  })

  test('gives way when it stalls: strangers at many addresses keep nobody out who sends on', async () => {
    let nowMs = 0
    const bodies = createBodies(16 * 1_048_576, () => nowMs)
    let arrivedBytes = 0
    const behind = await startHttp({
      bodies: {
        read(request, peer, use) {
          request.on('data', (chunk) => {
            arrivedBytes += chunk.length
          })
          return bodies.read(request, peer, use)
        },
      },
    })
    const part = new Uint8Array(120_000)
    const stalled = await Promise.all(
      Array.from({ length: 128 }, (_, index) => connected(behind.port, `127.0.0.${index + 2}`)),
    )
    const told = Promise.race(stalled.map((socket) => readUntil(socket, /too slowly.*\}$/)))
    for (const socket of stalled) {
      socket.write(head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 131072'))
      socket.write(part)
    }
    await expect.poll(() => arrivedBytes, { timeout: 20_000 }).toBe(stalled.length * part.length)
    const statusOf = async (bytes: number) => {
      const request = { method: 'POST', body: new Uint8Array(bytes) }
      return (await fetch(`${behind.url}${operationPath}`, request)).status
    }
    expect(await statusOf(4_096)).toBe(200)
    expect(await statusOf(120_000)).toBe(503)
    nowMs = 2_000
    expect(await statusOf(120_000)).toBe(200)
    expect(await told).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n/is)
    for (const socket of stalled) socket.destroy()
    await behind.close()
  })

  test('that is told to be too large is refused before it is sent', async () => {
    const lines = [`POST ${operationPath} HTTP/1.1`, `Content-Length: ${bodyBytesMax + 1}`]
    const answer = await sendRaw(server.port, head(...lines), { until: /\}$/ })
    expectRawError(answer, 413)
  })

  test('in chunks that never end is refused when it is too large', async () => {
    const socket = await connected(server.port)
    const answer = readUntil(socket, /\}$/)
    socket.write(head(`POST ${operationPath} HTTP/1.1`, 'Transfer-Encoding: chunked'))
    socket.write(`${(2 * bodyBytesMax).toString(16)}\r\n`)
    socket.write(new Uint8Array(bodyBytesMax + 1))
    expectRawError(await answer, 413)
    socket.destroy()
  })

  test('in chunks that is refused ends its connection, and the rest is not parsed', async () => {
    const socket = await connected(server.port)
    const answer = readUntil(socket)
    socket.on('error', () => {})
    socket.write(head('POST /public/v1/query/nothing HTTP/1.1', 'Transfer-Encoding: chunked'))
    const rest = setInterval(() => socket.write('this is no chunk\r\n'), 10)
    const text = await answer
    clearInterval(rest)
    expect(text).toMatch(/^HTTP\/1.1 404 /)
    expect(text).toMatch(/^connection: close\r$/im)
    expect(text.split('HTTP/1.1')).toHaveLength(2)
  })

  test('is not read for an operation that does not exist: the path comes before the size', async () => {
    await expectError(await post('/public/v1/query/nothing', { body: new Uint8Array(2 * bodyBytesMax) }), 404)
  })

  test('that is awaited gets its 100 Continue, and any other expectation is passed over', async () => {
    for (const expectation of ['100-continue', 'something']) {
      const lines = [
        `POST ${operationPath} HTTP/1.1`,
        'Content-Length: 2',
        `Expect: ${expectation}`,
        'Connection: close',
      ]
      expect(await sendRaw(server.port, `${head(...lines)}{}`)).toContain('HTTP/1.1 200 ')
    }
  })

  function chunked(bytes: number): ReadableStream<Uint8Array> {
    let left = bytes
    return new ReadableStream({
      pull(controller) {
        const size = Math.min(left, 65_536)
        left -= size
        if (size > 0) controller.enqueue(new Uint8Array(size))
        else controller.close()
      },
    })
  }
})

describe('the headers', () => {
  test('may hold a stamp of 20 KiB', async () => {
    const stamp = 'a'.repeat(20 * 1024)
    expect((await post(operationPath, { headers: { 'x-stamp': stamp } })).status).toBe(200)
    expect(server.seen.at(-1)?.stamps).toEqual([{ header: 'x-stamp', value: stamp }])
  })

  test('over 32 KiB are 431', async () => {
    const lines = [`POST ${operationPath} HTTP/1.1`, `X-Stamp: ${'a'.repeat(33 * 1024)}`]
    expectRawError(await sendRaw(server.port, head(...lines)), 431)
  })

  test('carry the stamps in the order in which they came, in any casing, none of them joined or dropped', async () => {
    for (const [lines, stamps] of [
      [[], []],
      [['X-STAMP: a'], [['x-stamp', 'a']]],
      [
        ['X-Stamp: a', 'x-stamp: b'],
        [
          ['x-stamp', 'a'],
          ['x-stamp', 'b'],
        ],
      ],
      [
        ['x-stamp:a', 'X-Other: x-stamp', 'x-stamp:   a  '],
        [
          ['x-stamp', 'a'],
          ['x-stamp', 'a'],
        ],
      ],
      [
        ['X-Stamp-WebAuthn: c', 'X-StAmP: a, b'],
        [
          ['x-stamp-webauthn', 'c'],
          ['x-stamp', 'a, b'],
        ],
      ],
      [
        ['x-stamp: ', 'X-Stamp-Attested: d'],
        [
          ['x-stamp', ''],
          ['x-stamp-attested', 'd'],
        ],
      ],
    ] as const) {
      const all = [`POST ${operationPath} HTTP/1.1`, ...lines, 'Content-Length: 2', 'Connection: close']
      expect(await sendRaw(server.port, `${head(...all)}{}`)).toMatch(/^HTTP\/1\.1 200 /)
      expect(server.seen.at(-1)?.stamps).toEqual(stamps.map(([header, value]) => ({ header, value })))
    }
  })

  test('however many there are hide no second stamp: more than 256 are refused', async () => {
    for (const [count, status] of [
      [headersMax, 200],
      [headersMax + 1, 431],
      [4_000, 431],
    ] as const) {
      const before = server.seen.length
      const others = ['Content-Length: 2', 'Connection: close', 'x-stamp: a', 'x-stamp: b', 'Host: claviger.example']
      const many = Array.from({ length: count - others.length }, () => 'a: ')
      const lines = [`POST ${operationPath} HTTP/1.1`, ...others.slice(0, 3), ...many, ...others.slice(3)]
      const answer = await sendRaw(server.port, `${head(...lines)}{}`)
      if (status === 431) {
        expectRawError(answer, 431)
        expect(server.seen).toHaveLength(before)
      } else {
        expect(answer).toMatch(/^HTTP\/1\.1 200 /)
        expect(server.seen.at(-1)?.stamps.map(({ value }) => value)).toEqual(['a', 'b'])
      }
    }
  })

  for (const [name, status, lines] of [
    ['one host', 200, ['GET /livez HTTP/1.1', 'Host: keys.example:8787']],
    ['one host by its address', 200, ['GET /livez HTTP/1.1', 'HOST: [2001:db8::1]:8787']],
    ['one empty host', 200, ['GET /livez HTTP/1.1', 'Host:']],
    ['no host in HTTP/1.0', 200, ['GET /livez HTTP/1.0']],
    ['a host in HTTP/1.0', 200, ['GET /livez HTTP/1.0', 'Host: keys.example']],
    ['no host', 400, ['GET /livez HTTP/1.1']],
    ['no host before an operation', 400, [`POST ${operationPath} HTTP/1.1`, 'Content-Length: 0']],
    ['no host but one in the target', 400, ['GET http://keys.example/livez HTTP/1.1']],
    ['two hosts', 400, ['GET /livez HTTP/1.1', 'Host: keys.example', 'Host: other.example']],
    ['the same host twice', 400, ['GET /livez HTTP/1.1', 'host: keys.example', 'HOST: keys.example']],
    ['two hosts in HTTP/1.0', 400, ['GET /livez HTTP/1.0', 'Host: keys.example', 'Host: keys.example']],
    ['two hosts in one', 400, ['GET /livez HTTP/1.1', 'Host: keys.example, other.example other']],
    ['a host with a path', 400, ['GET /livez HTTP/1.1', 'Host: keys.example/livez']],
    ['a host with a user', 400, ['GET /livez HTTP/1.1', 'Host: somebody@keys.example']],
  ] as const) {
    test(`with ${name} are ${status}`, async () => {
      const before = server.seen.length
      const answer = await sendRaw(server.port, headAsGiven(...lines, ...(status === 200 ? ['Connection: close'] : [])))
      if (status === 200) expect(answer).toMatch(/^HTTP\/1\.1 200 /)
      else {
        expectRawError(answer, status)
        expect(answer).toMatch(/^connection: close$/im)
        expect(answer).toContain('Host must be sent once')
      }
      expect(server.seen).toHaveLength(before)
    })
  }

  test('of HTTP/1.0 that have a body in chunks are 400: older proxies see no body there', async () => {
    const lines = [`POST ${operationPath} HTTP/1.0`, 'Connection: keep-alive', 'Transfer-Encoding: chunked']
    const answer = await sendRaw(server.port, `${head(...lines)}0\r\n\r\n${head('GET /livez HTTP/1.0')}`)
    expectRawError(answer, 400)
    expect(answer).toMatch(/^connection: close$/im)
    expect(answer).toContain('Transfer-Encoding')
  })

  test('need not name a version of a route', async () => {
    const lines = [`POST ${operationPath} HTTP/1.1`, 'Accept-Version: 9', 'Accept: text/html', 'Content-Length: 0']
    expect(await sendRaw(server.port, head(...lines, 'Connection: close'))).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('what is not HTTP', () => {
  for (const [name, text] of [
    ['a greeting of TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
    ['a line of prose', 'hello there\r\n\r\n'],
    ['an unknown method', head('FETCH / HTTP/1.1')],
    ['an unknown version', head('GET / HTTP/9.9')],
    ['two lengths', head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 2', 'Content-Length: 3')],
    ['a length and chunks', head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 2', 'Transfer-Encoding: chunked')],
    ['a header without a colon', head(`POST ${operationPath} HTTP/1.1`, 'X-Stamp')],
    ['a space before the colon', head(`POST ${operationPath} HTTP/1.1`, 'X-Stamp : a')],
    ['a folded header', head(`POST ${operationPath} HTTP/1.1`, 'X-Stamp: a', ' b')],
    ['a chunk without a size', `${head(`POST ${operationPath} HTTP/1.1`, 'Transfer-Encoding: chunked')}zz\r\n`],
  ] as const) {
    test(`such as ${name} is 400 in the shape of the interface`, async () => {
      const before = server.seen.length
      expectRawError(await sendRaw(server.port, Buffer.from(text, 'latin1')), 400)
      expect(server.seen).toHaveLength(before)
    })
  }

  test('behind a request that is being decided is refused after its answer', async () => {
    const gate = Promise.withResolvers<Answer>()
    const slow = await startHttp({ submit: () => gate.promise })
    const answer = sendRaw(slow.port, `${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 2')}{}hello\r\n\r\n`)
    while (slow.seen.length === 0) await sleep(1)
    gate.resolve({ status: 200, body: Buffer.from('{}') })
    expect(await answer).toMatch(/^HTTP\/1\.1 200 .*\{\}HTTP\/1\.1 400 /s)
    await slow.close()
  })
})

describe('a slow client', () => {
  for (const [name, text] of [
    ['the headers', `POST ${operationPath} HTTP/1.1\r\nX-St`],
    ['the body', `${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 9')}{`],
  ] as const) {
    test(`that stops in the middle of ${name} gets 408`, async () => {
      const impatient = await startHttp({ requestMsMax: 100 })
      expectRawError(await sendRaw(impatient.port, text), 408)
      expect(impatient.seen).toEqual([])
      await impatient.close()
    })
  }

  test('that was refused is ended, also if it keeps its own side open and goes on with its body', async () => {
    const impatient = await startHttp({ requestMsMax: 100 })
    const socket = connect({ host: '127.0.0.1', port: impatient.port, allowHalfOpen: true })
    socket.on('error', () => {}).resume()
    socket.write(`${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 1000000')}{`)
    await once(socket, 'end')
    while (!socket.destroyed) {
      socket.write('x')
      await sleep(10)
    }
    await impatient.close()
  })

  test('that goes away in the middle of its body harms nothing', async () => {
    const own = await startHttp()
    const socket = await connected(own.port)
    const closed = readUntil(socket)
    socket.write(`${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 9')}{`)
    const other = await fetch(own.url + operationPath, { method: 'POST', body: '{}' })
    expect(other.status).toBe(200)
    socket.destroy()
    await closed
    expect((await fetch(own.url + operationPath, { method: 'POST', body: '{}' })).status).toBe(200)
    await own.close()
    expect(own.seen).toHaveLength(2)
    expect(own.logged.join('')).not.toContain('"error"')
  })

  test('that does not wait for its answer harms nothing', async () => {
    const gate = Promise.withResolvers<Answer>()
    const own = await startHttp({ submit: () => gate.promise })
    const leaving = new AbortController()
    const left = fetch(own.url + operationPath, { method: 'POST', body: '{}', signal: leaving.signal }).catch(
      () => 'left',
    )
    while (own.seen.length === 0) await fetch(`${own.url}/livez`)
    leaving.abort()
    expect(await left).toBe('left')
    gate.resolve({ status: 200, body: Buffer.from('{}') })
    expect((await fetch(own.url + operationPath, { method: 'POST', body: '{}' })).status).toBe(200)
    await own.close()
    expect(own.logged.join('')).not.toContain('"error"')
  })
})

describe('an answer of submit', () => {
  async function answered(submit: () => Promise<Answer>) {
    const own = await startHttp({ submit })
    const response = await fetch(own.url + operationPath, { method: 'POST', body: '{}' })
    const text = await response.text()
    await own.close()
    return { response, text, logged: own.logged }
  }

  test('keeps its status, its bytes and how long to wait', async () => {
    const body = Buffer.from('{"ä": 1 }')
    const { response, text } = await answered(async () => ({ status: 503, body, retryAfterSeconds: 7 }))
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('retry-after')).toBe('7')
    expect(response.headers.get('access-control-expose-headers')).toContain('retry-after')
    expect(text).toBe('{"ä": 1 }')
  })

  test('says how long to wait with every 503, also with one of the vault', async () => {
    const { response } = await answered(async () => ({ status: 503, body: Buffer.from('{}') }))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  })

  test('that is a failure keeps its status and text', async () => {
    const { response, text } = await answered(async () => {
      throw new Failure('FORBIDDEN', { reason: 'because' })
    })
    expect(response.status).toBe(403)
    expect(JSON.parse(text)).toMatchObject({ code: 7, message: expect.stringMatching(/: because$/) })
  })

  for (const [name, thrown] of [
    ['an error', new Error('secret of the inside', { cause: new Error('cause of the inside') })],
    ['an error with a status of its own', Object.assign(new Error('secret of the inside'), { statusCode: 502 })],
    ['an error that looks like a refusal', Object.assign(new Error('secret of the inside'), { statusCode: 400 })],
    ['a text', 'secret of the inside'],
    ['nothing', undefined],
  ] as const) {
    test(`that is ${name} is a 500 that shows an id only, under which the log has the cause`, async () => {
      const { response, text, logged } = await answered(() => Promise.reject(thrown))
      expect(response.status).toBe(500)
      expect(response.headers.get('content-type')).toBe('application/json')
      const { message, ...rest } = JSON.parse(text)
      expect(rest).toEqual({ code: 13, details: [] })
      const [, incidentId] = /^internal server error \(([0-9a-f-]{36})\)$/.exec(message) ?? []
      const [incident] = logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error')
      expect(incident).toMatchObject({ incidentId, message: 'internal server error' })
      if (thrown instanceof Error) expect(incident.error).toMatchObject({ message: 'secret of the inside' })
    })
  }

  test('leaves method, path and status in the log, and nothing that was sent', async () => {
    const own = await startHttp()
    const headers = { 'x-stamp': 'secret-stamp', authorization: 'secret-authorization' }
    await fetch(`${own.url}${operationPath}`, { method: 'POST', body: '{"secret":"body"}', headers })
    await fetch(`${own.url}/livez?secret=query`)
    await own.close()
    const lines = own.logged.join('')
    expect(lines).toContain(`"path":"${operationPath}","status":200`)
    expect(lines).not.toContain('secret')
  })

  test('is in the log with its own id, the ids in the answer and a time of at most one decimal', async () => {
    const ids = { organizationId: 'an organization', activityId: 'an activity' }
    const own = await startHttp({ submit: async () => ({ status: 200, body: Buffer.from('{}'), ...ids }) })
    const response = await fetch(`${own.url}${operationPath}`, { method: 'POST', body: '{}' })
    await fetch(`${own.url}/livez`)
    await own.close()
    expect(await response.text()).toBe('{}')
    const requestId = own.seen[0]?.requestId
    const [operation, page] = own.logged.map((line) => JSON.parse(line))
    expect(operation).toMatchObject({ requestId, ...ids, path: operationPath, message: 'answered' })
    expect(Object.keys(page)).not.toContain('organizationId')
    expect(page.requestId).not.toBe(requestId)
    for (const line of own.logged) expect(line).toMatch(/"requestId":"[0-9a-f-]{36}".*"elapsedMs":[0-9]+(\.[0-9])?,/)
  })

  test('has the same id in the line of its incident', async () => {
    const own = await startHttp({ submit: () => Promise.reject(new Error('inside')) })
    await fetch(`${own.url}${operationPath}`, { method: 'POST', body: '{}' })
    await own.close()
    const [incident, answered] = own.logged.map((line) => JSON.parse(line))
    expect([incident.message, answered.message]).toEqual(['internal server error', 'answered'])
    expect([incident.requestId, answered.requestId]).toEqual([own.seen[0]?.requestId, own.seen[0]?.requestId])
  })
})

describe('the pages', () => {
  test.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])(
    '/openapi.json goes to a client that takes %s in the coding %s, a ninth of its size if in one',
    async (taken, coding) => {
      const headers = { 'accept-encoding': taken }
      const response = await fetch(`${server.url}/openapi.json`, { headers })
      expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
        coding,
        'accept-encoding',
      ])
      const text = await response.text()
      const { paths } = JSON.parse(text)
      expect(Object.keys(paths).length).toBeGreaterThan(100)
      const sent = Number(response.headers.get('content-length'))
      if (coding === null) expect(sent).toBe(Buffer.byteLength(text))
      else expect(sent).toBeLessThan(text.length / 9)
    },
  )

  for (const [path, contentType] of [
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/docs.js', 'text/javascript; charset=utf-8'],
    ['/docs/docs.css', 'text/css; charset=utf-8'],
    ['/docs/icon.svg', 'image/svg+xml'],
    ['/openapi.json', 'application/json'],
    ['/.well-known/claviger-keys.json', 'application/json'],
    ['/.well-known/jwks.json', 'application/json'],
    ['/public/v1/discovery/webhooks/jwks', 'application/json'],
    ['/hosted/public/v1/discovery/webhooks/jwks', 'application/json'],
    ['/livez', 'application/json'],
    ['/readyz', 'application/json'],
  ] as const) {
    test(`${path} can be read with GET and looked at with HEAD`, async () => {
      const headers = { 'accept-encoding': 'identity' }
      const got = await fetch(server.url + path, { headers })
      const looked = await fetch(server.url + path, { method: 'HEAD', headers })
      for (const { status, headers } of [got, looked]) {
        expect(status).toBe(200)
        expect(headers.get('content-type')).toBe(contentType)
        expect(headers.get('access-control-allow-origin')).toBe('*')
        expect(headers.get('x-content-type-options')).toBe('nosniff')
      }
      expect((await got.arrayBuffer()).byteLength).toBe(Number(looked.headers.get('content-length')))
      expect(await looked.text()).toBe('')
    })
  }

  test('/docs/ leads to /docs', async () => {
    const { status, headers } = await fetch(`${server.url}/docs/`, { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([302, '/docs'])
  })

  test('the key of webhooks may be kept for a while', async () => {
    const webhookSigning = { compressed: '1b'.repeat(32), uncompressed: '1b'.repeat(32) }
    const own = await startHttp({ publishedKeys: async () => ({ webhookSigning }) })
    const response = await fetch(`${own.url}/public/v1/discovery/webhooks/jwks`)
    const { keys } = await response.json()
    expect(keys).toEqual([
      {
        kid: await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x: keys[0].x }),
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        x: Buffer.from('1b'.repeat(32), 'hex').toString('base64url'),
        turnkey_signature_algorithm: 'ed25519',
        turnkey_signature_version: 'v1',
      },
    ])
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
  })

  test('HTML runs and loads nothing from elsewhere', async () => {
    const { headers } = await fetch(`${server.url}/docs`)
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /)
    expect(headers.get('content-security-policy')).not.toContain('unsafe')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('a page that does not exist is 404, also below one that does', async () => {
    for (const path of [
      '/nothing',
      '/docs/../docs.js',
      '/docs/server.ts',
      '/docs/%2e%2e/server.ts',
      '/.env',
      '/livez/',
    ]) {
      await expectError(await fetch(server.url + path), 404)
    }
  })

  test('the keys are 503 while the vault cannot be asked', async () => {
    const own = await startHttp({ publishedKeys: () => Promise.reject(new Failure('UNAVAILABLE')) })
    const response = await fetch(`${own.url}/.well-known/claviger-keys.json`)
    await expectError(response, 503)
    expect(response.headers.get('retry-after')).toBe('1')
    await own.close()
  })

  test('a server that is not ready is 503 on /readyz, with the reasons, and alive on /livez', async () => {
    const own = await startHttp({ readiness: async () => ({ ready: false, reasons: ['the vault is down'] }) })
    const response = await fetch(`${own.url}/readyz`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toEqual({ status: 'not ready', reasons: ['the vault is down'] })
    expect((await fetch(`${own.url}/livez`)).status).toBe(200)
    await own.close()
  })

  test('a readiness that cannot be told is a 500 without the cause', async () => {
    const own = await startHttp({ readiness: () => Promise.reject(new Error('inside')) })
    const response = await fetch(`${own.url}/readyz`)
    expect((await expectError(response, 500)).message).not.toContain('inside')
    await own.close()
  })
})

describe('a connection', () => {
  test('carries one request after another, and answers in their order', async () => {
    const request = `${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 2')}{}`
    const last = head('GET /livez HTTP/1.1', 'Connection: close')
    const answer = await sendRaw(server.port, request + request + last)
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(3)
    expect(answer).toMatch(/"alive"\}$/)
  })

  test('takes no upgrade and no tunnel', async () => {
    const lines = ['Connection: upgrade, close', 'Upgrade: h2c', 'Content-Length: 2']
    const upgrade = `${head(`POST ${operationPath} HTTP/1.1`, ...lines)}{}`
    expect(await sendRaw(server.port, upgrade, { until: /\}$/ })).toMatch(/^HTTP\/1\.1 200 /)
    expect(await sendRaw(server.port, head('CONNECT claviger.example:443 HTTP/1.1'))).not.toMatch(/ 200 /)
  })
})

describe('closing', () => {
  test('waits for the request in flight, answers it, and takes no further one', async () => {
    const gate = Promise.withResolvers<Answer>()
    const own = await startHttp({ submit: () => gate.promise })
    const idle = readUntil(await connected(own.port))
    const halfSocket = await connected(own.port)
    const half = readUntil(halfSocket)
    halfSocket.write('POST /pub')
    const answer = fetch(own.url + operationPath, { method: 'POST', body: '{}' })
    while (own.seen.length === 0) await fetch(`${own.url}/livez`)
    let closed = false
    const closing = own.close().then(() => {
      closed = true
    })
    while (await accepts(own.port));
    expect(closed).toBe(false)
    gate.resolve({ status: 200, body: Buffer.from('{"done":true}') })
    expect(await (await answer).json()).toEqual({ done: true })
    await closing
    expect(own.seen).toHaveLength(1)
    expect(await Promise.all([idle, half])).toEqual(['', ''])
  })

  test('waits for a client that still reads its answer', async () => {
    const bytes = 16 * 1_048_576 // more than the kernel takes at once
    const own = await startHttp({ submit: async () => ({ status: 200, body: new Uint8Array(bytes) }) })
    const socket = await connected(own.port)
    let received = 0
    socket.on('data', (chunk) => {
      received += chunk.length
    })
    const ended = once(socket, 'close')
    socket.pause()
    socket.write(`${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 2')}{}`)
    while (own.seen.length === 0) await fetch(`${own.url}/livez`)
    const closing = own.close()
    while (await accepts(own.port));
    socket.resume()
    await Promise.all([ended, closing])
    expect(received).toBeGreaterThan(bytes)
  })

  async function accepts(port: number): Promise<boolean> {
    const socket = await connected(port).catch(() => undefined)
    socket?.destroy()
    return socket !== undefined
  }

  test('ends connections that a client keeps open and goes on using', async () => {
    const own = await startHttp()
    const request = `${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 2')}{}`
    const socket = await connected(own.port)
    const everything = readUntil(socket)
    socket.on('data', () => socket.write(request))
    socket.write(request)
    while (own.seen.length < 10) await fetch(`${own.url}/livez`)
    await own.close()
    await everything
  })
})

test('pages are answered in turns of the addresses that ask, also behind one proxy', async () => {
  const own = await startHttp({ trustedProxies: rangeOf('127.0.0.0/8') })
  const answered = () => own.logged.flatMap((line) => JSON.parse(line).path ?? [])
  const sockets = await Promise.all(Array.from({ length: 201 }, () => connected(own.port)))
  const asks = sockets.map((socket, index) => {
    const [path, address] = index < 200 ? ['/', '203.0.113.7'] : ['/livez', '203.0.113.8']
    return () => socket.write(head(`GET ${path} HTTP/1.1`, `X-Forwarded-For: ${address}`))
  })
  // A connection is read only once it has begun.
  for (const round of [1, 2]) {
    for (const ask of asks) ask()
    while (answered().length < round * 201) await sleep(1)
  }
  expect(answered().slice(201).indexOf('/livez')).toBeLessThan(100)
  for (const socket of sockets) socket.destroy()
  await own.close()
})

describe('many who wait for one answer together', () => {
  test.each([
    ['/readyz', 'there'],
    ['/.well-known/jwks.json', 'there'],
    ['/.well-known/jwks.json', 'an error'],
    ['/log/', 'there'],
    ['/log/', 'an error'],
  ])('of %s take turns with another peer once it is %s', async (path, outcome) => {
    const gate = Promise.withResolvers<void>()
    let waiting = 0
    async function wait<T>(value: T): Promise<T> {
      waiting += 1
      await gate.promise
      return value
    }
    const own = await startHttp({
      readiness: () => wait({ ready: true, reasons: [] }),
      publishedKeys: () => wait({}),
      files: () => wait(undefined),
    })
    const other = '/public/v1/discovery/webhooks/jwks'
    const ask = (asked: string, from: string) =>
      sendRaw(own.port, head(`GET ${asked} HTTP/1.1`, 'Connection: close'), { from })
    const many = Array.from({ length: 200 }, () => ask(path, '127.0.0.2'))
    // The keys have one waiting for all who ask.
    while (waiting < (path.startsWith('/.well') ? 1 : 200)) await sleep(1)
    await sleep(500)
    const one = ask(other, '127.0.0.3')
    await sleep(500)
    if (outcome === 'there') gate.resolve()
    else gate.reject(new Failure('UNAVAILABLE', 'for a test'))
    await Promise.all([...many, one])
    const answeredPaths = own.logged.flatMap((line) => JSON.parse(line).path ?? [])
    expect(answeredPaths).toHaveLength(201)
    expect(answeredPaths.indexOf(other)).toBeLessThan(10)
    await own.close()
  })
})

function rangeOf(text: string) {
  const range = parseIpRange(text)
  if (range === undefined) throw new Error('a range')
  return [range]
}
