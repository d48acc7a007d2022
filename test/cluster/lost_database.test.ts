import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { readDatabaseUrl } from '../../src/service/store/postgres/database_address.ts'
import { createConnector } from '../../src/service/store/postgres/hosts.ts'
import { openPostgresStore } from '../../src/service/store/postgres/postgres_store.ts'
import { queryPostgres } from '../support/postgres/postgres.ts'
import { makePostgres, startPostgres } from '../support/postgres/server.ts'
import { endPostgres, primaryAndStandby, temporaryServerFolder } from '../support/postgres/standby.ts'
import { patiently, ready, serving } from '../support/serving.ts'

test('while the server of the database is down all is 503 with the reason, and it heals without a restart', async () => {
  const folder = temporaryServerFolder()
  const { url } = await makePostgres(folder)
  const { tag, tags, query, readiness } = await serving({ 'database-url': url('postgres') })
  const acknowledged: string[] = []
  expect((await tag('before')()).status).toBe(200)
  expect(await readiness()).toEqual(ready)

  const sending = Array.from({ length: 6 }, async (_, worker) => {
    for (let turn = 0; turn < 4; turn += 1) {
      const name = `${worker} ${turn}`
      expect((await patiently(tag(name))).status).toBe(200)
      acknowledged.push(name)
    }
  })
  while (acknowledged.length < 3) await setTimeout(5)
  await endPostgres(folder)
  await expect.poll(async () => (await query()).status).toBe(503)
  const refused = await query()
  expect([refused.status, refused.retryAfter, refused.body.code]).toEqual([503, '1', 14])
  expect(refused.body.message).toContain('the database cannot be used')
  const reasons = ['the database cannot be read', 'the database cannot be written']
  await expect.poll(readiness).toEqual([503, { status: 'not ready', reasons }])

  await startPostgres(folder)
  await Promise.all(sending)
  await expect.poll(readiness).toEqual(ready)
  expect((await tags()).toSorted()).toEqual(['before', ...acknowledged].toSorted())
  const gaps = await queryPostgres(url('postgres'), 'select 1 from activities having max(sequence) <> count(*)')
  expect(gaps).toEqual([])
})

test('after the primary is lost the promoted standby has all that was acknowledged, and takes what follows', {
  timeout: 180_000,
}, async () => {
  const { primary, promote, url } = await primaryAndStandby({ isSynchronous: true })
  const { tag, tags, readiness } = await serving({ 'database-url': url })
  const acknowledged: string[] = []
  let isLost = false
  const sending = Array.from({ length: 4 }, async (_, worker) => {
    for (let turn = 0; !isLost || turn < 3; turn += 1) {
      const name = `${worker} ${turn}`
      expect((await patiently(tag(name))).status).toBe(200)
      acknowledged.push(name)
    }
  })
  while (acknowledged.length < 10) await setTimeout(5)
  await endPostgres(primary.folder)
  await expect.poll(readiness).toEqual([503, expect.objectContaining({ status: 'not ready' })])
  await promote()
  isLost = true
  expect((await patiently(tag('after'))).status).toBe(200)
  await Promise.all(sending)
  expect((await tags()).toSorted()).toEqual(['after', ...acknowledged].toSorted())
  await expect.poll(readiness).toEqual(ready)
})

test('an old primary that takes writes again is used by no node that saw the promotion, nor by one that starts', {
  timeout: 90_000,
}, async () => {
  const { primary, standby, promote, url } = await primaryAndStandby({ isSynchronous: true })
  const { tag, tags } = await serving({ 'database-url': url })
  expect((await tag('before')()).status).toBe(200)
  await endPostgres(primary.folder)
  await promote()
  expect((await patiently(tag('after'))).status).toBe(200)
  // It waits for no standby any more.
  await startPostgres(primary.folder)
  const old = await openPostgresStore(readDatabaseUrl(primary.url('postgres')))
  onTestFinished(() => old.close())
  expect(await old.health()).toEqual({ readError: undefined, writeError: undefined })

  const open = createConnector(readDatabaseUrl(url))
  const started = await open.connect({ name: 'test', statementMsMax: 1_000 })
  onTestFinished(() => started.close())
  expect(started.history?.timeline).toBe(2)
  await endPostgres(standby.folder)
  const message = 'a promotion left it behind: its timeline is 1, and another host has 2'
  await expect(open.connect({ name: 'test', statementMsMax: 1_000 })).rejects.toThrow(message)
  const refused = await tag('refused')()
  expect([refused.status, refused.retryAfter]).toEqual([503, '1'])
  await startPostgres(standby.folder)
  expect((await patiently(tag('last'))).status).toBe(200)
  expect(await tags()).toEqual(['before', 'after', 'last'])
  const written = await queryPostgres(primary.url('postgres'), 'select version from organizations')
  expect(written).toEqual([{ version: 2 }])
})

test('a standby that lost acknowledged changes is refused as behind', async () => {
  const { primary, standby, promote, url } = await primaryAndStandby({ isSynchronous: false })
  const { tag, query, readiness } = await serving({ 'database-url': url })
  expect((await tag('replicated')()).status).toBe(200)
  const replicated = async () =>
    (await queryPostgres(standby.url('postgres'), `select 1 from organizations where version = 2`)).length
  await expect.poll(replicated).toBe(1)
  await endPostgres(standby.folder)
  expect((await tag('lost')()).status).toBe(200)
  await endPostgres(primary.folder)
  await expect.poll(readiness).toEqual([503, expect.anything()])
  await startPostgres(standby.folder)
  await promote()
  expect(await replicated(), 'the standby lacks the change').toBe(1)
  expect((await patiently(tag('after'))).status).toBe(500)
  expect((await patiently(query)).status).toBe(500)
  const text = 'requests refused because the database contradicts the vault: 2, last at 20'
  await expect.poll(readiness).toEqual([200, { status: 'ready', reasons: [expect.stringContaining(text)] }])
})
