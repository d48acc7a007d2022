import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { thirdSchema, undone } from '../../test/support/older_schema.ts'
import { queryPostgres, temporaryDatabase } from '../../test/support/postgres/postgres.ts'
import { vaultsOf } from '../../test/support/running_server.ts'
import { freshFolder, killLaunched, madeFolder, run, serve, whoami } from '../../test/support/server_command.ts'
import { migrations } from '../service/store/migrations/migrations.ts'

afterAll(killLaunched)

const upToDate = 'The database has schema 14. Nothing is left to do.'
const lacking =
  'the database has schema 3 and lacks 0004_verified_contacts, 0005_expand_webhook_messages, 0006_expand_notices, 0007_expand_outbox_turns, 0008_contract_mailboxes, 0009_expand_transparency_log, 0010_expand_webhook_turns, 0011_expand_log_index, 0012_expand_webhook_sources, 0013_expand_webhook_source_turns, 0014_contract_webhook_messages_due: run'

/** `claviger migrate` on a data folder, or on the database of a URL. */
async function migrate(flags: readonly string[], data: string, url = 'sqlite:') {
  const environment = { CLAVIGER_DATABASE_URL: url }
  const { code, stdout, stderr } = await run(['migrate', '--data', data, ...flags], { environment })
  return [code, stdout.join('\n'), stderr]
}

describe('on SQLite', () => {
  async function olderFolder() {
    const data = await madeFolder()
    using database = new DatabaseSync(join(data, 'claviger.db'))
    database.exec(`${thirdSchema}; ${undone}`)
    return data
  }

  test('brings the database up to date, after `--check` and `--plan` have changed nothing', async () => {
    const data = await olderFolder()
    const before = readFileSync(join(data, 'claviger.db'))
    expect(await migrate(['--check'], data)).toEqual([2, '', `claviger: ${lacking} \`claviger migrate\`\n`])
    const [code, plan] = await migrate(['--plan'], data)
    expect([code, plan]).toEqual([0, expect.stringMatching(/^begin;\ncreate table if not exists "migrations" .*\n\n/)])
    expect(plan).toContain('-- 0004_verified_contacts\ninsert into lookups (organization_id, ')
    expect(plan).toMatch(
      /values \(4, '0004_verified_contacts'\);\n\n-- 0005_expand_webhook_messages\n[\s\S]*\n\ncommit;$/,
    )
    expect(readFileSync(join(data, 'claviger.db'))).toEqual(before)

    expect(await migrate([], data)).toEqual([
      0,
      `made 0004_verified_contacts\nmade 0005_expand_webhook_messages\nmade 0006_expand_notices\nmade 0007_expand_outbox_turns\nmade 0008_contract_mailboxes\nmade 0009_expand_transparency_log\nmade 0010_expand_webhook_turns\nmade 0011_expand_log_index\nmade 0012_expand_webhook_sources\nmade 0013_expand_webhook_source_turns\nmade 0014_contract_webhook_messages_due\n${upToDate}`,
      '',
    ])
    for (const flags of [['--check'], ['--plan'], []]) expect(await migrate(flags, data)).toEqual([0, upToDate, ''])
    expect(await migrate(['--json'], data)).toEqual([0, '{"schema":14,"due":[],"left":[],"made":[]}', ''])
  })

  test('a running server is in the way, and has brought its database up to date itself', async () => {
    const data = freshFolder()
    const server = await serve('dev', data)
    expect(await migrate([], data)).toEqual([2, '', `claviger: another server is running on the data folder ${data}\n`])
    expect(await migrate(['--check'], data)).toEqual([0, upToDate, ''])
    expect((await server.stop()).code).toBe(0)
  })

  test('shows the plan of a database that does not exist, and does not make it', async () => {
    const data = freshFolder()
    const [code, plan] = await migrate(['--plan', '--json'], data)
    expect([code, JSON.parse(String(plan)).due]).toEqual([0, expect.arrayContaining(['0001_initial'])])
    expect(() => readFileSync(join(data, 'claviger.db'))).toThrow('ENOENT')
  })

  test('refuses a database that is newer, whatever its mark', async () => {
    const data = await madeFolder()
    {
      using database = new DatabaseSync(join(data, 'claviger.db'))
      database.exec("insert into migrations (number, name) values (15, '0015_expand_labels')")
    }
    for (const flags of [['--check'], ['--plan'], []]) {
      const [code, , stderr] = await migrate(flags, data)
      expect([code, stderr]).toEqual([2, expect.stringContaining('the database has schema 15, and this program knows')])
    }
  })
})

describe('on PostgreSQL', () => {
  async function olderDatabase() {
    const [data, url] = [freshFolder(), await temporaryDatabase()]
    const given = { environment: { CLAVIGER_DATABASE_URL: url } }
    const server = await serve('dev', data, [], given)
    expect((await server.stop()).code).toBe(0)
    await queryPostgres(url, thirdSchema)
    await queryPostgres(url, undone)
    return { data, url, given }
  }

  test('`serve` refuses an older schema, and works after `migrate`', async () => {
    const { data, url, given } = await olderDatabase()
    const refused = await run(['serve', '--data', data, '--port', '0'], given)
    const needed =
      'claviger: the database has schema 3, and this program needs schema 13: end the servers of earlier versions, then run `claviger migrate --contract`\n'
    expect(refused).toEqual({ code: 2, stdout: [], stderr: needed })
    expect(vaultsOf(data)).toEqual([])

    const later =
      'The database has schema 3. For later: 0004_verified_contacts, 0005_expand_webhook_messages, 0006_expand_notices, 0007_expand_outbox_turns, 0008_contract_mailboxes, 0009_expand_transparency_log, 0010_expand_webhook_turns, 0011_expand_log_index, 0012_expand_webhook_sources, 0013_expand_webhook_source_turns, 0014_contract_webhook_messages_due. End the servers of earlier versions, then run `claviger migrate --contract`.'
    expect(await migrate(['--check'], data, url)).toEqual([2, '', needed])
    expect(await migrate([], data, url)).toEqual([0, later, ''])
    const contractNeeded = `claviger: ${lacking} \`claviger migrate --contract\`\n`
    expect(await migrate(['--contract', '--check'], data, url)).toEqual([2, '', contractNeeded])
    const [, plan] = await migrate(['--contract', '--plan'], data, url)
    expect(plan).toMatch(
      /^begin;\ncreate table if not exists migrations \(number bigint .*\n\n-- 0004_verified_contacts\n/,
    )
    expect(await queryPostgres(url, 'select max(number) as last from migrations')).toEqual([{ last: 3 }])

    expect(await migrate(['--contract'], data, url)).toEqual([
      0,
      `made 0004_verified_contacts\nmade 0005_expand_webhook_messages\nmade 0006_expand_notices\nmade 0007_expand_outbox_turns\nmade 0008_contract_mailboxes\nmade 0009_expand_transparency_log\nmade 0010_expand_webhook_turns\nmade 0011_expand_log_index\nmade 0012_expand_webhook_sources\nmade 0013_expand_webhook_source_turns\nmade 0014_contract_webhook_messages_due\n${upToDate}`,
      '',
    ])
    const server = await serve('serve', data, [], given)
    expect(await migrate([], data, url)).toEqual([0, upToDate, ''])
    expect((await server.stop()).code).toBe(0)
  })

  test('`dev` brings an older schema up to date itself', async () => {
    const { data, url, given } = await olderDatabase()
    const server = await serve('dev', data, [], given)
    expect((await whoami(join(data, 'credentials.json'))).code).toBe(0)
    expect((await server.stop()).code).toBe(0)
    expect(await migrate(['--check'], data, url)).toEqual([0, upToDate, ''])
  })

  test('`serve` opens a database that newer programs have expanded only, and no other newer one', async () => {
    const { data, url, given } = await olderDatabase()
    expect((await migrate(['--contract'], data, url))[0]).toBe(0)
    await queryPostgres(url, "insert into migrations (number, name) values (15, '0015_expand_labels')")
    const server = await serve('serve', data, [], given)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect((await server.stop()).code).toBe(0)

    await queryPostgres(url, "insert into migrations (number, name) values (16, '0016_contract_labels')")
    const { code, stderr } = await run(['serve', '--data', data, '--port', '0'], given)
    expect([code, stderr]).toEqual([
      2,
      `claviger: the database has schema 16, and this program knows schemas up to ${migrations.length}; migration 16 shuts older programs out: start the newer program that made it, or put a backup back from before the upgrade\n`,
    ])
    expect(vaultsOf(data)).toEqual([])
  })
})
