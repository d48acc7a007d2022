import { describe, expect, test } from 'vitest'
import { operationPath, sendRaw, startHttp } from '../../../test/support/http_server.ts'
import { isLocalRequest } from './local_request.ts'

const asked = (host: string | undefined, remoteAddress: string | undefined, headers = {}, httpVersion = '1.1') =>
  isLocalRequest({
    headers: { ...(host === undefined ? {} : { host }), ...headers },
    httpVersion,
    socket: { remoteAddress },
  })

test('a request to localhost over a loopback address is local', () => {
  for (const host of ['localhost', 'localhost:8787', 'LOCALHOST:1']) {
    for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
      expect(asked(host, address), `${host} ${address}`).toBe(true)
    }
  }
})

describe('no request is local', () => {
  test.each([
    ...[
      '127.0.0.1:8787',
      '[::1]:8787',
      'keys.example',
      'localhost.example',
      'a.localhost',
      'localhost:',
      ' localhost',
      '',
    ],
    'localhost:8787@keys.example',
    undefined,
  ])('to the name %j', (host) => {
    expect(asked(host, '127.0.0.1')).toBe(false)
  })

  test.each(['10.0.0.1', '192.168.1.2', '203.0.113.7', '::ffff:10.0.0.1', 'fe80::1', '::2', '', undefined])(
    'from %j',
    (address) => {
      expect(asked('localhost:8787', address)).toBe(false)
    },
  )

  test.each([
    'forwarded',
    'via',
    'x-real-ip',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded',
  ])('with the header %s, even an empty one', (name) => {
    expect(asked('localhost:8787', '127.0.0.1', { [name]: '' })).toBe(false)
  })
})

test.each([
  ['http://localhost:8787', true],
  ['http://localhost:3000', false],
  ['https://localhost:8787', false],
  ['https://keys.example', false],
  ['null', false],
])('a request of a page of the origin %j is local: %j', (origin, isLocal) => {
  expect(asked('localhost:8787', '127.0.0.1', { origin })).toBe(isLocal)
  expect(asked('LOCALHOST:8787', '127.0.0.1', { origin })).toBe(isLocal)
})

test('no request in HTTP/1.0 is local: nginx sends it without a header of a proxy', () => {
  expect(asked('localhost:8787', '127.0.0.1', {}, '1.0')).toBe(false)
})

test('the server tells the vault of each request whether it is local', async () => {
  const http = await startHttp()
  const send = (host: string, more = '') =>
    sendRaw(
      http.port,
      `POST ${operationPath} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\nContent-Length: 2\r\n\r\n{}`,
    )
  await send(`localhost:${http.port}`)
  await send(`127.0.0.1:${http.port}`)
  await send(`localhost:${http.port}`, 'X-Forwarded-For: 127.0.0.1\r\n')
  expect(http.seen.map(({ isLocal }) => isLocal)).toEqual([true, undefined, undefined])
  await http.close()
})
