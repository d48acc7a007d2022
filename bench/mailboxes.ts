import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { migrations } from '../src/service/store/migrations/migrations.ts'
import { readDatabaseUrl } from '../src/service/store/postgres/database_address.ts'
import { migrateDatabase } from '../src/service/store/postgres/migration/migrate_database.ts'
import { openWriter } from '../src/service/store/sqlite/connection.ts'
import { prepareFile } from '../src/service/store/sqlite/prepare_file.ts'
import { killPostgres, makePostgres } from '../test/support/postgres/server.ts'

/**
 * Measures `claviger migrate --contract` on a store of an earlier version in which every user has an address with
 * another spelling (migration 8): all at once, and killed on its way and begun again.
 *
 *     node bench/mailboxes.ts [users, 100000 when not given]
 */
const users = Number(process.argv[2] ?? 100_000)
const usersOfOrganization = 1_000
const sealedBytes = 700
const main = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts')
const older = migrations.slice(0, 7)

type Execute = (text: string, values?: readonly (string | Uint8Array)[]) => Promise<readonly Record<string, unknown>[]>

const folder = await mkdtemp(join(tmpdir(), 'claviger-mailboxes-'))
const postgres = await makePostgres(await mkdtemp('/tmp/claviger-postgres-'))
try {
  const path = join(folder, 'claviger.db')
  await prepareFile(path, { steps: older })
  const onFile: Execute = async (text, values = []) => {
    using database = openWriter(path)
    return database.prepare(text.replaceAll('$', '?')).all(...values)
  }
  await measure('SQLite', { url: 'sqlite:', execute: onFile })

  const url = postgres.url('postgres')
  await migrateDatabase(readDatabaseUrl(url), { extent: 'all', steps: older })
  const client = new pg.Client(url)
  await client.connect()
  await measure('PostgreSQL', {
    url,
    execute: async (text, values = []) => (await client.query(text, [...values])).rows,
  })
  await client.end()
} finally {
  killPostgres(postgres.folder)
  for (const made of [folder, postgres.folder]) await rm(made, { recursive: true, force: true, maxRetries: 5 })
}

async function measure(name: string, { url, execute }: { readonly url: string; readonly execute: Execute }) {
  await fill(execute)
  const wholeMs = await migrate(url)
  await expectOld(execute, 0)

  // As it was before.
  await execute("update lookups set key = replace(key, 'xn--bcher-kva.', 'bücher.')")
  await execute('delete from migrations where number = 8')
  await expectOld(execute, 2 * users)
  await migrate(url, { killAfterMs: 0.6 * wholeMs })
  const left = await oldKeys(execute)
  const restMs = await migrate(url)
  await expectOld(execute, 0)
  console.log(
    `${name}: ${users} users in ${seconds(wholeMs)}; killed with ${left} of ${2 * users} keys left, and done in ${seconds(restMs)} more`,
  )
}

/** Users of sub-organizations, each with a contact that is verified and two more lookups. */
async function fill(execute: Execute): Promise<void> {
  for (let from = 0; from < users; from += usersOfOrganization) {
    const organizationId = `organization-${from}`
    const ids = Array.from(
      { length: Math.min(usersOfOrganization, users - from) },
      (_, index) => `user-${from + index}`,
    )
    const values = ids.map((_, index) => `('${organizationId}', 'user', '${ids[index]}', 1, $${index + 1})`)
    await execute(
      `insert into records (organization_id, kind, record_id, version, sealed) values ${values.join(', ')}`,
      ids.map(() => randomBytes(sealedBytes)),
    )
    const rows = ids.flatMap((id) =>
      [
        ['user_email', `${id}@bücher.example`],
        ['verified_email', `${id}@bücher.example`],
        ['user_name', id],
        ['credential', `02${randomBytes(32).toString('hex')}`],
      ].map(([lookup, key]) => `('${organizationId}', '${lookup}', '${key}', '${id}', 'user', 'parent')`),
    )
    await execute(
      `insert into lookups (organization_id, lookup, key, record_id, kind, parent_id) values ${rows.join(', ')}`,
    )
  }
}

/** Returns how long the command took, in milliseconds. */
async function migrate(url: string, { killAfterMs }: { readonly killAfterMs?: number } = {}): Promise<number> {
  const startedMs = performance.now()
  const environment = { ...process.env, CLAVIGER_DATABASE_URL: url }
  const child = spawn(process.execPath, [main, 'migrate', '--contract', '--data', folder], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  if (killAfterMs !== undefined) {
    await setTimeout(killAfterMs)
    child.kill('SIGKILL')
  }
  const [code] = await exited
  if (killAfterMs === undefined && code !== 0) throw new Error(`the migration ended with ${code}`)
  return performance.now() - startedMs
}

async function oldKeys(execute: Execute): Promise<number> {
  const [row] = await execute("select count(*) as count from lookups where key like '%bücher%'")
  return Number(row?.count)
}

async function expectOld(execute: Execute, expected: number): Promise<void> {
  const found = await oldKeys(execute)
  if (found !== expected) throw new Error(`${found} keys have the old spelling, not ${expected}`)
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
