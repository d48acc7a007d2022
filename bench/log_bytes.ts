import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeLogEntry } from '../src/protocol/log/encode_entry.ts'
import { tileWidth, writeEntries } from '../src/protocol/log/tree/tiles.ts'
import { openSqliteStore } from '../src/service/store/sqlite/sqlite_store.ts'
import { indexRowsOf } from '../src/service/transparency/log_index.ts'
import { signatureFact } from './log_books.ts'

/**
 * Measures the bytes of an entry of the transparency log in a database of SQLite, with its bundle and the index of
 * organizations: of one organization, and each of another, for which the index is largest.
 *
 *     node bench/log_bytes.ts [bundles]
 */
const bundles = Number(process.argv[2] ?? 400)
const directory = mkdtempSync(join(tmpdir(), 'claviger-log-bytes-'))
const one = randomUUID()

async function bytesOf(name: string, organizationOf: () => string): Promise<number> {
  const path = join(directory, `${name}.db`)
  const store = await openSqliteStore({ path })
  const logId = randomBytes(16).toString('hex')
  for (let number = 0; number < bundles; number += 1) {
    const entries = Array.from({ length: tileWidth }, (_, at) =>
      encodeLogEntry({
        ...signatureFact(organizationOf(), randomBytes(32).toString('hex')),
        ...{ changeKey: randomBytes(16).toString('hex'), number: number * tileWidth + at + 1, before: undefined },
      }),
    )
    const bundle = { number, root: randomBytes(32), entries: writeEntries(entries) }
    await store.keepLog({ logId, log: undefined, bundles: [bundle] })
    await store.indexBundle({ logId, number, rows: indexRowsOf(number, entries) })
  }
  await store.close()
  using database = new DatabaseSync(path)
  const sizes = "select sum(pgsize) as bytes from dbstat where name in ('log_bundles', 'log_index')"
  const { bytes } = database.prepare(sizes).get() ?? {}
  return Number(bytes) / (bundles * tileWidth)
}

try {
  console.log(`${(await bytesOf('one', () => one)).toFixed(0)} bytes for each entry, all of one organization`)
  console.log(`${(await bytesOf('many', randomUUID)).toFixed(0)} bytes for each entry, each of another organization`)
} finally {
  rmSync(directory, { recursive: true })
}
