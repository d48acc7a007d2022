import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { guardSchemaAsItIs, temporaryPath, temporaryStore } from '../../../../test/support/store/fixtures.ts'
import { bytes, commitOf, head, idsInOrder, lookup, record } from '../../../../test/support/store/rows.ts'
import { type Commit, erasedAtOnceMax } from '../../../protocol/reads.ts'
import type { Store } from '../store.ts'
import { createBatch } from './batch.ts'
import { openReader, openWriter, prepareAll } from './connection.ts'
import { createEraser, erasedLaterMax } from './erase.ts'
import { prepareFile } from './prepare_file.ts'
import { sqliteQueries } from './sqlite_queries.ts'

const [organizationId, other, kind] = ['organization', 'other', 'wallet_account']

/** Accounts of a wallet, each with two lookups. */
function accounts(ids: readonly string[], ownerId: string, organization = organizationId) {
  return {
    records: ids.map((id) => record(organization, id, { kind, ownerId, sealed: bytes(`sealed ${id}`) })),
    lookups: ids.flatMap((id) => [
      lookup(organization, id, { kind, key: `address of ${id}` }),
      lookup(organization, id, { kind, lookup: 'account_name', key: 'name' }),
    ]),
  }
}

function counts(path: string) {
  using database = openReader(path)
  const count = (table: string) => Number(database.prepare(`select count(*) as number from ${table}`).get()?.number)
  return { records: count('records'), lookups: count('lookups'), erasures: count('erasures') }
}

const [first, second, foreign] = [idsInOrder(3), idsInOrder(2), idsInOrder(1)]

async function storeWithWallets(path: string): Promise<Store> {
  const store = await temporaryStore(path)
  for (const { records, lookups } of [
    accounts(first, 'w1'),
    accounts(second, 'w2'),
    accounts(foreign, 'w1', other),
    { records: [record(organizationId, 'w1'), record(organizationId, 'u1', { kind: 'user' })], lookups: [] },
  ]) {
    expect(await store.commit(commitOf({ records, lookups }))).toBe('committed')
  }
  return store
}

test('the records of an owner go with their lookups in the transaction of the commit, and nothing else does', async () => {
  const path = temporaryPath()
  const store = await storeWithWallets(path)
  const commit = commitOf({ heads: [head(organizationId)], erasures: [{ organizationId, kind, ownerId: 'w1' }] })
  expect(await store.commit(commit)).toBe('committed')
  expect(counts(path)).toEqual({ records: 5, lookups: 6, erasures: 0 })
  const page = { read: 'page', kind, limit: 9 } as const
  const ids = (found: unknown) =>
    JSON.parse(JSON.stringify(found)).rows.map((row: { recordId: string }) => row.recordId)
  const [own, others] = await store.find([
    { ...page, organizationId },
    { ...page, organizationId: other },
  ])
  expect([ids(own), ids(others)]).toEqual([second, foreign])
})

test('without an owner every record of the kind goes', async () => {
  const path = temporaryPath()
  const store = await storeWithWallets(path)
  const erasures = [kind, 'user', 'nothing'].map((name) => ({ organizationId, kind: name, ownerId: undefined }))
  expect(await store.commit(commitOf({ erasures }))).toBe('committed')
  expect(counts(path)).toEqual({ records: 2, lookups: 2, erasures: 0 })
})

test('a commit that conflicts erases nothing', async () => {
  const path = temporaryPath()
  const store = await storeWithWallets(path)
  const readSet = [{ of: 'record', organizationId, kind: 'wallet', recordId: 'w1', version: 7 }] as const
  const erasures = [{ organizationId, kind, ownerId: 'w1' }]
  expect(await store.commit(commitOf({ readSet, erasures }))).toBe('conflict')
  expect(counts(path)).toEqual({ records: 8, lookups: 12, erasures: 0 })
})

test(`more than ${erasedAtOnceMax} records are erased in portions, and a new start goes on where the last ended`, async () => {
  const path = temporaryPath()
  await prepareFile(path)
  {
    using database = openWriter(path)
    const guard = guardSchemaAsItIs(database)
    const execute = createBatch(database, prepareAll(database, sqliteQueries), guard)
    const write = (commit: Commit) => expect(execute([{ do: 'commit', commit }])).toEqual(['committed'])
    const ids = idsInOrder(erasedAtOnceMax + erasedLaterMax + 1)
    write(commitOf(accounts(ids, 'w1')))
    write(commitOf({ erasures: [{ organizationId, kind, ownerId: 'w1' }] }))
    expect(counts(path)).toEqual({ records: erasedLaterMax + 1, lookups: 2 * (erasedLaterMax + 1), erasures: 1 })
    const { eraseMore } = createEraser(database, prepareAll(database, sqliteQueries), guard)
    expect([eraseMore(), counts(path)]).toEqual(['more', { records: 1, lookups: 2, erasures: 1 }])
  }
  const store = await temporaryStore(path)
  await expect.poll(() => counts(path), { timeout: 20_000 }).toEqual({ records: 0, lookups: 0, erasures: 0 })
  const other = commitOf(accounts(idsInOrder(1), 'w2'))
  expect(await store.commit(other)).toBe('committed')
  expect(counts(path)).toEqual({ records: 1, lookups: 2, erasures: 0 })
})

test.each([20, 3 * erasedAtOnceMax])(
  'a commit with %i erasures removes no more records at once than one with one',
  async (count) => {
    const path = temporaryPath()
    await prepareFile(path)
    using database = openWriter(path)
    const guard = guardSchemaAsItIs(database)
    const execute = createBatch(database, prepareAll(database, sqliteQueries), guard)
    const write = (commit: Commit) => expect(execute([{ do: 'commit', commit }])).toEqual(['committed'])
    const owners = Array.from({ length: count }, (_, index) => `w${index}`)
    const ofOne = Math.ceil((2 * erasedAtOnceMax) / count) + 1
    for (const owner of owners) write(commitOf(accounts(idsInOrder(ofOne), owner)))
    write(commitOf({ erasures: owners.map((ownerId) => ({ organizationId, kind, ownerId })) }))
    expect(counts(path).records).toBeGreaterThanOrEqual(count * ofOne - erasedAtOnceMax)
    expect(counts(path).erasures).toBe(count)
    const { eraseMore } = createEraser(database, prepareAll(database, sqliteQueries), guard)
    while (eraseMore() === 'more') expect(counts(path).erasures).toBeLessThanOrEqual(count)
    expect(counts(path)).toEqual({ records: 0, lookups: 0, erasures: 0 })
  },
)

test('a running store erases by itself the records that a commit has left over', async () => {
  const path = temporaryPath()
  const store = await temporaryStore(path)
  await store.commit(commitOf(accounts(idsInOrder(erasedAtOnceMax + erasedLaterMax + 1), 'w1')))
  await store.commit(commitOf({ erasures: [{ organizationId, kind, ownerId: 'w1' }] }))
  expect(counts(path).records).toBeLessThanOrEqual(erasedLaterMax + 1)
  await expect.poll(() => counts(path), { timeout: 5_000 }).toEqual({ records: 0, lookups: 0, erasures: 0 })
})

test('nothing is erased while somebody has added a trigger', async () => {
  const path = temporaryPath()
  await prepareFile(path)
  using database = openWriter(path)
  const { eraseMore } = createEraser(database, prepareAll(database, sqliteQueries), guardSchemaAsItIs(database))
  database.exec(`insert into erasures values ('${organizationId}', '${kind}', 'w1')`)
  using other = new DatabaseSync(path)
  other.exec('create trigger kept before delete on erasures begin select raise(ignore); end')
  expect(eraseMore).toThrow(/trigger kept on erasures was added/)
  expect(database.isTransaction).toBe(false)
  other.exec('drop trigger kept')
  expect([eraseMore(), eraseMore()]).toEqual(['more', 'done'])
})

test('a portion says when nothing is left to erase', async () => {
  const path = temporaryPath()
  await prepareFile(path)
  using database = openWriter(path)
  const { eraseMore } = createEraser(database, prepareAll(database, sqliteQueries), guardSchemaAsItIs(database))
  expect(eraseMore()).toBe('done')
})

test('the bytes of an erased record are not in the file any more once the log is folded into it', async () => {
  const path = temporaryPath()
  const store = await temporaryStore(path)
  const secrets = idsInOrder(200).map((id) => `secret of ${id} ${'x'.repeat(500)}`)
  const records = secrets.map((secret) =>
    record(organizationId, secret.slice(10, 46), { kind, ownerId: 'w1', sealed: bytes(secret) }),
  )
  await store.commit(commitOf({ records }))
  await store.commit(commitOf({ records: [record(organizationId, 'kept', { sealed: bytes('secret of kept') })] }))
  await store.commit(commitOf({ erasures: [{ organizationId, kind, ownerId: 'w1' }] }))
  await store.close()
  const file = readFileSync(path)
  expect(file.includes('secret of kept')).toBe(true)
  for (const secret of secrets) expect(file.includes(secret.slice(0, 46))).toBe(false)
})
