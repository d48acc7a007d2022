import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { temporaryPath } from '../../../../test/support/store/fixtures.ts'
import type { Migration } from '../migrations/migration.ts'
import { migrations } from '../migrations/migrations.ts'
import { openReader, openWriter } from './connection.ts'
import { kyselyOf, prepareFile } from './prepare_file.ts'
import { openSqliteStore } from './sqlite_store.ts'

test('migrations are numbered from 1 without gaps, and named by their number', () => {
  for (const [index, { number, name }] of migrations.entries()) {
    expect(number).toBe(index + 1)
    expect(name).toMatch(new RegExp(`^${String(number).padStart(4, '0')}_[a-z_]+$`))
  }
})

test('preparing a file again changes nothing', async () => {
  const path = temporaryPath()
  await prepareFile(path)
  const before = schemaOf(path)
  await prepareFile(path)
  expect(schemaOf(path)).toEqual(before)
  expect(before.migrations).toEqual(migrations.map(({ number, name }) => ({ number, name })))
})

test('several processes may prepare a file at once', async () => {
  const path = temporaryPath()
  const connection = JSON.stringify(new URL('./prepare_file.ts', import.meta.url))
  const script = `await (await import(${connection})).prepareFile(${JSON.stringify(path)})`
  const prepare = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  await Promise.all([prepare(), prepare(), prepare(), prepare()])
  expect(schemaOf(path).migrations).toHaveLength(migrations.length)
})

test('a database that a newer program made is refused and left as it is', async () => {
  const path = temporaryPath()
  await prepareFile(path)
  const newer = migrations.length + 1
  {
    using database = openWriter(path)
    database.prepare('insert into migrations (number, name) values (?, ?)').run(newer, 'from the future')
  }
  const before = schemaOf(path)
  await expect(openSqliteStore({ path })).rejects.toThrow(
    `${path} cannot be opened: the database has schema ${newer}, and this program knows schemas up to ${migrations.length}`,
  )
  expect(schemaOf(path)).toEqual(before)
})

test('a migration that fails leaves nothing of itself', async () => {
  const path = temporaryPath()
  await prepareFile(path)
  const before = schemaOf(path)
  const broken: Migration = {
    number: migrations.length + 1,
    name: 'broken',
    statements: [sql`create table one (column_of_it text)`, sql`create table vault_state (a_name_that_is_taken text)`],
  }
  await expect(prepareFile(path, { steps: [...migrations, broken] })).rejects.toThrow(/vault_state.* already exists/)
  expect(schemaOf(path)).toEqual(before)
})

test('users whose contact was verified before schema 4 are found without the contact', async () => {
  const path = temporaryPath()
  await prepareFile(path, { steps: migrations.slice(0, 3) })
  {
    using database = openWriter(path)
    const insert = database.prepare('insert into lookups values (?, ?, ?, ?, ?, ?)')
    insert.run('child', 'verified_email', 'ada@example.org', 'ada', 'user', 'parent')
    insert.run('child', 'verified_phone_number', '+14155550123', 'ada', 'user', 'parent')
    insert.run('child', 'user_email', 'eve@example.org', 'eve', 'user', 'parent')
    insert.run('parent', 'verified_email', 'root@example.org', 'root', 'user', null)
  }
  await prepareFile(path)
  using database = openReader(path)
  const found = database.prepare("select * from lookups where lookup = 'verified_contact'").all()
  const row = { lookup: 'verified_contact', key: 'any', kind: 'user' }
  expect(found.map((entry) => ({ ...entry }))).toEqual([
    { ...row, organization_id: 'child', record_id: 'ada', parent_id: 'parent' },
    { ...row, organization_id: 'parent', record_id: 'root', parent_id: null },
  ])
})

test('the connection that writes syncs each commit; the one that reads cannot write', async () => {
  const path = temporaryPath()
  await prepareFile(path)
  using writer = openWriter(path)
  expect(writer.prepare('pragma journal_mode').get()).toMatchObject({ journal_mode: 'wal' })
  expect(writer.prepare('pragma synchronous').get()).toMatchObject({ synchronous: 2 })
  using reader = openReader(path)
  expect(() => reader.exec("insert into migrations (number, name) values (9, '')")).toThrow(/readonly/)
})

test('the log stays small, so that a checkpoint takes milliseconds', async () => {
  const path = temporaryPath()
  await prepareFile(path)
  using writer = openWriter(path)
  writer.exec('pragma synchronous = off') // this test does not need the disk
  const insert = writer.prepare('insert into organizations (organization_id, version, tag, head) values (?, 1, ?, ?)')
  for (let index = 0; index < 40; index += 1) insert.run(`${index}`, '', new Uint8Array(1_000_000))
  expect(statSync(`${path}-wal`).size).toBeLessThan(8 * 1_048_576)
})

test('the query builder works on a connection, with texts, numbers, bytes and null', async () => {
  const path = temporaryPath()
  await prepareFile(path)
  using database = openWriter(path)
  const builder = kyselyOf(database)
  const row = { organization_id: 'o', parent_id: null, version: 7, tag: 't', head: new Uint8Array([0, 255]) }
  const inserted = await builder.insertInto('organizations').values(row).executeTakeFirst()
  expect(inserted.numInsertedOrUpdatedRows).toBe(1n)
  expect(await builder.selectFrom('organizations').selectAll().execute()).toEqual([row])
})

function schemaOf(path: string) {
  using database = openReader(path)
  return {
    schema: database.prepare('select type, name, sql from sqlite_schema order by name').all(),
    migrations: database.prepare('select number, name from migrations order by number').all(),
  }
}
