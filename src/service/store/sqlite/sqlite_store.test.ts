import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryPath, temporaryStore } from '../../../../test/support/store/fixtures.ts'
import { activity, bytes, commitOf, idsInOrder, message, record } from '../../../../test/support/store/rows.ts'
import { batchJobsMax } from './batch.ts'
import { openReader } from './connection.ts'
import { openSqliteStore } from './sqlite_store.ts'

const organizationId = 'organization'

test('commits that arrive together share one transaction, and all are there when the first is acknowledged', async () => {
  const path = temporaryPath()
  const store = await temporaryStore(path)
  using another = openReader(path)
  const ids = idsInOrder(200)
  const acknowledged = ids.map((id) => store.commit(commitOf({ activities: [activity(organizationId, id)] })))

  await Promise.race(acknowledged)
  expect(countOf(another)).toBe(200)
  expect(new Set(await Promise.all(acknowledged))).toEqual(new Set(['committed']))
})

test.each([batchJobsMax, batchJobsMax + 1, 1000])('%d commits at once are all durable', async (count) => {
  const path = temporaryPath()
  const store = await temporaryStore(path)
  const commits = idsInOrder(count).map((id) => commitOf({ activities: [activity(organizationId, id)] }))
  const outcomes = await Promise.all(commits.map((commit) => store.commit(commit)))

  expect(outcomes).toEqual(commits.map(() => 'committed'))
  using another = openReader(path)
  expect(countOf(another)).toBe(count)
})

test('a part of a larger buffer is stored as that part', async () => {
  const store = await temporaryStore()
  const received = bytes('before sealed after')
  await store.commit(commitOf({ records: [record(organizationId, 'r', { sealed: received.subarray(7, 13) })] }))
  const [found] = await store.find([{ read: 'record', organizationId, kind: 'wallet', recordId: 'r' }])
  expect(found).toEqual({ read: 'record', row: { recordId: 'r', version: 1, sealed: bytes('sealed') } })
})

test('one of several nodes that store a first vault state wins, and all get the same state', async () => {
  const path = temporaryPath()
  const nodes = [await temporaryStore(path), await temporaryStore(path)]
  expect(await nodes[0]?.vaultState()).toBeUndefined()

  const told = await Promise.all(nodes.map((node, index) => node.initializeVaultState(bytes(`state of ${index}`))))
  expect(told[0]).toEqual(told[1])
  expect([bytes('state of 0'), bytes('state of 1')]).toContainEqual(told[0])
  expect(await nodes[1]?.initializeVaultState(bytes('later'))).toEqual(told[0])
  expect(await nodes[1]?.vaultState()).toEqual(told[0])
})

test('two nodes on one file write without losing a sequence', async () => {
  const path = temporaryPath()
  const nodes = [await temporaryStore(path), await temporaryStore(path)]
  const outcomes = await Promise.all(
    idsInOrder(100).map((id, index) =>
      nodes[index % 2]?.commit(commitOf({ activities: [activity(organizationId, id)] })),
    ),
  )
  expect(new Set(outcomes)).toEqual(new Set(['committed']))
  using another = openReader(path)
  expect(another.prepare('select max(sequence) as last from activities').get()?.last).toBe(100)
})

test('a failed write rejects with its cause, shows in the health, and is forgotten once writing works', async () => {
  const path = temporaryPath()
  const store = await temporaryStore(path)
  expect(await store.health()).toEqual({ readError: undefined, writeError: undefined })
  const write = () => store.commit(commitOf({ activities: [activity(organizationId, 'a')] }))

  // The store refuses to write while there is a trigger, and says which.
  using somebody = new DatabaseSync(path)
  somebody.exec('create trigger first before insert on activities begin select 1; end')
  await expect(write()).rejects.toThrow(/trigger first on activities/)
  somebody.exec('drop trigger first; create trigger second before update on migrations begin select 1; end')
  const { readError, writeError } = await store.health()
  expect([readError, writeError?.message]).toEqual([undefined, expect.stringContaining('trigger second on migrations')])

  somebody.exec('drop trigger second')
  expect(await store.health()).toEqual({ readError: undefined, writeError: undefined })
  expect(await write()).toBe('committed')
})

test('a whole transaction that fails rejects every commit of it, and the store works on', async () => {
  const path = temporaryPath()
  const store = await temporaryStore(path)
  const writeAll = () => {
    const commits = idsInOrder(10).map((id) => commitOf({ records: [record(organizationId, id)] }))
    return Promise.allSettled(commits.map((commit) => store.commit(commit)))
  }

  using operator = new DatabaseSync(path)
  operator.exec('create trigger broken before insert on records begin select 1; end')
  expect((await writeAll()).map(({ status }) => status)).toEqual(Array(10).fill('rejected'))
  operator.exec('drop trigger broken')
  expect((await writeAll()).map(({ status }) => status)).toEqual(Array(10).fill('fulfilled'))
})

test('closing waits for earlier commits and refuses later ones', async () => {
  const path = temporaryPath()
  const store = await openSqliteStore({ path })
  const commits = idsInOrder(500).map((id) => store.commit(commitOf({ activities: [activity(organizationId, id)] })))
  await store.close()
  await store.close()

  expect(await Promise.all(commits)).toEqual(commits.map(() => 'committed'))
  await expect(store.commit(commitOf({}))).rejects.toThrow('the store is closed')
  expect(existsSync(`${path}-wal`)).toBe(false)
})

test('a message that a dead service had taken is due when the next service opens the database', async () => {
  const due = { organizationId, channel: 'mail', nowMs: 1_000, limit: 10 } as const
  const path = temporaryPath()
  const store = await temporaryStore(path)
  await store.commit(commitOf({ outbox: [message(organizationId, 'm1'), message(organizationId, 'm2')] }))
  const [first = expect.fail('nothing is due')] = await store.dueMessages(due)
  await store.changeQueue({ queue: 'messages', change: 'claim', ...first, dueAtMs: 61_000 })
  await store.changeQueue({ queue: 'messages', change: 'postpone', organizationId, messageId: 'm2', dueAtMs: 300_000 })
  expect(await store.dueMessages(due)).toEqual([])
  await store.close()

  const next = await temporaryStore(path)
  expect(await next.dueMessages(due)).toMatchObject([
    { messageId: 'm1', attempts: 1, sealed: bytes('m1') },
    { messageId: 'm2', attempts: 0 },
  ])
})

test('files are for their owner only, in a folder for its owner only when it is made here', async () => {
  const path = temporaryPath()
  const store = await temporaryStore(path)
  await store.commit(commitOf({ activities: [activity(organizationId, 'a')] }))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)

  const given = temporaryPath()
  mkdirSync(dirname(given), { mode: 0o750 })
  await temporaryStore(given)
  expect(statSync(dirname(given)).mode & 0o777).toBe(0o750)
})

test('a file that cannot be opened is an error that names it', async () => {
  const path = temporaryPath()
  mkdirSync(path, { recursive: true })
  await expect(openSqliteStore({ path })).rejects.toThrow(path)
})

function countOf(database: DatabaseSync): number {
  return Number(database.prepare('select count(*) as rows from activities').get()?.rows)
}
