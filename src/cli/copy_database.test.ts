import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { queryPostgres, temporaryDatabase } from '../../test/support/postgres/postgres.ts'
import { freshFolder, killLaunched, run, serve, whoami } from '../../test/support/server_command.ts'

afterAll(killLaunched)

const embedded = { environment: { CLAVIGER_DATABASE_URL: 'sqlite:' } }

function copy(data: string, url: string, flags: readonly string[] = []) {
  return run(['copy-database', '--data', data, ...flags], { environment: { CLAVIGER_DATABASE_URL: url } })
}

/** `dev` writes its address into the credentials. */
async function request(data: string, operation: string, parameters?: object) {
  const credentials = join(data, 'credentials.json')
  const body = parameters === undefined ? [] : ['--body', JSON.stringify({ parameters })]
  const { code, stdout } = await run(['request', operation, '--json', '--credentials', credentials, ...body])
  expect([code, stdout]).toEqual([0, expect.anything()])
  return JSON.parse(stdout.join('\n'))
}

// It starts ten processes, each of which may take seconds on a busy machine.
test('a server goes on with the copy where it ended with the embedded database', { timeout: 180_000 }, async () => {
  const [data, url] = [freshFolder(), await temporaryDatabase()]
  const before = await serve('dev', data, [], embedded)
  const made = await request(data, 'create_policy', { policyName: 'one', effect: 'EFFECT_DENY', notes: '' })
  expect(JSON.stringify(made)).toContain('policyId')
  const activities = await request(data, 'list_activities')
  expect((await copy(data, url)).stderr).toBe(`claviger: another server is running on the data folder ${data}\n`)
  expect((await before.stop()).code).toBe(0)

  const { code, stdout, stderr } = await copy(data, url, ['--json'])
  expect([code, stderr]).toEqual([0, ''])
  const { rows } = JSON.parse(stdout.join(''))
  expect(rows).toMatchObject({ organizations: 1, vault_state: 1 })
  using file = new DatabaseSync(join(data, 'claviger.db'), { readOnly: true })
  for (const [table, count] of Object.entries(rows)) {
    expect([table, file.prepare(`select count(*) as count from ${table}`).get()]).toEqual([table, { count }])
  }

  const after = await serve('dev', data, [], { environment: { CLAVIGER_DATABASE_URL: url } })
  expect(await request(data, 'list_activities')).toEqual(activities)
  await request(data, 'create_policy', { policyName: 'two', effect: 'EFFECT_DENY', notes: '' })
  expect((await after.stop()).code).toBe(0)

  // The journal has seen the change, so the embedded database is behind.
  const behind = await serve('dev', data, [], embedded)
  const refused = await whoami(join(data, 'credentials.json'))
  expect([refused.code, refused.stdout.join('')]).toEqual([5, expect.stringContaining('internal server error')])
  expect((await behind.stop()).code).toBe(0)
})

test('refuses what is missing or in use, and leaves a database as it was', async () => {
  const [data, url] = [freshFolder(), await temporaryDatabase()]
  const missing = `claviger: there is no embedded database: ${join(data, 'claviger.db')} does not exist\n`
  expect(await copy(data, url)).toEqual({ code: 2, stdout: [], stderr: missing })
  expect((await copy(data, 'sqlite:')).stderr).toMatch(/^claviger: name the PostgreSQL database to copy to/)

  expect((await (await serve('dev', data, [], embedded)).stop()).code).toBe(0)
  expect((await copy(data, url)).code).toBe(0)
  const heads = await queryPostgres(url, 'select * from organizations')
  const again = await copy(data, url)
  expect(again).toEqual({ code: 2, stdout: [], stderr: expect.stringContaining('its table organizations has rows') })
  expect(await queryPostgres(url, 'select * from organizations')).toEqual(heads)
})
