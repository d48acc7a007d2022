import { chmodSync, chownSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthority } from '../../../../test/support/certificates.ts'
import { queryPostgres } from '../../../../test/support/postgres/postgres.ts'
import { makePostgres, serverUser, startPostgres, stopPostgres } from '../../../../test/support/postgres/server.ts'
import { removeServerFolder } from '../../../../test/support/postgres/standby.ts'
import { freePort } from '../../../../test/support/smtp_server.ts'
import { temporaryPostgres } from '../../../../test/support/store/fixtures.ts'
import { SchemaError } from '../schema_error.ts'
import { readDatabaseUrl } from './database_address.ts'
import { connect } from './hosts.ts'
import { openPostgresStore } from './postgres_store.ts'

/** A server of its own, that asks for passwords over TCP and has a certificate for `db.example` and the loopback. */
const folder = mkdtempSync('/tmp/claviger-postgres-tls-')
const authority = createAuthority()
const [authorities, others] = [join(folder, 'authority.pem'), join(folder, 'other.pem')]
const password = 'Qq7Zx-hush'
let port = 0

beforeAll(async () => {
  const { url } = await makePostgres(folder)
  await queryPostgres(url('postgres'), `alter user postgres password '${password}'`)
  writeFileSync(join(folder, 'data/pg_hba.conf'), 'local all all trust\nhost all all all scram-sha-256\n')
  const { cert, key } = authority.issue({ hosts: ['localhost'] })
  for (const [name, text] of [
    ['server.crt', cert],
    ['server.key', key],
  ] as const) {
    const path = join(folder, 'data', name)
    writeFileSync(path, text)
    chmodSync(path, 0o600)
    if (serverUser.uid !== undefined && serverUser.gid !== undefined) chownSync(path, serverUser.uid, serverUser.gid)
  }
  writeFileSync(authorities, authority.certificate)
  writeFileSync(others, createAuthority('Another').certificate)
  port = await freePort()
  await restart(['ssl=on'])
})

afterAll(() => removeServerFolder(folder))

async function restart(settings: readonly string[]): Promise<void> {
  await stopPostgres(folder)
  await startPostgres(folder, ['listen_addresses=127.0.0.1', `port=${port}`, ...settings])
}

const address = (host: string, query: string, secret = password) =>
  readDatabaseUrl(`postgres://postgres:${secret}@${host}:${port}/postgres?${query}`)

const use = { name: 'claviger (schema 0)', statementMsMax: 7_000 }

/** The error that is thrown, with all that it shows. */
async function refusalOf(connecting: Promise<unknown>): Promise<string> {
  try {
    await connecting
  } catch (error) {
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password)
    return error instanceof Error ? error.message : ''
  }
  return expect.fail('it was not refused')
}

const openCount = async () => {
  const [row] = await queryPostgres(
    `postgres://postgres@/postgres?host=${folder}&port=${port}`,
    `select count(*) from pg_stat_activity where application_name like 'claviger (%'`,
  )
  return row?.count
}

test('TLS verifies the authority and the name, and no refusal shows the password or leaves a connection', async () => {
  for (const [host, query] of [
    ['localhost', `sslmode=verify-full&sslrootcert=${authorities}`],
    ['localhost', `sslmode=verify-ca&sslrootcert=${authorities}`],
    ['127.0.0.1', `sslmode=verify-ca&sslrootcert=${authorities}`],
    ['127.0.0.1', 'sslmode=disable'],
  ] as const) {
    const connection = await connect(address(host, query), use)
    const { rows } = await connection.client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
    expect([host, query, rows]).toEqual([host, query, [{ ssl: query !== 'sslmode=disable' }]])
    await connection.close()
  }
  const refused = [
    [address('127.0.0.1', `sslmode=verify-full&sslrootcert=${authorities}`), "IP: 127.0.0.1 is not in the cert's list"],
    [address('localhost', `sslmode=verify-full&sslrootcert=${others}`), 'unable to verify the first certificate'],
    [address('localhost', `sslmode=verify-ca&sslrootcert=${others}`), 'unable to verify the first certificate'],
    [address('localhost', 'sslmode=verify-full'), 'unable to verify the first certificate'],
    [address('localhost', 'sslmode=disable', `${password}x`), 'password authentication failed for user "postgres"'],
    [address('localhost', 'sslmode=disable', ''), 'client password must be a non-empty string'],
  ] as const
  for (const [to, message] of refused) {
    expect(await refusalOf(openPostgresStore(to))).toContain(message)
  }
  await expect.poll(openCount).toBe(0)
})

test('a certificate for an address of the network is verified by that address', async () => {
  const { cert, key } = authority.issue({ hosts: ['127.0.0.1'] })
  const own = readFileSync(join(folder, 'data/server.crt'))
  const ownKey = readFileSync(join(folder, 'data/server.key'))
  writeFileSync(join(folder, 'data/server.crt'), cert)
  writeFileSync(join(folder, 'data/server.key'), key)
  await queryPostgres(`postgres://postgres@/postgres?host=${folder}&port=${port}`, 'select pg_reload_conf()')
  const byAddress = address('127.0.0.1', `sslmode=verify-full&sslrootcert=${authorities}`)
  const isConnected = async () => {
    const connection = await connect(byAddress, use).catch(() => undefined)
    await connection?.close()
    return connection !== undefined
  }
  await expect.poll(isConnected).toBe(true)
  const byName = address('localhost', `sslmode=verify-full&sslrootcert=${authorities}`)
  expect(await refusalOf(connect(byName, use))).toContain("Host: localhost. is not cert's CN: 127.0.0.1")
  writeFileSync(join(folder, 'data/server.crt'), own)
  writeFileSync(join(folder, 'data/server.key'), ownKey)
})

test('the store does not show the password', async () => {
  const store = await openPostgresStore(address('127.0.0.1', 'sslmode=disable'))
  const connection = await connect(address('127.0.0.1', 'sslmode=disable'), use)
  expect(inspect([store, connection], { depth: 20, showHidden: false })).not.toContain(password)
  await Promise.all([store.close(), connection.close()])
})

test('a server that would forget, takes no writes or has another encoding is refused by name', async () => {
  const here = (database = 'postgres') =>
    readDatabaseUrl(`postgres://postgres@/${database}?host=${folder}&port=${port}`)
  const url = `postgres://postgres@/postgres?host=${folder}&port=${port}`
  await queryPostgres(url, `create database bytes encoding 'SQL_ASCII' template template0`)
  expect(await refusalOf(openPostgresStore(here('bytes')))).toContain('its encoding is SQL_ASCII')
  await queryPostgres(url, 'alter database bytes set default_transaction_read_only = on')
  expect(await refusalOf(openPostgresStore(here('bytes')))).toContain('it takes no writes')
  expect(await refusalOf(openPostgresStore(here('absent')))).toContain('database "absent" does not exist')
  await expect.poll(openCount).toBe(0)

  await restart(['fsync=off'])
  expect(await refusalOf(openPostgresStore(here()))).toContain('it forgets what it acknowledged')
  await expect.poll(openCount).toBe(0)

  await stopPostgres(folder)
  const signal = join(folder, 'data/standby.signal')
  writeFileSync(signal, '')
  await startPostgres(folder, [`port=${port}`])
  expect(await refusalOf(openPostgresStore(here()))).toContain('it is a standby')
  await expect.poll(openCount).toBe(0)
})

test('what was added to the tables is named, and a newer schema refused; nothing stays open', async () => {
  const { url, query, open } = await temporaryPostgres()
  const store = await open()
  await store.close()
  const additions = [
    ['create function f() returns trigger language plpgsql as $$begin return new; end$$'],
    [
      'create trigger careless before insert on records for each row execute function f()',
      'trigger careless on records',
    ],
    ['create rule forgetful as on delete to activities do instead nothing', 'rule forgetful on activities'],
    ['alter table organizations enable row level security', 'row security on organizations'],
    ['alter table outbox add constraint strict foreign key (organization_id) references organizations', 'foreign key'],
  ] as const
  for (const [statement] of additions) await query(statement)
  const refusal = await openPostgresStore(readDatabaseUrl(url)).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(SchemaError)
  for (const [, name = ''] of additions) expect(String(refusal)).toContain(name)
  const removals = [
    'drop trigger careless on records',
    'drop rule forgetful on activities',
    'alter table organizations disable row level security',
    'alter table outbox drop constraint strict',
  ]
  for (const statement of removals) await query(statement)
  await query(`insert into migrations (number, name) values (99, 'later')`)
  await expect(openPostgresStore(readDatabaseUrl(url))).rejects.toThrow('the database has schema 99')
  const ofStore = `from pg_stat_activity where datname = current_database() and application_name like 'claviger (%'`
  await expect.poll(async () => (await query(`select pid ${ofStore}`)).length).toBe(0)
})

test('a trigger is found on every table, also on those of later migrations', async () => {
  const { url, query, open } = await temporaryPostgres()
  await (await open()).close()
  const tables = await query('select tablename as name from pg_tables where schemaname = current_schema()')
  expect(tables.length).toBeGreaterThan(5)
  await query('create function f() returns trigger language plpgsql as $$begin return new; end$$')
  for (const { name } of tables) {
    await query(`create trigger careless before insert on ${name} for each row execute function f()`)
  }
  const refusal = await openPostgresStore(readDatabaseUrl(url)).catch((error: unknown) => error)
  for (const { name } of tables) expect(String(refusal)).toContain(`trigger careless on ${name}`)
})
