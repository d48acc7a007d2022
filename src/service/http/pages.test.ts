import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { connected, head, readUntil } from '../../../test/support/http_server.ts'
import type { Page } from './page.ts'
import { createPages } from './pages.ts'
import { pageSender } from './send_page.ts'

type Content = Extract<Page, { readonly kind: 'content' }>

test('the document is compressed once for all who ask at once', async () => {
  const pages = createPages({ version: '1.2.3', publishedKeys: async () => ({}), consoleFolder: undefined })
  const { compressed } = pages.find(({ path }) => path === '/openapi.json') as Content
  const [one, other] = await Promise.all([compressed?.(), compressed?.()])
  expect(one?.br?.length).toBeGreaterThan(1_000)
  expect(other).toBe(one)
})

test('the vault is asked for its keys once for all who ask at once, for each page of keys', async () => {
  let asked = 0
  const publishedKeys = async () => {
    asked += 1
    return {}
  }
  const pages = createPages({ version: '1.2.3', publishedKeys, consoleFolder: undefined })
  const ofKeys = pages.filter((page): page is Content => /jwks|claviger-keys/.test(page.path))
  expect(ofKeys).toHaveLength(4)
  await Promise.all([...ofKeys, ...ofKeys, ...ofKeys].map(({ body }) => body()))
  expect(asked).toBe(1)
  await ofKeys[0]?.body()
  expect(asked).toBe(2)
})

test.each([
  ['Accept-Encoding: br', 1],
  ['Accept-Encoding: gzip;q=1.0, identity', 1],
  ['Accept-Encoding: identity', 0],
  ['Accept-Encoding: br;q=0, zstd', 0],
  ['Accept: */*', 0],
])('nothing is compressed for a client that takes none of it: %s', async (line, times) => {
  let asked = 0
  const compressed = async () => {
    asked += 1
    return {}
  }
  const contentType = 'application/json'
  const send = pageSender({ kind: 'content', path: '/', contentType, body: () => Buffer.from('{}'), compressed })
  const server = createServer((request, response) => void send(response, request, (ready) => ready)).listen(
    0,
    '127.0.0.1',
  )
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const socket = await connected(typeof address === 'object' ? (address?.port ?? 0) : 0)
  socket.write(head('GET / HTTP/1.1', 'Connection: close', line))
  expect(await readUntil(socket)).toMatch(/\r\n\r\n\{\}$/)
  expect(asked).toBe(times)
})
