/**
 * The database of a server that a test starts. It is a file in the server's folder, or with
 * `CLAVIGER_TEST_DATABASE=postgres` a database of PostgreSQL, whose address is in a file of the folder.
 */

import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished, TestRunner } from 'vitest'
import { readDatabaseUrl } from '../../src/service/store/postgres/database_address.ts'
import { openPostgresStore } from '../../src/service/store/postgres/postgres_store.ts'
import { openSqliteStore } from '../../src/service/store/sqlite/sqlite_store.ts'
import type { Store } from '../../src/service/store/store.ts'
import { atOnce } from './postgres/at_once.ts'

export const isOnPostgres = process.env.CLAVIGER_TEST_DATABASE === 'postgres'

const addressFile = 'database.url'
export const sqliteFile = 'claviger.db'

/** Opens the database of a folder, and makes it if there is none. */
export function openStoreIn(folder: string): Promise<Store> {
  return isOnPostgres
    ? openPostgresStore(readDatabaseUrl(databaseUrlIn(folder)))
    : openSqliteStore({ path: join(folder, sqliteFile) })
}

/** The address of a folder's database of PostgreSQL, which is made if there is none, and dropped after the test. */
export function databaseUrlIn(folder: string): string {
  const file = join(folder, addressFile)
  if (!existsSync(file)) writeAddress(folder, droppedAfterTest(atOnce('makeMigratedDatabase')))
  return readFileSync(file, 'utf8')
}

/** Makes the database of a folder that tests copy: it outlives the test that is first. */
export function makeLastingDatabase(folder: string): void {
  if (isOnPostgres) writeAddress(folder, atOnce('makeMigratedDatabase'))
}

/** The settings with which a server on this folder uses its database. */
export function databaseEnvironment(folder: string): Readonly<Record<string, string>> {
  return isOnPostgres ? { CLAVIGER_DATABASE_URL: databaseUrlIn(folder) } : {}
}

function writeAddress(folder: string, url: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, addressFile), url)
}

/** Copies a folder with its database. The server there does not run. */
export function copyServerFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  if (isOnPostgres) writeAddress(to, droppedAfterTest(atOnce('copyUnusedDatabase', databaseUrlIn(from))))
}

/** Copies the database of a folder, of which a server may run, into another folder in place of what is there. On
 * PostgreSQL the copy is dropped after the test, unless it lasts. */
export function copyDatabaseIn(from: string, to: string, { lasts = false } = {}): void {
  if (isOnPostgres) {
    const url = atOnce('copyDatabase', databaseUrlIn(from))
    writeAddress(to, lasts ? url : droppedAfterTest(url))
    return
  }
  mkdirSync(to, { recursive: true })
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(to, sqliteFile + suffix), { force: true })
  for (const suffix of ['', '-wal']) {
    const file = join(from, sqliteFile + suffix)
    if (existsSync(file)) cpSync(file, join(to, sqliteFile + suffix))
  }
}

export type Value = string | number | Uint8Array | null
/** Executes a statement, in which each `?` stands for a value. */
export type Execute = (
  text: string,
  values?: readonly Value[],
) => { readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly changed: number }

/** Runs `use` with a way to execute statements on a folder's database, past every store. */
export function withStatements<T>(folder: string, use: (execute: Execute) => T): T {
  if (isOnPostgres) {
    const url = databaseUrlIn(folder)
    return use((text, values = []) => {
      let place = 0
      return atOnce(
        'runOnPostgres',
        url,
        text.replaceAll('?', () => `$${++place}`),
        values,
      )
    })
  }
  using database = new DatabaseSync(join(folder, sqliteFile), { timeout: 5_000 })
  return use((text, values = []) => {
    const statement = database.prepare(text)
    if (statement.columns().length > 0) return { rows: statement.all(...values), changed: 0 }
    return { rows: [], changed: Number(statement.run(...values).changes) }
  })
}

/** All that a folder's database holds, one character for a byte. */
export function databaseText(folder: string): string {
  if (!isOnPostgres) {
    const files = globSync(join(folder, `${sqliteFile}*`)).filter((path) => existsSync(path))
    return files.map((path) => readFileSync(path, 'latin1')).join('\n')
  }
  return withStatements(folder, (execute) => {
    const values = tablesOf(execute).flatMap((table) => execute(`select * from ${table}`).rows.flatMap(Object.values))
    return values
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value))
      .join('\n')
  })
}

/** The tables of a database of PostgreSQL. */
export function tablesOf(execute: Execute): readonly string[] {
  const { rows } = execute(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname",
  )
  return rows.map(({ name }) => String(name))
}

/** A database that was made outside of a test stays until the server of all tests ends. */
function droppedAfterTest(url: string): string {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => atOnce('dropDatabase', url))
  return url
}
