/** A database of its own for each test, on a server that the whole run shares. */

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { readDatabaseUrl } from '../../../src/service/store/postgres/database_address.ts'
import { getTypeParser } from '../../../src/service/store/postgres/type_parsers.ts'
import { killPostgres, makePostgres } from './server.ts'

const variable = 'CLAVIGER_TEST_POSTGRES'

/** Called before all tests. Nothing starts before the first test that needs a server. Returns what ends it. */
export function planPostgres(): () => void {
  // Not in the folder of the other tests: another user must reach it, and a socket's path is short.
  const folder = mkdtempSync('/tmp/claviger-postgres-')
  process.env[variable] = folder
  return () => {
    killPostgres(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Makes an empty database and returns its address. It is dropped after the test. */
export async function temporaryDatabase(): Promise<string> {
  const folder = await runningServer()
  const urlOf = (database: string) => `postgres://postgres@/${database}?host=${folder}`
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await queryPostgres(urlOf('postgres'), `create database ${name}`)
  onTestFinished(async () => {
    await queryPostgres(urlOf('postgres'), `drop database ${name} with (force)`)
  })
  return urlOf(name)
}

/** Executes a statement on a connection of its own. Numbers come as numbers. */
export async function queryPostgres(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { hosts, database } = readDatabaseUrl(url)
  const [{ name: host, port } = { name: '', port: 0 }] = hosts
  const client = new pg.Client({ host, port, user: 'postgres', database, types: { getTypeParser } })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** The first process that needs the server starts it, and the others wait for it. */
async function runningServer(): Promise<string> {
  const folder = process.env[variable]
  if (folder === undefined) throw new Error(`${variable} is not set: the tests run without their global setup`)
  const ready = join(folder, 'ready')
  if (existsSync(ready)) return folder
  if (isFirst(join(folder, 'starting'))) {
    await makePostgres(folder)
    writeFileSync(ready, '')
  }
  while (!existsSync(ready)) await setTimeout(20)
  return folder
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}
