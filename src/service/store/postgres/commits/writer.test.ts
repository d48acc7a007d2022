import { hash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { faultyNetwork } from '../../../../../test/support/postgres/faulty_network.ts'
import { queryPostgres, temporaryDatabase } from '../../../../../test/support/postgres/postgres.ts'
import { activity, commitOf, head } from '../../../../../test/support/store/rows.ts'
import { readDatabaseUrl } from '../database_address.ts'
import { openPostgresStore } from '../postgres_store.ts'

/** Organizations of one lane of the writer, which share transactions. */
const [locked, ...others] = Array.from({ length: 40 }, (_, index) => `organization ${index}`)
  .filter((id) => hash('sha256', id, 'buffer').readUInt8(0) % 2 === 0)
  .slice(0, 6)
if (locked === undefined) throw new Error('some are in the first lane')

const signing = (organizationId: string, id: string, sealed = new Uint8Array(1)) =>
  commitOf({ activities: [activity(organizationId, id, { requestKey: id, sealed })] })
const healthy = { readError: undefined, writeError: undefined }

async function writing() {
  const url = await temporaryDatabase()
  const network = await faultyNetwork(url)
  const store = await openPostgresStore(readDatabaseUrl(network.url))
  onTestFinished(() => store.close())
  await store.commit(commitOf({ heads: [locked ?? '', ...others].map((id) => head(id)) }))
  return { store, network, url }
}

/** A transaction of somebody else. */
async function transaction(url: string, ...statements: readonly string[]) {
  const { hosts, database } = readDatabaseUrl(url)
  const client = new pg.Client({ host: hosts[0]?.name, user: 'postgres', database })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  for (const statement of ['begin', ...statements]) await client.query(statement)
  return client
}

test('an organization that somebody keeps locked fails its own commits and no others', async () => {
  const { store, url } = await writing()
  const other = await transaction(url, `select from organizations where organization_id = '${locked}' for update`)
  const own = [store.commit(signing(locked, 'a')), store.commit(signing(locked, 'b'))]
  const [settled, rest] = await Promise.all([
    Promise.allSettled(own),
    Promise.all(others.map((id, index) => store.commit(signing(id, `other ${index}`)))),
  ])
  expect(rest).toEqual(others.map(() => 'committed'))
  expect(settled.map((one) => one.status === 'rejected' && one.reason.message)).toEqual(
    Array(2).fill('the database refused it: canceling statement due to lock timeout'),
  )
  expect(await store.health()).toEqual(healthy)
  await other.query('rollback')
  expect(await store.commit(signing(locked, 'a'))).toBe('committed')
})

test('commits that wait behind a connection that cannot be made fail with it', async () => {
  const { store, network } = await writing()
  network.silence(true)
  network.cutAll()
  await setTimeout(20)
  const large = new Uint8Array(1_100_000)
  const begun = performance.now()
  const settled = await Promise.allSettled(others.map((id) => store.commit(signing(id, id, large))))
  expect(settled.map(({ status }) => status)).toEqual(others.map(() => 'rejected'))
  // Not each its own three seconds after the other.
  expect(performance.now() - begun).toBeLessThan(3_000 * others.length)
  network.silence(false)
  network.cutAll()
  expect(await store.commit(signing(locked, 'a'))).toBe('committed')
})

test('a probe takes no part in a transaction: what fails it fails no commit', async () => {
  const { store, network, url } = await writing()
  network.refuse(true)
  network.cutAll()
  await expect(store.commit(signing(locked, 'a'))).rejects.toThrow('the database could not write')
  network.refuse(false)
  await transaction(url, 'select from migrations where number = 1 for update')
  const holder = await transaction(url, `select from organizations where organization_id = '${locked}' for update`)
  const committed = store.commit(signing(locked, 'b'))
  await setTimeout(200)
  const health = store.health()
  await setTimeout(200)
  await holder.query('rollback')
  expect(await committed).toBe('committed')
  expect(await health).toEqual(healthy)
})

test('deadlocks with somebody else are conflicts', async () => {
  const { store, url } = await writing()
  const [first, last] = [locked, ...others].sort() as [string, string]
  const lockOf = (id: string) => `select from organizations where organization_id = '${id}' for update`
  const other = await transaction(url, `set local deadlock_timeout = '10s'`, lockOf(last))
  const both = commitOf({ activities: [first, last].map((id) => activity(id, `${id} both`)) })
  const committing = store.commit(both)
  await setTimeout(200)
  const crossing = other.query(lockOf(first))
  expect(await committing).toBe('conflict')
  await crossing
  await other.query('rollback')
  expect(await store.commit(both)).toBe('committed')
  const rows = await queryPostgres(url, 'select count(*) as count from activities')
  expect(rows).toEqual([{ count: 2 }])
})

test('connections that the server ends are made anew, and its reason is told meanwhile', async () => {
  const { store, url } = await writing()
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'claviger (%'`
  const holder = await transaction(url, `select from organizations where organization_id = '${locked}' for update`)
  const refused = expect(store.commit(signing(locked, 'a'))).rejects
  const told = refused.toThrow('terminating connection due to administrator command')
  await setTimeout(200)
  await queryPostgres(url, end)
  await told
  await holder.query('rollback')
  expect(await store.health()).toEqual(healthy)
  expect(await store.commit(signing(locked, 'a'))).toBe('committed')

  // No connection is left for the program.
  await queryPostgres(url, `alter database ${readDatabaseUrl(url).database} connection limit 0`)
  await queryPostgres(url, 'create role plain login')
  onTestFinished(async () => void (await queryPostgres(url, 'drop role plain')))
  const plain = readDatabaseUrl(url.replace('postgres@', 'plain@'))
  await expect(openPostgresStore(plain)).rejects.toThrow(/no database takes connections: .*too many connections/)
})
