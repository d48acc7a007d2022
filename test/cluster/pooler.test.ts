import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readDatabaseUrl } from '../../src/service/store/postgres/database_address.ts'
import { ethereumAccount, serverClient } from '../support/clients.ts'
import { needsDebian } from '../support/debian.ts'
import { queryPostgres, temporaryDatabase } from '../support/postgres/postgres.ts'
import { serverUser } from '../support/postgres/server.ts'
import { startRunningServer } from '../support/running_server.ts'

/** A node behind a pooler, as docs/operate/scale.md says. */

const port = 6432

/** Starts PgBouncer in front of the server of an address, on a socket of its own. Returns the address behind it. */
async function startPgbouncer(
  program: string,
  { databaseUrl, poolMode }: { readonly databaseUrl: string; readonly poolMode: 'session' | 'transaction' },
): Promise<string> {
  const { hosts, database } = readDatabaseUrl(databaseUrl)
  // The user of the server of PostgreSQL must reach it, and a socket's path is short.
  const folder = mkdtempSync('/tmp/claviger-pooler-')
  chmodSync(folder, 0o777)
  const file = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=${hosts[0]?.name} user=postgres`,
    '[pgbouncer]',
    `pool_mode = ${poolMode}`,
    'auth_type = any',
    'listen_addr =',
    `listen_port = ${port}`,
    `unix_socket_dir = ${folder}`,
  ]
  writeFileSync(file, lines.join('\n'))
  const child = spawn(program, ['-q', file], { ...serverUser, stdio: 'ignore' })
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  })
  const url = `postgres://postgres@/${database}?host=${folder}&port=${port}`
  await expect.poll(() => queryPostgres(url, 'select 1').catch(() => [])).toHaveLength(1)
  return url
}

test('a node signs through PgBouncer that keeps a session for a client', async (context) => {
  const program = needsDebian('pgbouncer', context)
  const databaseUrl = await temporaryDatabase()
  const url = await startPgbouncer(program, { databaseUrl, poolMode: 'session' })
  const node = await startRunningServer({ flags: ['--database-url', url] })
  onTestFinished(async () => void (await node.end('SIGTERM')))
  const client = serverClient(node)
  const { addresses } = await client.createWallet({ walletName: 'pooled', accounts: [ethereumAccount()] })
  const signing = Array.from({ length: 20 }, (_, index) =>
    client.signRawPayload({
      signWith: addresses[0] ?? '',
      payload: `message ${index}`,
      encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
      hashFunction: 'HASH_FUNCTION_KECCAK256',
    }),
  )
  expect(new Set((await Promise.all(signing)).map(({ r }) => r)).size).toBe(20)
  const settings = await queryPostgres(
    databaseUrl,
    `select count(*) from pg_stat_activity where datname = current_database() and application_name like 'claviger (%'`,
  )
  expect(Number(settings[0]?.count)).toBeGreaterThan(1)
})

test('a node refuses PgBouncer that pools transactions, and says how to mend it', async (context) => {
  const program = needsDebian('pgbouncer', context)
  const url = await startPgbouncer(program, { databaseUrl: await temporaryDatabase(), poolMode: 'transaction' })
  const refusal = await startRunningServer({ flags: ['--database-url', url] }).catch(String)
  expect(refusal).toContain('a pooler gives it sessions that others use too: let it keep a session for a client')
})
