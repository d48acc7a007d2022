import { describe, expect, test } from 'vitest'
import { temporaryPath, temporaryPostgres } from '../../../../test/support/store/fixtures.ts'
import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'
import { readDatabaseUrl } from '../postgres/database_address.ts'
import { migrateDatabase } from '../postgres/migration/migrate_database.ts'
import { openPostgresStore } from '../postgres/postgres_store.ts'
import { openReader, openWriter } from '../sqlite/connection.ts'
import { prepareFile } from '../sqlite/prepare_file.ts'
import { migrations } from './migrations.ts'

/** Stores that earlier versions have made, in which each spelling of a mailbox has a key of its own. */

const older = migrations.slice(0, 7)
/** The program that made the migration first. */
const steps = migrations.slice(0, 8)

type Row = readonly [organizationId: string, lookup: string, key: string, recordId: string, parentId: string | null]

type Older = {
  readonly fill: (rows: readonly Row[]) => Promise<void>
  readonly migrate: (onWarning: (text: string) => void) => Promise<unknown>
  /** All lookups, in order. */
  readonly rows: () => Promise<readonly Row[]>
  readonly isMade: () => Promise<boolean>
}

/** The rows, with a user for each of them. */
function statementsOf(rows: readonly Row[]): readonly string[] {
  const text = (value: string | null) => (value === null ? 'null' : `'${value.replaceAll("'", "''")}'`)
  const users = new Set(rows.map(([organizationId, , , userId]) => `('${organizationId}', 'user', '${userId}', 1, '')`))
  const lookups = rows.map(
    ([organizationId, lookup, key, userId, parentId]) =>
      `('${organizationId}', '${lookup}', ${text(key)}, '${userId}', 'user', ${text(parentId)})`,
  )
  return [
    `insert into records (organization_id, kind, record_id, version, sealed) values ${[...users].join(', ')}`,
    `insert into lookups (organization_id, lookup, key, record_id, kind, parent_id) values ${lookups.join(', ')}`,
  ]
}

const columns = ['organization_id', 'lookup', 'key', 'record_id', 'parent_id'] as const
const rowsText = `select ${columns.join(', ')} from lookups order by organization_id, lookup, key, record_id`
const madeText = "select 1 from migrations where name = '0008_contract_mailboxes'"

async function onSqlite(): Promise<Older> {
  const path = temporaryPath()
  await prepareFile(path, { steps: older })
  return {
    async fill(rows) {
      using database = openWriter(path)
      for (const text of statementsOf(rows)) database.exec(text.replaceAll("1, '')", "1, x'')"))
    },
    migrate: (onWarning) => prepareFile(path, { onWarning }),
    async rows() {
      using database = openReader(path)
      return database.prepare(rowsText).all().map(rowOf)
    },
    async isMade() {
      using database = openReader(path)
      return database.prepare(madeText).all().length > 0
    },
  }
}

async function onPostgres(): Promise<Older> {
  const { url, query } = await temporaryPostgres()
  const address = readDatabaseUrl(url)
  await migrateDatabase(address, { extent: 'all', steps: older })
  return {
    async fill(rows) {
      for (const text of statementsOf(rows)) await query(text)
    },
    migrate: (onWarning) => migrateDatabase(address, { extent: 'all', onWarning }),
    rows: async () => (await query(rowsText)).map(rowOf),
    isMade: async () => (await query(madeText)).length > 0,
  }
}

function rowOf(row: Readonly<Record<string, unknown>>): Row {
  const [organizationId, lookup, key, recordId] = columns.map((name) => String(row[name]))
  const parentId = row.parent_id === null ? null : String(row.parent_id)
  return [organizationId ?? '', lookup ?? '', key ?? '', recordId ?? '', parentId]
}

const sorted = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).toSorted()
const ignored = () => {}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('on %s', (_, make) => {
  test('each key becomes that of its mailbox, and others stay', async () => {
    const { fill, migrate, rows } = await make()
    const stay: readonly Row[] = [
      ['org', 'user_email', 'ada@example.org', 'ada', null],
      ['org', 'user_email', 'jürgen@example.org', 'jürgen', null],
      ['org', 'user_name', 'Bücher.', 'ada', null],
      ['child', 'verified_contact', 'any', 'eve', 'org'],
      ['child', 'user_phone_number', '+14155550123', 'eve', 'org'],
    ]
    const old: readonly Row[] = [
      ['org', 'user_email', 'p@bücher.example', 'p', null],
      ['org', 'user_email', 'p@example.org.', 'q', null],
      ['org', 'user_email', 'p@mail。example.org', 'r', null],
      ['child', 'user_email', 'e\u0301va@bÜcher.example', 'eve', 'org'],
      ['child', 'verified_email', 'e\u0301va@bÜcher.example', 'eve', 'org'],
    ]
    await fill([...stay, ...old])
    const warnings: string[] = []
    await migrate((text) => warnings.push(text))
    const respelled = old.map(
      ([organizationId, lookup, key, ...rest]): Row => [organizationId, lookup, mailboxOf(key), ...rest],
    )
    expect(respelled.map(([, , key]) => key)).toContain('\u00e9va@xn--bcher-kva.example')
    expect(sorted(await rows())).toEqual(sorted([...stay, ...respelled]))
    expect(warnings).toEqual([])
  })

  test('users who have one mailbox by now are named, also across sub-organizations where both have verified it', async () => {
    const { fill, migrate } = await make()
    const twin = (organizationId: string, userId: string, key: string, parentId: string | null): readonly Row[] => [
      [organizationId, 'user_email', key, userId, parentId],
      [organizationId, 'verified_email', key, userId, parentId],
    ]
    await fill([
      ...twin('org', 'one', 'p@bücher.example', null),
      ...twin('org', 'two', 'p@xn--bcher-kva.example', null),
      ...twin('first', 'three', 'p@example.com', 'org'),
      ...twin('second', 'four', 'p@example.com.', 'org'),
      // They have had one key before, which is nobody's concern.
      ...twin('org', 'five', 'shared@example.org', null),
      ...twin('org', 'six', 'shared@example.org', null),
      ...twin('elsewhere', 'seven', 'p@example.com', 'another parent'),
    ])
    const warnings: string[] = []
    await migrate((text) => warnings.push(text))
    expect(warnings.toSorted()).toEqual([
      'user one of organization org, user two of organization org have one mailbox in several spellings: none of them can log in or recover by it until only one has it',
      'user three of organization first, user four of organization second have verified one mailbox in several spellings: logins that name no sub-organization find none of them until only one has it',
    ])
  })

  test('it goes on after an interruption', async () => {
    const { fill, migrate, rows, isMade } = await make()
    const many = Array.from({ length: 1_700 }, (_, index): Row => {
      const userId = `user${String(index).padStart(5, '0')}`
      return ['org', 'user_email', `${userId}@bücher.example`, userId, null]
    })
    const twins: readonly Row[] = [['org', 'user_email', 'user01000@xn--bcher-kva.example', 'twin', null]]
    await fill([...many, ...twins])
    const stop = new Error('the process ends here')
    await expect(
      migrate(() => {
        throw stop
      }),
    ).rejects.toThrow(stop.message)
    expect(await isMade()).toBe(false)

    await migrate(ignored)
    expect(await isMade()).toBe(true)
    const keys = (await rows()).map(([, , key]) => key)
    expect(keys).toHaveLength(many.length + twins.length)
    expect(keys.filter((key) => mailboxOf(key) !== key)).toEqual([])
  })
})

test('on PostgreSQL, portions that were made before an interruption stay', async () => {
  const { fill, migrate, rows } = await onPostgres()
  const userIds = Array.from({ length: 600 }, (_, index) => `user${String(index).padStart(5, '0')}`)
  const twin: Row = ['org', 'user_email', 'user00550@xn--bcher-kva.example', 'twin', null]
  await fill([...userIds.map((id): Row => ['org', 'user_email', `${id}@bücher.example`, id, null]), twin])
  const isOld = ([, , key]: Row) => mailboxOf(key) !== key
  await migrate(() => {
    throw new Error('the process ends here')
  }).catch(ignored)
  expect((await rows()).filter(isOld)).toHaveLength(100)
  await migrate(ignored)
  expect((await rows()).filter(isOld)).toHaveLength(0)
})

test('on PostgreSQL, servers of this version go on meanwhile, and start before it', async () => {
  const { url, query } = await temporaryPostgres()
  const address = readDatabaseUrl(url)
  await migrateDatabase(address, { extent: 'all', steps: older })
  const store = await openPostgresStore(address, { steps })
  try {
    await migrateDatabase(address, { extent: 'all', steps })
    expect((await store.health()).readError).toBeUndefined()
    expect(await query(madeText)).toHaveLength(1)
  } finally {
    await store.close()
  }
})
