import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { queryPostgres } from '../../../../../test/support/postgres/postgres.ts'
import { temporaryPostgres } from '../../../../../test/support/store/fixtures.ts'
import { activity, commitOf, head, lookup, message, record } from '../../../../../test/support/store/rows.ts'
import type { Migration } from '../../migrations/migration.ts'
import { migrations } from '../../migrations/migrations.ts'
import { scriptOf } from '../../migrations/wording.ts'
import { sqliteWording } from '../../sqlite/prepare_file.ts'
import type { Store } from '../../store.ts'
import { readDatabaseUrl } from '../database_address.ts'
import { openPostgresStore } from '../postgres_store.ts'
import { migrateDatabase, outlookOfDatabase, type Patience, postgresWording } from './migrate_database.ts'

const present = migrations.length
const fourDigits = (number: number) => String(number).padStart(4, '0')

/** The version after the present one adds; the version after that one removes. */
const adds: Migration = {
  number: present + 1,
  name: `${fourDigits(present + 1)}_expand_labels`,
  statements: [
    sql`alter table records add column label text`,
    sql`alter table organizations add column region text not null default 'any'`,
    sql`create index records_label on records (organization_id, label, record_id) where label is not null`,
    sql`create table labels (
      organization_id text not null,
      label text not null,
      primary key (organization_id, label)
    ) strict`,
  ],
}
const removes: Migration = {
  number: adds.number + 1,
  name: `${fourDigits(present + 2)}_contract_activities_type`,
  statements: [sql`drop index activities_type`],
}
const expanded = [...migrations, adds]
const contracted = [...expanded, removes]

const impatient: Patience = { attempts: 3, lockMs: 50, pauseMs: 50 }

async function presentDatabase() {
  const { url, query } = await temporaryPostgres()
  const address = readDatabaseUrl(url)
  await migrateDatabase(address, { extent: 'all' })
  const open = async (steps?: readonly Migration[]) => {
    const store = await openPostgresStore(address, steps && { steps })
    onTestFinished(() => store.close())
    return store
  }
  return { url, address, query, open }
}

/** All that a migration could have left. */
async function contentOf(url: string) {
  return [
    await queryPostgres(url, 'select * from migrations order by number'),
    await queryPostgres(
      url,
      `select table_name, column_name, data_type from information_schema.columns
        where table_schema = 'public' order by table_name, ordinal_position`,
    ),
    await queryPostgres(url, "select indexdef from pg_indexes where schemaname = 'public' order by indexdef"),
  ]
}

/** Holds a lock of a table until `release`, as somebody's long transaction does. */
async function lockTable(url: string, table: string) {
  const { hosts, database } = readDatabaseUrl(url)
  const client = new pg.Client({ host: hosts[0]?.name, user: 'postgres', database })
  await client.connect()
  await client.query(`begin; lock table ${table} in access share mode`)
  let isHeld = true
  const release = async () => {
    if (!isHeld) return
    isHeld = false
    await client.end()
  }
  onTestFinished(release)
  return { release }
}

/** Reads and writes through a store until it is told to end, and counts what was acknowledged. */
function keepWorking(store: Store, name: string) {
  let mayEnd = false
  let acknowledged = 0
  async function work(): Promise<number> {
    while (!mayEnd || acknowledged === 0) {
      if ((await changeThrough(store, `${name} ${acknowledged}`)) === 'committed') acknowledged += 1
      await store.dueMessages({ organizationId: 'first', channel: 'mail', nowMs: 1_000, limit: 10 })
    }
    return acknowledged
  }
  const working = work()
  return {
    count: () => acknowledged,
    end() {
      mayEnd = true
      return working
    },
  }
}

/** Rests on the head that it reads, and replaces it. */
async function changeThrough(store: Store, id: string) {
  const [found] = await store.find([{ read: 'head', organizationId: 'o' }])
  const row = found?.read === 'head' ? found.row : undefined
  if (row === undefined) throw new Error('the organization is gone')
  return store.commit(
    commitOf({
      readSet: [{ of: 'head', organizationId: 'o', version: row.version, tag: row.tag }],
      heads: [head('o', { version: row.version + 1 })],
      records: [record('o', id, { ownerId: 'owner' })],
      lookups: [lookup('o', id)],
      activities: [activity('o', id)],
      outbox: [message('o', id)],
    }),
  )
}

test('the version before reads and writes while the next one expands the schema and works beside it', async () => {
  const { address, query, open } = await presentDatabase()
  const older = await open()
  await older.commit(commitOf({ heads: [head('o')] }))
  const before = keepWorking(older, 'older')
  while (before.count() < 5) await setTimeout(5)

  await expect(open(expanded)).rejects.toThrow(
    `the database has schema ${present}, and this program needs schema ${present + 1}: run \`claviger migrate\``,
  )
  const outlook = await migrateDatabase(address, { extent: 'expand', steps: contracted })
  expect(outlook).toMatchObject({ current: present, due: [adds], left: [removes] })

  const beside = keepWorking(await open(contracted), 'newer')
  const restarted = keepWorking(await open(), 'restarted')
  while (beside.count() < 5 || restarted.count() < 5) await setTimeout(5)
  const acknowledged = await Promise.all([before.end(), beside.end(), restarted.end()])

  const sum = acknowledged.reduce((one, another) => one + another)
  const tables = ['records', 'lookups', 'activities', 'outbox']
  const counts = await Promise.all(tables.map((table) => query(`select count(*) as count from ${table}`)))
  expect(counts.flat()).toEqual(tables.map(() => ({ count: sum })))
  expect(await query('select version from organizations')).toEqual([{ version: 1 + sum }])
  expect(await query('select max(sequence) as last from activities')).toEqual([{ last: sum }])
})

test('a contraction waits until no older server is connected, and shuts older programs out', async () => {
  const { url, address, open } = await presentDatabase()
  const older = await open()
  await migrateDatabase(address, { extent: 'expand', steps: contracted })
  const newer = await open(contracted)
  const before = await contentOf(url)

  const reasons: string[] = []
  const migrating = (extent: 'expand' | 'all') =>
    migrateDatabase(address, { extent, steps: contracted, patience: impatient, onWait: (one) => reasons.push(one) })
  await expect(migrating('all')).rejects.toThrow(
    'nothing was changed, because servers of an earlier version are connected from this machine',
  )
  expect(reasons).toHaveLength(impatient.attempts - 1)
  expect(await migrating('expand')).toMatchObject({ due: [], left: [removes] })
  expect(await contentOf(url)).toEqual(before)

  await older.close()
  await migrateDatabase(address, { extent: 'all', steps: contracted })
  await expect(open()).rejects.toThrow(
    `the database has schema ${present + 2}, and this program knows schemas up to ${present}; migration ${present + 2} shuts older programs out: start`,
  )
  await expect(migrateDatabase(address, { extent: 'all' })).rejects.toThrow(
    `migration ${present + 2} shuts older programs out`,
  )
  await newer.commit(commitOf({ heads: [head('o')] }))
  expect(await changeThrough(newer, 'a')).toBe('committed')
  expect(await changeThrough(await open(contracted), 'b')).toBe('committed')
})

test.each([
  ['a statement that fails', sql`create table vault_state (a_name_that_is_taken text)`, /already exists/],
  ['a connection that is cut', sql`select pg_terminate_backend(pg_backend_pid())`, /terminating connection/],
])('after %s in the middle nothing of any migration is there', async (_, statement, message) => {
  const { url, address } = await presentDatabase()
  const before = await contentOf(url)
  const broken = { ...removes, statements: [...removes.statements, statement] }
  const migrating = migrateDatabase(address, { extent: 'all', steps: [...expanded, broken], patience: impatient })
  await expect(migrating).rejects.toThrow(message)
  expect(await contentOf(url)).toEqual(before)
  expect(await migrateDatabase(address, { extent: 'all', steps: contracted })).toMatchObject({ due: [adds, removes] })
})

test('programs that migrate at once make each migration once', async () => {
  const { url, query } = await temporaryPostgres()
  const address = readDatabaseUrl(url)
  for (const steps of [migrations, contracted]) {
    const made = await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(address, { extent: 'all', steps })))
    const missing = made.map(({ due }) => due.length).filter((count) => count > 0)
    expect(missing).toEqual([steps === migrations ? present : 2])
  }
  const numbers = await query('select number from migrations order by number')
  expect(numbers).toEqual(contracted.map(({ number }) => ({ number })))
})

test('an outlook changes nothing', async () => {
  const { url } = await temporaryPostgres()
  const address = readDatabaseUrl(url)
  expect(await outlookOfDatabase(address, { extent: 'expand' })).toEqual({ current: 0, due: migrations, left: [] })
  await expect(queryPostgres(url, 'select * from migrations')).rejects.toThrow('does not exist')

  await migrateDatabase(address, { extent: 'all' })
  const before = await contentOf(url)
  const outlook = await outlookOfDatabase(address, { extent: 'expand', steps: contracted })
  expect(outlook).toEqual({ current: present, due: [adds], left: [removes] })
  expect(await contentOf(url)).toEqual(before)
})

test('behind a long transaction a migration gives way to others, says so, and is made once it has ended', async () => {
  const { url, address, open } = await presentDatabase()
  const store = await open()
  await store.commit(commitOf({ heads: [head('o')] }))
  const before = await contentOf(url)
  const reasons: string[] = []
  const migrating = (onWait: () => void, patience: Patience) =>
    migrateDatabase(address, {
      extent: 'all',
      steps: expanded,
      patience,
      onWait(reason) {
        reasons.push(reason)
        onWait()
      },
    })

  const first = await lockTable(url, 'records')
  const working = keepWorking(store, 'a')
  await expect(migrating(() => {}, impatient)).rejects.toThrow(
    'nothing was changed, because another transaction holds a lock that the migration needs: run it again later',
  )
  expect(reasons[0]).toBe('another transaction holds a lock that the migration needs: attempt 2 of 3 follows')
  expect(await contentOf(url)).toEqual(before)
  const count = working.count()
  while (working.count() === count) await setTimeout(5)

  expect(await migrating(() => void first.release(), { ...impatient, attempts: 20 })).toMatchObject({ due: [adds] })
  await working.end()
})

const indexed: Migration = {
  number: adds.number + 1,
  name: '0006_expand_index',
  statements: [],
  builds: { table: 'records', index: { name: 'records_label_kind', on: '(label, kind)' } },
}
const afterwards: Migration = {
  number: indexed.number + 1,
  name: '0007_expand_region',
  statements: [sql`alter table records add column region text`],
}
const withIndex = [...expanded, indexed, afterwards]

test('an index of a large table is built while others write, and a build that was cut is begun again', async () => {
  const { url, address, query, open } = await presentDatabase()
  const store = await open()
  await store.commit(commitOf({ heads: [head('o')] }))
  const working = keepWorking(store, 'a')
  await migrateDatabase(address, { extent: 'all', steps: expanded })
  // The build waits for a transaction that has written the table, and is cut meanwhile.
  const { hosts, database } = readDatabaseUrl(url)
  const writer = new pg.Client({ host: hosts[0]?.name, user: 'postgres', database })
  await writer.connect()
  onTestFinished(() => writer.end())
  await writer.query("begin; update records set label = 'x' where record_id = 'none'")
  const cut = migrateDatabase(address, { extent: 'all', steps: withIndex })
  cut.catch(() => {})
  const builder = "from pg_stat_activity where query like 'create index%' and datname = current_database()"
  while ((await query(`select 1 ${builder}`)).length === 0) await setTimeout(5)
  while ((await query("select 1 from pg_class where relname = 'records_label_kind'")).length === 0) await setTimeout(5)
  const count = working.count()
  while (working.count() < count + 3) await setTimeout(5)
  await query(`select pg_terminate_backend(pid) ${builder}`)
  await expect(cut).rejects.toThrow(/terminating connection/)
  const validity = "select indisvalid as valid from pg_index where indexrelid = 'records_label_kind'::regclass"
  expect(await query(validity)).toEqual([{ valid: false }])
  expect(await outlookOfDatabase(address, { extent: 'all', steps: withIndex })).toMatchObject({ current: adds.number })

  await writer.query('rollback')
  const made = await Promise.all(
    Array.from({ length: 3 }, () => migrateDatabase(address, { extent: 'all', steps: withIndex })),
  )
  // Each step was made by one of the three.
  expect(made.flatMap(({ due }) => due).toSorted((a, b) => a.number - b.number)).toEqual([indexed, afterwards])
  for (const { current, due } of made) expect(current + due.length).toBe(withIndex.length)
  expect(await query(validity)).toEqual([{ valid: true }])
  await working.end()
})

test('an empty database gets such an index with its tables', async () => {
  const { url, query } = await temporaryPostgres()
  const address = readDatabaseUrl(url)
  expect(await migrateDatabase(address, { extent: 'first', steps: withIndex })).toMatchObject({ due: withIndex })
  expect(await query("select 1 from pg_indexes where indexname = 'records_label_kind'")).toHaveLength(1)
})

test('the plan has the index between two transactions, where the index is built apart', () => {
  expect(scriptOf([indexed], postgresWording)).toContain(
    'commit;\ncreate index concurrently if not exists records_label_kind on records (label, kind);\nbegin;\ninsert into',
  )
  expect(scriptOf([indexed], sqliteWording)).toContain('create index records_label_kind on records (label, kind);')
})
