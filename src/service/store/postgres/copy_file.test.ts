import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { queryPostgres, temporaryDatabase } from '../../../../test/support/postgres/postgres.ts'
import { prepareFile } from '../sqlite/prepare_file.ts'
import { copyFile } from './copy_file.ts'
import { readDatabaseUrl } from './database_address.ts'
import { migrateDatabase } from './migration/migrate_database.ts'
import { storableText } from './statement.ts'

async function startCopy() {
  const url = await temporaryDatabase()
  const path = join(mkdtempSync(join(tmpdir(), 'claviger-copy-')), 'claviger.db')
  await prepareFile(path)
  await migrateDatabase(readDatabaseUrl(url), { extent: 'all' })
  return { url, path, copy: () => copyFile(path, readDatabaseUrl(url)) }
}

test('every row arrives, in portions, with the texts that a server will look for', async () => {
  const { url, path, copy } = await startCopy()
  const texts = ['a', '', 'a\0b', '\\N', '{"x","y"}', '\u0001mark', 'é'.repeat(600), 'null', 'NULL']
  {
    using file = new DatabaseSync(path)
    const lookup = file.prepare("insert into lookups values ('one', 'name', ?, 'id', 'user', null)")
    for (const text of texts) lookup.run(text)
    const head = file.prepare("insert into organizations values (?, 'parent', 9007199254740991, 'tag', ?)")
    for (let index = 0; index < 2_500; index += 1) head.run(`organization ${index}`, Buffer.from([index & 255, 0, 92]))
    const record = file.prepare("insert into records values ('one', 'user', ?, null, 1, ?)")
    for (const id of ['large', 'larger', 'largest']) record.run(id, Buffer.alloc(3_000_000, id))
  }
  expect(await copy()).toEqual([
    { table: 'organizations', rows: 2_500 },
    { table: 'records', rows: 3 },
    { table: 'activities', rows: 0 },
    { table: 'lookups', rows: texts.length },
    { table: 'outbox', rows: 0 },
    { table: 'webhook_messages', rows: 0 },
    { table: 'notices', rows: 0 },
    { table: 'notice_turns', rows: 0 },
    { table: 'erasures', rows: 0 },
    { table: 'transparency_logs', rows: 0 },
    { table: 'log_bundles', rows: 0 },
    { table: 'log_index', rows: 0 },
    { table: 'vault_state', rows: 0 },
  ])

  const lookups = await queryPostgres(url, 'select key, parent_id from lookups')
  expect(new Set(lookups.map(({ key }) => key))).toEqual(new Set(texts.map(storableText)))
  expect(lookups.every(({ parent_id }) => parent_id === null)).toBe(true)
  const [head] = await queryPostgres(url, "select * from organizations where organization_id = 'organization 1234'")
  expect(head).toMatchObject({ parent_id: 'parent', version: 9007199254740991, tag: 'tag' })
  expect(head?.head).toEqual(Uint8Array.of(1234 & 255, 0, 92))
  const sizes = await queryPostgres(url, 'select record_id, length(sealed) as size from records')
  expect(sizes.map(({ size }) => size)).toEqual([3_000_000, 3_000_000, 3_000_000])
})

test('a copy that fails leaves nothing', async () => {
  const { url, path, copy } = await startCopy()
  {
    using file = new DatabaseSync(path)
    const head = file.prepare("insert into organizations values (?, null, 1, 'tag', x'00')")
    for (let index = 0; index < 1_500; index += 1) head.run(`organization ${index}`)
  }
  await queryPostgres(url, "alter table organizations add check (organization_id <> 'organization 1400')")
  await expect(copy()).rejects.toThrow('violates check constraint')
  expect(await queryPostgres(url, 'select count(*)::int as count from organizations')).toEqual([{ count: 0 }])
})
