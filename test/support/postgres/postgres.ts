/** A database of its own for each test, on a server that the whole run shares. */

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { basename, join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { readDatabaseUrl } from '../../../src/service/store/postgres/database_address.ts'
import { migrateDatabase } from '../../../src/service/store/postgres/migration/migrate_database.ts'
import type { Value } from '../../../src/service/store/postgres/statement.ts'
import { getTypeParser } from '../../../src/service/store/postgres/type_parsers.ts'
import { startOnce } from '../start_once.ts'
import { killPostgres, makePostgres } from './server.ts'

const variable = 'CLAVIGER_TEST_POSTGRES'

/** Where files are in memory, so that the server waits for no disk. It still syncs: the store refuses one that does not. */
const memoryFolder = '/dev/shm'
const memoryBytesMin = 4 * 2 ** 30

/** Called before all tests. Nothing starts before the first test that needs a server. Returns what ends it. */
export function planPostgres(): () => void {
  // Not in the folder of the other tests: another user must reach it, and a socket's path is short.
  const folder = mkdtempSync('/tmp/claviger-postgres-')
  process.env[variable] = folder
  return () => {
    killPostgres(folder)
    for (const path of [inMemory(folder), folder]) rmSync(path, { recursive: true, force: true, maxRetries: 10 })
  }
}

const inMemory = (folder: string) => join(memoryFolder, basename(folder))

function memoryFor(folder: string): string | undefined {
  if (!existsSync(memoryFolder)) return undefined
  const { bavail, bsize } = statfsSync(memoryFolder)
  if (bavail * bsize < memoryBytesMin) return undefined
  mkdirSync(inMemory(folder), { mode: 0o700 })
  return inMemory(folder)
}

/** Makes an empty database and returns its address. It is dropped after the test. */
export async function temporaryDatabase(): Promise<string> {
  const url = await makeDatabase('template1')
  onTestFinished(() => dropDatabase(url))
  return url
}

/** Makes a database with the tables of the store, and returns its address. */
export const makeMigratedDatabase = (): Promise<string> => makeDatabase(migrated)

const migrated = 'migrated'
const urlOf = (folder: string, database: string) => `postgres://postgres@/${database}?host=${folder}`

async function makeDatabase(template: string): Promise<string> {
  const folder = await runningServer()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // The other strategy writes each page of the template to the log: it takes four times as long here.
  const text = `create database ${name} template ${template} strategy file_copy`
  await administer(text)
  return urlOf(folder, name)
}

export async function dropDatabase(url: string): Promise<void> {
  await endKept(url)
  await administer(`drop database ${readDatabaseUrl(url).database} with (force)`)
}

let administrator: Promise<pg.Client> | undefined

/** Executes a statement on a connection that is kept: a server takes 15 ms of processor time for each new one. */
async function administer(text: string): Promise<void> {
  const url = urlOf(await runningServer(), 'postgres')
  administrator ??= keptConnection(url, () => {
    administrator = undefined
  })
  await (await administrator).query(text)
}

type QueryResult = { readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly changed: number }

/** Executes a statement on a connection of its own. Numbers come as numbers. */
export async function queryPostgres(url: string, text: string): Promise<QueryResult['rows']> {
  return onConnection(url, async (client) => (await execute(client, text)).rows)
}

let kept: { readonly url: string; readonly client: Promise<pg.Client> } | undefined

/** Executes a statement on a connection that is kept for the next one on the same database. */
export async function runOnPostgres(url: string, text: string, values?: readonly Value[]): Promise<QueryResult> {
  if (kept !== undefined && kept.url !== url) await endKept(kept.url)
  if (kept === undefined) {
    const connection = {
      url,
      client: keptConnection(url, () => {
        if (kept === connection) kept = undefined
      }),
    }
    kept = connection
  }
  return execute(await kept.client, text, values)
}

/** Calls `forget` when the connection is of no use, as after its database was dropped. */
async function keptConnection(url: string, forget: () => void): Promise<pg.Client> {
  try {
    const client = await connected(url)
    client.on('error', forget)
    return client
  } catch (error) {
    forget()
    throw error
  }
}

async function endKept(url: string): Promise<void> {
  if (kept?.url !== url) return
  const { client } = kept
  kept = undefined
  await (await client).end()
}

async function execute(client: pg.Client, text: string, values?: readonly Value[]): Promise<QueryResult> {
  const { rows, rowCount } = await client.query(text, values && [...values])
  return { rows, changed: rowCount ?? 0 }
}

/** Makes a database that is as another one, which no server uses. */
export async function copyUnusedDatabase(from: string): Promise<string> {
  await endKept(from)
  return makeDatabase(readDatabaseUrl(from).database)
}

/** Makes a database with the rows of another one, which may be in use. */
export async function copyDatabase(from: string): Promise<string> {
  const to = await makeMigratedDatabase()
  const tables = await onConnection(from, async (client) => {
    await client.query('begin isolation level repeatable read read only')
    const names = await client.query(
      "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migrations'",
    )
    const read = names.rows.map(async ({ name }) => ({
      name,
      rows: (await client.query(`select * from ${name}`)).rows,
    }))
    return Promise.all(read)
  })
  await onConnection(to, async (client) => {
    await client.query('begin')
    const inserted = tables.flatMap(({ name, rows }) =>
      rows.map((row) => {
        const columns = Object.keys(row)
        const places = columns.map((_, index) => `$${index + 1}`)
        const text = `insert into ${name} (${columns.join(', ')}) values (${places.join(', ')})`
        return client.query(text, Object.values(row))
      }),
    )
    await Promise.all(inserted)
    await client.query('commit')
  })
  return to
}

async function onConnection<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connected(url)
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

async function connected(url: string): Promise<pg.Client> {
  const { hosts, database } = readDatabaseUrl(url)
  const address = { host: hosts[0]?.name, port: hosts[0]?.port, user: 'postgres', database }
  const client = new pg.Client({ ...address, types: { getTypeParser }, pipeline: true })
  await client.connect()
  return client
}

async function runningServer(): Promise<string> {
  const folder = process.env[variable]
  if (folder === undefined) throw new Error(`${variable} is not set: the tests run without their global setup`)
  await startOnce(folder, async () => {
    await makePostgres(folder, memoryFor(folder))
    await queryPostgres(urlOf(folder, 'postgres'), `create database ${migrated}`)
    await migrateDatabase(readDatabaseUrl(urlOf(folder, migrated)), { extent: 'all' })
  })
  return folder
}
