import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import { afterAll, expect, test } from 'vitest'
import { watchesOfUserMax } from '../../src/service/turns/watch_places.ts'
import { ethereumAccount, signingOf } from '../support/client.ts'
import { organizationOver } from '../support/http_organization.ts'
import { startRunningServer } from '../support/running_server.ts'

let server = await startRunningServer()
afterAll(() => server.stop())
const organization = organizationOver(server)

async function watch(accept = 'application/x-ndjson') {
  const { apiPublicKey, apiPrivateKey, organizationId } = server.credentials
  const body = JSON.stringify({ organizationId })
  const { stampHeaderName, stampHeaderValue } = await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(body)
  const headers = { accept, [stampHeaderName]: stampHeaderValue }
  return fetch(`${server.url}/public/v1/query/watch_activities`, { method: 'POST', headers, body })
}

/** The lines of an answer as they come. */
function linesOf({ body }: Response) {
  if (body === null) throw new Error('no body')
  const reader = createInterface({ input: Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) })
  const lines: string[] = []
  reader.on('line', (line) => lines.push(line))
  return { lines, ended: once(reader, 'close') }
}

const until = (check: () => boolean) => expect.poll(check, { timeout: 20_000 }).toBe(true)

test('the lines of a watch go through HTTP one by one, and the end of the server does not wait for them', async () => {
  const once = await watch('*/*')
  expect(once.headers.get('content-type')).toBe('application/json')
  const answer = await watch()
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'access-control-allow-origin': '*',
  })
  const { lines, ended } = linesOf(answer)
  await until(() => lines.length === 1)
  expect(lines[0]).toBe(await once.text())
  await organization.done('create_user_tag', { userTagName: 'Board', userIds: [] })
  await until(() => lines.length === 2)
  const [first, second] = lines.map((line) => JSON.parse(line))
  expect(second.organizationVersion).toBe(first.organizationVersion + 1)

  const stopped = server.stop()
  await ended
  await stopped
  server = await startRunningServer({ folder: server.folder })
  const again = linesOf(await watch())
  await until(() => again.lines.length === 1)
  expect(JSON.parse(again.lines[0] ?? '')).toMatchObject({ organizationVersion: second.organizationVersion })
})

test('a signature, which changes no head, is told too', async () => {
  const { done } = organizationOver(server)
  const { addresses } = await done('create_wallet', { walletName: 'Treasury', accounts: [ethereumAccount("m/0'")] })
  const { lines } = linesOf(await watch())
  await until(() => lines.length === 1)
  await done('sign_raw_payload', signingOf(addresses[0], 'hello'))
  await until(() => lines.length === 2)
  expect(lines[1]).toBe(lines[0])
})

test('a client that goes away leaves its place', async () => {
  for (let index = 0; index < 2 * watchesOfUserMax; index += 1) {
    await expect
      .poll(
        async () => {
          const answer = await watch()
          await answer.body?.cancel()
          return answer.status
        },
        { timeout: 20_000 },
      )
      .toBe(200)
  }
})

test('a refusal is answered as for any query', async () => {
  const headers = { accept: 'application/x-ndjson' }
  const body = JSON.stringify({ organizationId: server.credentials.organizationId })
  const answer = await fetch(`${server.url}/public/v1/query/watch_activities`, { method: 'POST', headers, body })
  expect(answer.status).toBe(401)
  expect(await answer.json()).toMatchObject({ message: expect.stringContaining('stamp') })
})
