import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Makes the SHA-256 over every row of every table of a server's database. It is equal when nothing has changed. */
export function openDatabaseDigest({ folder }: { readonly folder: string }) {
  const database = new DatabaseSync(join(folder, 'claviger.db'), { readOnly: true })
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
