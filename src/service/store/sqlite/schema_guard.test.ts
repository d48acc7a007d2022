import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { guardSchemaAsItIs, temporaryPath, temporaryStore } from '../../../../test/support/store/fixtures.ts'
import { activity, bytes, commitOf, head, idsInOrder, record } from '../../../../test/support/store/rows.ts'
import { migrations } from '../migrations/migrations.ts'
import { SchemaError } from '../schema_error.ts'
import { createBatch } from './batch.ts'
import { openReader, openWriter, prepareAll } from './connection.ts'
import { prepareFile } from './prepare_file.ts'
import { sqliteQueries } from './sqlite_queries.ts'
import { openSqliteStore } from './sqlite_store.ts'

const organizationId = 'organization'
const firstHead = head(organizationId, { version: 1 })
const secondHead = head(organizationId, { version: 2 })

/** Puts the old head back inside the very transaction that raises it. */
const putBack = `create trigger undo after update on organizations begin
  update organizations set version = old.version, tag = old.tag, head = old.head where organization_id = old.organization_id;
end`

/** The same table with other words in it, and the rows of before. */
const rewritten = (table: string, from: string, to: string) => `
  pragma writable_schema = on;
  update sqlite_schema set sql = replace(sql, '${from}', '${to}') where type = 'table' and name = '${table}';
  pragma writable_schema = reset;
  vacuum;`

/** Changes by somebody who can write the file, by the text with which the start refuses each. */
const changes: Readonly<Record<string, string>> = {
  'trigger undo on organizations was added': putBack,
  'trigger skip on activities was added':
    'create trigger skip before insert on activities begin select raise(ignore); end',
  'trigger end on organizations was added':
    "create trigger end before update on organizations begin select raise(rollback, 'no'); end",
  'view seen was added': 'create view seen as select * from organizations',
  'view organizations was added':
    'alter table organizations rename to hidden; create view organizations as select * from hidden',
  'trigger instead on organizations was added': `alter table organizations rename to hidden;
    create view organizations as select * from hidden;
    create trigger instead instead of update on organizations begin select 1; end`,
  'table organizations is another one': rewritten(
    'organizations',
    'text not null primary key',
    'text not null primary key on conflict replace',
  ),
  'table records is another one': rewritten(
    'records',
    'version integer not null',
    'version integer not null on conflict ignore',
  ),
  'table lookups is another one': rewritten(
    'lookups',
    'parent_id text',
    'parent_id text references organizations on delete cascade',
  ),
  'table activities is another one': 'alter table activities add column kept text as (upper(status))',
  'table outbox is another one': 'alter table outbox rename column due_at_ms to due_at',
  'table erasures is another one': rewritten(
    'erasures',
    'owner_id text not null',
    'owner_id text not null check (length(owner_id) > 0)',
  ),
  'index one on activities was added': 'create unique index one on activities (type)',
  'index some on activities was added': 'create index some on activities (upper(type)) where version > 1',
  'index records_owner on records is missing': 'drop index records_owner',
  'table search was added': 'create virtual table search using fts5(text)',
  'table sqlite_stat1 was added': 'analyze',
}

function change(path: string, text: string): void {
  using other = new DatabaseSync(path, { defensive: false })
  other.exec(text)
}

describe('a database is refused at the start, and left as it is:', () => {
  test.each(Object.entries(changes))('%s', async (difference, text) => {
    const path = temporaryPath()
    await prepareFile(path)
    change(path, text)
    const before = schemaOf(path)

    const refused = await openSqliteStore({ path }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SchemaError)
    expect(refused).toMatchObject({ message: expect.stringContaining(`the schema of ${path} is not the one`) })
    expect(refused).toMatchObject({ message: expect.stringContaining(difference) })
    expect(schemaOf(path)).toEqual(before)
  })

  test('one that is still to be brought up to date', async () => {
    const path = temporaryPath()
    await prepareFile(path, { steps: migrations.slice(0, 1) })
    change(path, putBack)
    await expect(prepareFile(path)).rejects.toThrow(/: trigger undo on organizations was added;/)
    change(path, 'drop trigger undo')
    await prepareFile(path)
  })

  test('a view that says which migrations were made', async () => {
    const path = temporaryPath()
    await prepareFile(path)
    change(path, 'drop table migrations; create view migrations as select 2 as number')
    await expect(prepareFile(path)).rejects.toThrow(/: view migrations was added, table migrations is missing;/)
  })

  test('a table by a name of ours in a file that has nothing else', async () => {
    const path = temporaryPath()
    mkdirSync(dirname(path))
    change(path, 'create table vault_state (a_name_that_is_taken text)')
    await expect(prepareFile(path)).rejects.toThrow(/: table vault_state is another one,/)
    expect(schemaOf(path).map(({ name }) => name)).toEqual(['vault_state'])
  })

  test('names are named in one short line, whatever they hold', async () => {
    const path = temporaryPath()
    await prepareFile(path)
    for (const id of idsInOrder(20))
      change(path, `create view "${id}\n\u001b[2J\u009b\u202e${'x'.repeat(1000)}" as select 1`)
    const refused: unknown = await prepareFile(path).catch((error: unknown) => error)
    const message = refused instanceof Error ? refused.message.replace(path, '') : ''
    expect(message).toMatch(/^[\x20-\x7e…]{1,900}$/)
    expect(message).toContain(', 15 more;')
  })
})

test('the migrations make the same schema as ever, because an older file would be refused otherwise', async () => {
  const made = migrations.map(async ({ number }) => {
    const schema = await prepareFile(temporaryPath(), { steps: migrations.slice(0, number) })
    return createHash('sha256').update(JSON.stringify(schema)).digest('hex')
  })
  // A new migration adds its line. A line never changes, whatever formats or builds the statements.
  expect(await Promise.all(made)).toEqual([
    '3143c797916bc337e3754c6c9aa5b68c693c10c65c8dee43bb741c39b5540769',
    '30401bdda83096f48750696b5c795fb94c971ef81d7eeb03ac076ab0ff75485f',
    '30401bdda83096f48750696b5c795fb94c971ef81d7eeb03ac076ab0ff75485f', // 3 changes no table
    '30401bdda83096f48750696b5c795fb94c971ef81d7eeb03ac076ab0ff75485f', // 4 adds rows only
    'e412ec1efcf2181ba3f894d4e392ed2d173386734e797fcbb0066471febf9c83',
    '4e14c87d0383f7f50bca751a3a23f72a3e8bc30adf890426f183b0c22449ceb8',
    '32b40d2822b1c2b434eceb105278c3e0a3c0777a37856ed60697bf991fcb97c1',
    '32b40d2822b1c2b434eceb105278c3e0a3c0777a37856ed60697bf991fcb97c1', // 8 changes rows only
    'ed592215a76f9b6bdc1ad6f0b5ad270328e2fe851e8fff817e11b13bb9060763',
    '613841898eab2c6f55b01b10514bffec815211697a62d6a1cbc50c5f9b1e09d3',
    'a0f4cf7af0e2944a7c639db2efefb060b2c6dbb13fef5d076be1800f0fe5a14d',
    'ba65b1d9b9bffc043c85ea4b89717f4d9d2c4f24d74b3951299e84cbb089bb08',
    'fa0c8458cad12d73be595ddffbab94dc8cb3e05c745337819a5f7a59ca7b2369',
    'cdb75780141543acb93179a438c70b94fb92b138a2b7993f082930bf96547a9b',
  ])
})

describe('while the server runs, every commit is rejected and nothing of it is written:', () => {
  test.each(Object.entries(changes))('%s', async (difference, text) => {
    const path = temporaryPath()
    const store = await temporaryStore(path)
    expect(await store.commit(commitOf({ heads: [firstHead], activities: [activity(organizationId, 'a')] }))).toBe(
      'committed',
    )
    change(path, text)

    const restsOnNothing = commitOf({ readSet: [{ of: 'head', organizationId, version: 7, tag: 'none' }] })
    const outcomes = await Promise.allSettled([
      store.commit(commitOf({ records: [record(organizationId, 'first')] })),
      store.commit(commitOf({ heads: [secondHead], activities: [activity(organizationId, 'b')] })),
      store.commit(restsOnNothing),
      store.commit(commitOf({ records: [record(organizationId, 'last')] })),
    ])
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining(difference) } })
    }
    expect((await store.health()).writeError?.message).toContain(difference)

    using other = new DatabaseSync(path)
    const heads = other.prepare(`select version from ${text.includes('to hidden') ? 'hidden' : 'organizations'}`).all()
    expect(heads).toEqual([expect.objectContaining({ version: 1 })])
    for (const [table, rows] of [
      ['records', 0],
      ['activities', 1],
    ]) {
      expect(other.prepare(`select count(*) as rows from ${table}`).get()?.rows).toBe(rows)
    }
  })

  test('until it is mended', async () => {
    const path = temporaryPath()
    const store = await temporaryStore(path)
    await store.commit(commitOf({ heads: [firstHead] }))
    for (let attempt = 0; attempt < 2; attempt += 1) {
      change(path, putBack)
      await expect(store.commit(commitOf({ heads: [secondHead] }))).rejects.toThrow(/trigger undo/)
      await expect(store.commit(commitOf({ heads: [secondHead] }))).rejects.toThrow(/trigger undo/)
      change(path, 'drop trigger undo')
    }
    expect(await store.commit(commitOf({ heads: [secondHead] }))).toBe('committed')
    expect(await store.health()).toEqual({ readError: undefined, writeError: undefined })
    expect(await store.find([{ read: 'headTag', organizationId }])).toMatchObject([{ row: { version: 2 } }])
  })
})

test('statements that change no schema disturb nobody: vacuum, a trigger of another connection alone', async () => {
  const path = temporaryPath()
  const store = await temporaryStore(path)
  await store.commit(commitOf({ heads: [firstHead] }))
  using other = new DatabaseSync(path)
  other.exec('vacuum')
  other.exec(putBack.replace('create', 'create temp'))
  expect(await store.commit(commitOf({ heads: [secondHead] }))).toBe('committed')
  expect(await store.find([{ read: 'headTag', organizationId }])).toMatchObject([{ row: { version: 2 } }])
})

test('the authorizer is not asked about statements that are only run, so it costs a commit nothing', async () => {
  const path = temporaryPath()
  await prepareFile(path)
  using database = openWriter(path)
  let asked = 0
  const setAuthorizer = database.setAuthorizer.bind(database)
  database.setAuthorizer = (authorizer) =>
    setAuthorizer((...of) => {
      asked += 1
      return authorizer?.(...of) ?? 0
    })
  const execute = batchOf(database)
  const jobs = (id: string) => [written(id), written(id), written(`${id} too`)]
  for (const id of ['a', 'b']) expect(execute(jobs(id))).toEqual(['committed', 'conflict', 'committed'])
  change(path, 'vacuum')
  for (const id of ['c', 'd']) expect(execute(jobs(id))).toEqual(['committed', 'conflict', 'committed'])

  const before = asked
  for (const id of ['e', 'f']) expect(execute(jobs(id))).toEqual(['committed', 'conflict', 'committed'])
  expect(before).toBeGreaterThan(0)
  expect(asked).toBe(before)
})

test('nobody can add a trigger inside a transaction of ours', async () => {
  const { path, database } = await opened()
  database.exec('begin immediate')
  using other = new DatabaseSync(path, { timeout: 0 })
  expect(() => other.exec(putBack)).toThrow(/locked/)
  database.exec('rollback')
})

test.each([
  ['of a table', 'select * from hidden'],
  [
    'of no table',
    "select 'organization' as organization_id, null as parent_id, 9 as version, 't' as tag, x'00' as head",
  ],
])(
  'a view %s in the place of one that is read: is refused, also in statements that live on, until it is mended',
  async (_, rows) => {
    const path = temporaryPath()
    const store = await temporaryStore(path)
    await store.commit(commitOf({ heads: [firstHead] }))
    const find = () => store.find([{ read: 'headTag', organizationId }])
    expect(await find()).toMatchObject([{ row: { version: 1 } }])

    change(path, `alter table organizations rename to hidden; create view organizations as ${rows}`)
    await new Promise(setImmediate)
    await expect(find()).rejects.toThrow(/not authorized|prohibited/)
    await expect(find()).rejects.toThrow(/not authorized|prohibited/)
    change(path, 'drop view organizations; alter table hidden rename to organizations')
    await new Promise(setImmediate)
    expect(await find()).toMatchObject([{ row: { version: 1 } }])
  },
)

test('statements do not run with a schema that was compiled and then written back without its number', async () => {
  const { path, database, execute } = await opened()
  using other = new DatabaseSync(path, { defensive: false })
  const number = Number(other.prepare('pragma schema_version').get()?.schema_version) + 1
  const rewrite = (from: string, to: string) =>
    other.exec(`pragma writable_schema = on;
      update sqlite_schema set sql = replace(sql, '${from}', '${to}') where name = 'records';
      pragma schema_version = ${number}`)

  expect(execute([written('a')])).toEqual(['committed'])
  rewrite('record_id)', 'record_id) on conflict replace')
  database.prepare('select record_id from records').all() // outside of a transaction, as the eraser looks for work
  rewrite(' on conflict replace', '')
  expect(execute([written('a')])).toEqual(['conflict'])
})

const written = (recordId: string) => {
  return {
    do: 'commit',
    commit: commitOf({ records: [record(organizationId, recordId, { sealed: bytes('s') })] }),
  } as const
}

async function opened() {
  const path = temporaryPath()
  await prepareFile(path)
  const database = openWriter(path)
  onTestFinished(() => database.close())
  return { path, database, execute: batchOf(database) }
}

function batchOf(database: DatabaseSync) {
  const guard = guardSchemaAsItIs(database)
  return createBatch(database, prepareAll(database, sqliteQueries), guard)
}

function schemaOf(path: string) {
  using database = openReader(path)
  return database.prepare('select type, name, sql from sqlite_schema order by name').all()
}
