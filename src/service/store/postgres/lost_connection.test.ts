import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { faultyNetwork, holdsCommit } from '../../../../test/support/postgres/faulty_network.ts'
import { queryPostgres, temporaryDatabase } from '../../../../test/support/postgres/postgres.ts'
import { soon } from '../../../../test/support/soon.ts'
import { activity, commitOf, head } from '../../../../test/support/store/rows.ts'
import { readDatabaseUrl } from './database_address.ts'
import { connect } from './hosts.ts'
import { openPostgresStore } from './postgres_store.ts'

/** A store behind a network that can be broken, on a database with two organizations. */
async function storeBehindNetwork() {
  const direct = await temporaryDatabase()
  const network = await faultyNetwork(direct)
  const store = await openPostgresStore(readDatabaseUrl(network.url))
  onTestFinished(() => store.close())
  for (const id of organizations) await store.commit(commitOf({ heads: [head(id)] }))
  const query = (text: string) => queryPostgres(direct, text)
  return { store, network, query }
}

const organizations = ['first', 'second'] as const
const healthy = { readError: undefined, writeError: undefined }
const connectionsMax = 9

const signing = (id: string, organizationId = 'first') =>
  commitOf({ activities: [activity(organizationId, id, { requestKey: id })] })

const ofStore = `from pg_stat_activity where datname = current_database() and application_name like 'claviger (%'`

test('a store that was just opened has one connection for small statements and for what is left to erase', async () => {
  const network = await faultyNetwork(await temporaryDatabase())
  const open = () => openPostgresStore(readDatabaseUrl(network.url))
  await (await open()).close() // made the tables
  const store = await open()
  onTestFinished(() => store.close())
  await store.vaultState() // as each node asks when it starts
  await setTimeout(200) // until it has looked for what is left
  expect(network.lines()).toBe(1)
})

test('a store that opens waits for a schema that another transaction has locked', async () => {
  const url = await temporaryDatabase()
  const open = () => openPostgresStore(readDatabaseUrl(url))
  await (await open()).close() // made the tables
  // For longer than a statement waits for a lock.
  const locked = queryPostgres(
    url,
    'begin; lock table migrations in access exclusive mode; select pg_sleep(4); rollback',
  )
  await setTimeout(200)
  await (await open()).close()
  await locked
})

test('questions that come together when the connection is gone share the new one', async () => {
  const { store, network, query } = await storeBehindNetwork()
  await store.health()
  for (let round = 0; round < 3; round += 1) {
    network.cutAll()
    await setTimeout(20)
    const due = { organizationId: 'first', channel: 'mail', nowMs: 0, limit: 1 } as const
    await Promise.all(
      Array.from({ length: 20 }, () => [store.dueMessages(due), store.vaultState(), store.health()]).flat(),
    )
  }
  const [open] = await query(`select count(*) ${ofStore}`)
  expect(open?.count).toBeLessThanOrEqual(connectionsMax)
})

test('a store that is closed answers what was asked, and leaves no connection', async () => {
  const { store, query } = await storeBehindNetwork()
  const read = { read: 'head', organizationId: 'first' } as const
  const asked = Array.from({ length: 300 }, () => store.find([read]))
  const written = [store.commit(signing('a')), store.commit(signing('b', 'second'))]
  const health = store.health()
  const found = Promise.all(asked)
  await store.close()
  expect((await found).flat().every((one) => one.read === 'head' && one.row?.version === 1)).toBe(true)
  expect(await Promise.all(written)).toEqual(['committed', 'committed'])
  expect(await health).toEqual(healthy)
  await expect(store.find([read])).rejects.toThrow('the store is closed')
  await expect(store.commit(signing('c'))).rejects.toThrow('the store is closed')
  await expect(store.vaultState()).rejects.toThrow('the store is closed')
  await setTimeout(50)
  expect(await query(`select pid ${ofStore}`)).toEqual([])
})

test('a network that swallows all fails what waits for it within its limits, and nobody waits to close', async () => {
  const { store, network, query } = await storeBehindNetwork()
  await store.commit(signing('before'))
  network.silence(true)
  const begun = performance.now()
  const settled = await Promise.allSettled([
    store.commit(signing('a')),
    store.commit(signing('b', 'second')),
    store.find([{ read: 'head', organizationId: 'first' }]),
    store.vaultState(),
  ])
  expect(settled.map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
  expect(performance.now() - begun).toBeLessThan(25_000)
  const { readError, writeError } = await store.health()
  expect([readError?.message, writeError?.message]).toEqual(Array(2).fill(expect.stringMatching(/time/)))

  network.silence(false)
  await soon(async () => expect(await store.health()).toEqual(healthy))
  expect(await store.commit(signing('after'))).toBe('committed')
  network.silence(true)
  const closing = performance.now()
  await store.close()
  // Less than the statement has that it cuts off.
  expect(performance.now() - closing).toBeLessThan(7_000)
  network.silence(false)
  network.cutAll()
  const ids = (await query(`select activity_id as id from activities order by sequence`)).map(({ id }) => id)
  expect(ids).toEqual(['before', 'after'])
})

test('a commit that is cut off before it arrives is not written, and one that is cut off afterwards is', async () => {
  const { store, network, query } = await storeBehindNetwork()
  await store.commit(signing('before'))
  network.watch((bytes, line) => {
    if (!holdsCommit(bytes)) return 'pass'
    line.cut()
    return 'hold'
  })
  await expect(store.commit(signing('lost'))).rejects.toThrow('the database could not write')
  expect((await store.health()).writeError).toBeUndefined()

  // The answer to the commit is on the way back when the line is cut.
  let isSent = false
  network.watch((bytes) => {
    isSent ||= holdsCommit(bytes)
    return 'pass'
  })
  network.watchAnswers((_bytes, line) => {
    if (!isSent) return 'pass'
    line.cut()
    return 'hold'
  })
  await expect(store.commit(signing('unknown'))).rejects.toThrow('the database could not write')
  network.watchAnswers(() => 'pass')
  expect(await store.commit(signing('unknown'))).toBe('conflict')
  expect(await store.commit(signing('after'))).toBe('committed')
  expect(await store.health()).toEqual(healthy)
  const rows = await query(`select activity_id as id, sequence from activities order by sequence`)
  expect(rows).toEqual(['before', 'unknown', 'after'].map((id, index) => ({ id, sequence: index + 1 })))
})

test('a commit of the transparency log that waits for a standby keeps nobody from reading', async () => {
  const { store, network } = await storeBehindNetwork()
  let isHeld = false
  network.watch((bytes) => {
    isHeld ||= holdsCommit(bytes)
    return holdsCommit(bytes) ? 'hold' : 'pass'
  })
  const log = { logId: '0a', origin: 'o', keys: Buffer.of(1), size: 1, checkpoint: Buffer.of(2), last: Buffer.of(3) }
  let isKept = false
  const kept = store.keepLog({ logId: '0a', log, bundles: [] }).then(
    () => (isKept = true),
    () => {},
  )
  await expect.poll(() => isHeld).toBe(true)
  expect(await store.activityBytes({ organizationId: 'first', activityId: 'none' })).toBe(0)
  expect((await store.health()).readError).toBeUndefined()
  expect(isKept).toBe(false)
  network.watch(() => 'pass')
  network.cutAll()
  await kept
})

test('a connection is lost with the error by which the server ends it, before its end is seen', async () => {
  const network = await faultyNetwork(await temporaryDatabase())
  const connection = await connect(readDatabaseUrl(network.url), { name: 'test', statementMsMax: 1_000 })
  await expect(connection.execute('select 1 / 0')).rejects.toThrow('division by zero')
  expect(connection.isUsable()).toBe(true)
  network.hideEnds(true)
  const ended = connection.execute('select pg_terminate_backend(pg_backend_pid())')
  await expect(ended).rejects.toThrow('terminating connection due to administrator command')
  expect(connection.isUsable()).toBe(false)
})

test('a lost database is logged once with host and reason, and so is its return; neither shows the password', async () => {
  const network = await faultyNetwork(await temporaryDatabase())
  const logged: (readonly [string, object, string])[] = []
  const log = {
    info: (fields: object, message: string) => void logged.push(['info', fields, message]),
    warn: (fields: object, message: string) => void logged.push(['warn', fields, message]),
  }
  const store = await openPostgresStore(readDatabaseUrl(network.url, 'Qq7Zx-hush'), { log })
  onTestFinished(() => store.close())
  await Promise.all(organizations.map((id) => store.commit(commitOf({ heads: [head(id)] }))))
  await store.health()
  expect(logged).toEqual([])

  const host = expect.stringMatching(/^\/tmp\/claviger-network-\w+:5432$/)
  for (let round = 0; round < 2; round += 1) {
    network.refuse(true)
    network.cutAll()
    for (const id of organizations) await expect(store.commit(signing(`${round} lost`, id))).rejects.toThrow('database')
    const { readError } = await store.health()
    expect(readError?.message).toMatch(/no database takes connections: \/tmp\/claviger-network/)
    network.refuse(false)
    for (const id of organizations) expect(await store.commit(signing(`${round} back`, id))).toBe('committed')
    await store.health()
    const told = logged.splice(0)
    expect(inspect(told, { depth: 10, showHidden: true })).not.toContain('Qq7Zx-hush')
    expect(told).toEqual([
      ['warn', { host, error: expect.any(Error) }, 'the database is not connected'],
      ['info', { host }, 'the database is connected again'],
    ])
  }
})
