import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, type TestContext, test } from 'vitest'
import { findOperation } from '../../src/operations/catalogue.ts'
import { createReadiness } from '../../src/service/http/readiness.ts'
import { activityRequest, ethereumAccount } from '../support/client.ts'
import { startHttp } from '../support/http_server.ts'
import type { Server } from '../support/in_process.ts'
import { mountedFolder } from '../support/mounts.ts'
import { queryPostgres } from '../support/postgres/postgres.ts'
import { makePostgres, startPostgres } from '../support/postgres/server.ts'
import { endPostgres, temporaryServerFolder } from '../support/postgres/standby.ts'
import { freshFolder, killLaunched, run, serve } from '../support/server_command.ts'
import { patiently, ready, serving } from '../support/serving.ts'
import { stampWith } from '../support/stamping.ts'
import { start } from '../support/start.ts'

afterAll(killLaunched)

/** A node whose disk is full, in each place that it writes to: real file systems of a few megabytes. */

function smallDisk(context: TestContext, megabytes: number) {
  const folder = mountedFolder(context, 'tmpfs', `size=${megabytes}m,mode=0755`)
  const filler = join(folder, 'filler')
  return {
    folder,
    fill({ left = 0 } = {}): void {
      const file = openSync(filler, 'a')
      try {
        for (;;) writeSync(file, Buffer.alloc(4_096))
      } catch {
        // It is full.
      } finally {
        closeSync(file)
      }
      expect(statfsSync(folder).bfree).toBe(0)
      truncateSync(filler, statSync(filler).size - left)
    },
    empty: () => rmSync(filler),
  }
}

type Serving = Awaited<ReturnType<typeof serving>>

/** Makes tags until one is refused. Returns the names of those that were acknowledged, and how to ask for that one again. */
async function tagUntilRefused({ tag }: Pick<Serving, 'tag'>, prefix = 'tag') {
  const acknowledged: string[] = []
  for (let count = 1; ; count += 1) {
    const name = `${prefix} ${count}`
    const send = tag(name)
    const answer = await send()
    if (answer.status === 200) acknowledged.push(name)
    else return { acknowledged, name, send, answer }
  }
}

const refusal = { status: 503, retryAfter: '1', body: expect.objectContaining({ code: 14 }) }

test('a start whose journal is on a full disk ends with 1, and goes on when there is room', async (context) => {
  const disk = smallDisk(context, 8)
  disk.fill()
  const data = freshFolder()
  const flags = ['--mark-dir', join(disk.folder, 'mark')]
  const { code, stderr } = await run(['dev', '--port', '0', '--data', data, ...flags])
  expect(stderr).toContain(`the disk of the journal folder ${flags[1]} is full (ENOSPC): make room on it`)
  expect(code).toBe(1)
  disk.empty()
  const server = await serve('dev', data, flags)
  server.child.kill('SIGTERM')
  expect((await server.ended).code).toBe(0)
})

test.for([0, 8_192])(
  'a start with %i bytes left for the data folder ends with 1 and says what is full',
  async (left, context) => {
    const disk = smallDisk(context, 8)
    const data = join(disk.folder, 'data')
    const flags = ['--mark-dir', mkdtempSync(join(tmpdir(), 'claviger-mark-'))]
    const server = await serve('dev', data, flags)
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
    disk.fill({ left })
    const { code, stderr } = await run(['dev', '--port', '0', '--data', data, ...flags])
    expect(stderr).toMatch(/the disk of \S+\/data\/(server\.lock|claviger\.db) is full \(.+\): make room on it/)
    expect(code).toBe(1)
  },
)
test('the embedded database: changes are 503 until there is room, and nothing acknowledged is lost', async (context) => {
  const disk = smallDisk(context, 8)
  const mark = mkdtempSync(join(tmpdir(), 'claviger-mark-'))
  const server = await serving({ data: join(disk.folder, 'data'), 'mark-dir': mark })
  expect(await server.readiness()).toEqual(ready)
  disk.fill()
  // The files that the database has take some changes yet.
  const full = 'the disk of the data folder is full: make room before changes are refused'
  expect(await server.readiness()).toEqual([200, { status: 'ready', reasons: [full] }])
  const { acknowledged, name, send, answer } = await tagUntilRefused(server)
  expect(answer).toEqual(refusal)
  expect(answer.body.message).toContain('the database cannot be used')
  const reasons = ['the database cannot be written', full]
  expect(await server.readiness()).toEqual([503, { status: 'not ready', reasons }])
  expect((await server.query()).status).toBe(200)
  disk.empty()
  expect((await patiently(send)).status).toBe(200)
  await expect.poll(server.readiness).toEqual(ready)
  expect((await server.tags()).toSorted()).toEqual([...acknowledged, name].toSorted())
})

/** The HTTP server of the service in front of a server in this process, whose journal may have small segments. */
async function servedInProcess(server: Server) {
  const vault = { condition: server.vault.condition, state: () => 'ready' as const }
  const parts = {
    store: server.store,
    vault,
    mismatches: { count: 0, lastMs: 0 },
    disk: () => undefined,
    log: { info() {}, warn() {} },
  }
  const http = await startHttp({
    submit: server.submit,
    isOperation: (path) => findOperation(path) !== undefined,
    readiness: createReadiness(parts),
  })
  onTestFinished(() => http.close())
  const { organizationId, apiKey } = await server.createOrganization()
  let lastMs = Date.now()

  async function send({ path, body }: { readonly path: string; readonly body: string }) {
    const headers = { 'x-stamp': stampWith(apiKey, Buffer.from(body)) }
    const answer = await fetch(new URL(path, http.url), { method: 'POST', headers, body })
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() }
  }
  const activity = (operation: string, parameters: Readonly<Record<string, unknown>>) => {
    lastMs += 1
    const request = activityRequest(operation, { organizationId, timestampMs: lastMs, parameters })
    return () => send(request)
  }
  return {
    activity,
    tag: (userTagName: string) => activity('create_user_tag', { userTagName, userIds: [] }),
    async tags(): Promise<readonly string[]> {
      const { body } = await send({ path: '/public/v1/query/list_user_tags', body: JSON.stringify({ organizationId }) })
      return body.userTags.map(({ tagName }: { tagName: string }) => tagName)
    },
    async readiness() {
      const answer = await fetch(`${http.url}/readyz`)
      return [answer.status, await answer.json()]
    },
  }
}

test('the journal: changes and signatures are 503 until there is room', async (context) => {
  const disk = smallDisk(context, 1)
  const server = await start({ journalDirectory: disk.folder, segmentBytes: 4_096 })
  const served = await servedInProcess(server)
  const accounts = [ethereumAccount("m/44'/60'/0'/0/0")]
  const wallet = await served.activity('create_wallet', { walletName: 'w', accounts })()
  const [signWith] = wallet.body.activity.result.createWalletResult.addresses
  const hashed = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' }
  const sign = () => served.activity('sign_raw_payload', { signWith, payload: 'a', ...hashed })
  expect(await served.readiness()).toEqual(ready)
  disk.fill()
  const { acknowledged, name, send, answer } = await tagUntilRefused(served)
  expect(answer).toEqual(refusal)
  expect(answer.body.message).toContain('the journal of the vault takes nothing now, and `/readyz` says why')
  const reason = expect.stringMatching(/^the journal of the vault cannot be written: .*ENOSPC/)
  expect(await served.readiness()).toEqual([503, { status: 'not ready', reasons: [reason] }])
  expect(await sign()()).toEqual(refusal)
  disk.empty()
  expect((await patiently(send)).status).toBe(200)
  expect((await patiently(sign())).status).toBe(200)
  await expect.poll(served.readiness, { timeout: 10_000 }).toEqual(ready)
  expect((await served.tags()).toSorted()).toEqual([...acknowledged, name].toSorted())
  expect(server.incidents).toEqual([])
})

test('PostgreSQL, whose tables or log cannot grow: 503 with the reason until there is room', async (context) => {
  const disk = smallDisk(context, 120)
  const folder = temporaryServerFolder()
  execFileSync('chmod', ['0700', disk.folder])
  const { url } = await makePostgres(folder, disk.folder)
  const server = await serving({ 'database-url': url('postgres') })
  expect((await server.tag('before')()).status).toBe(200)
  disk.fill()
  const full = await tagUntilRefused(server)
  expect(full.answer).toEqual(refusal)
  await expect
    .poll(server.readiness)
    .toEqual([503, { status: 'not ready', reasons: ['the database cannot be written'] }])
  disk.empty()
  expect((await patiently(full.send)).status).toBe(200)
  await expect.poll(server.readiness).toEqual(ready)

  // A new segment of the log finds no room: PostgreSQL ends itself. Until then, it may have segments in reserve.
  disk.fill()
  const switchSegment = () => queryPostgres(url('postgres'), 'select pg_switch_wal(), txid_current()')
  await expect
    .poll(
      () =>
        switchSegment().then(
          () => 'has room',
          () => 'ended',
        ),
      { interval: 0 },
    )
    .toBe('ended')
  const ended = await tagUntilRefused(server, 'later')
  expect(ended.answer).toEqual(refusal)
  expect(ended.answer.body.message).toContain('the database cannot be used')
  // That it cannot be written is known only if PostgreSQL ended after the request had been read.
  const reasons = expect.arrayContaining(['the database cannot be read'])
  await expect.poll(server.readiness).toEqual([503, { status: 'not ready', reasons }])
  await endPostgres(folder)
  disk.empty()
  await startPostgres(folder)
  expect((await patiently(ended.send)).status).toBe(200)
  await expect.poll(server.readiness).toEqual(ready)
  const acknowledged = ['before', ...full.acknowledged, full.name, ...ended.acknowledged, ended.name]
  expect((await server.tags()).toSorted()).toEqual(acknowledged.toSorted())
})
