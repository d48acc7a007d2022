import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isOnPostgres, sqliteFile, tablesOf, withStatements } from './server_database.ts'

/** Makes the SHA-256 over every row of every table of a server's database. It is equal when nothing has changed. */
export function openDatabaseDigest({ folder }: { readonly folder: string }) {
  if (isOnPostgres) return postgresDigest(folder)
  const database = new DatabaseSync(join(folder, sqliteFile), { readOnly: true })
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all()
  const statements = tables.map(({ name }) => ({ name, rows: database.prepare(`select * from "${name}"`) }))

  /** Another number after each commit of another connection. */
  const version = database.prepare('pragma data_version')
  let known = { version: -1, digest: '' }

  return {
    /** Reads the rows only when something was committed since the last time. */
    read(): string {
      const now = Number(version.get()?.data_version)
      if (now !== known.version) known = { version: now, digest: digest() }
      return known.digest
    },
    close: () => database.close(),
  }

  function digest(): string {
    const hash = createHash('sha256')
    for (const { name, rows } of statements) {
      hash.update(`\n${name}`)
      for (const row of rows.iterate()) {
        for (const value of Object.values(row)) {
          hash.update(value instanceof Uint8Array ? value : `${typeof value} ${value}`).update('\0')
        }
      }
    }
    return hash.digest('hex')
  }
}

/** The server of PostgreSQL makes the digest, of the texts of all rows. */
function postgresDigest(folder: string) {
  const digests = withStatements(folder, tablesOf).map(
    (name) => `(select string_agg(t::text, '\n' order by t::text) from ${name} t)`,
  )
  const text = `select encode(sha256(convert_to(concat_ws('\n\n', ${digests.join(', ')}), 'UTF8')), 'hex') as digest`
  return {
    read: () => withStatements(folder, (execute) => String(execute(text).rows[0]?.digest)),
    close() {},
  }
}
