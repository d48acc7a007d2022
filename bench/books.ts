import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SecretBytes } from '../src/protocol/crypto/secret_bytes.ts'
import type { BookedHead } from '../src/vault/books/booked_head.ts'
import { openBooks } from '../src/vault/books/open_books.ts'

/**
 * Measures how long the vault's books take to open with the newest heads of many organizations:
 *
 *     node bench/books.ts [organizations]
 */
const organizations = Number(process.argv[2] ?? 1_000_000)
const headsInARow = 1_000
const key = new SecretBytes(new Uint8Array(32).fill(1))
const directory = mkdtempSync(join(tmpdir(), 'claviger-books-'))
/** The changes are old, as nearly all are when a vault starts. */
const longAgoMs = Date.now() - 24 * 60 * 60 * 1000

function open(nowMs: () => number) {
  return openBooks({
    directory,
    key,
    clock: { nowMs },
    randomBytes: (size) => new Uint8Array(randomBytes(size)),
    onSuperseded: () => {},
    log: { warn: () => {} },
  })
}

try {
  const books = await open(() => longAgoMs)
  const hex = () => randomBytes(16).toString('hex')
  for (let index = 0; index < organizations; index += 1) {
    const below = new Map([[books.journalId(), { version: 1, tag: hex(), changeKey: hex() }]])
    const head: BookedHead = { version: 2, tag: hex(), maker: books.journalId(), changeKey: hex(), below }
    books.take(crypto.randomUUID(), head)
    if (index % headsInARow === 0) await books.sync()
  }
  await books.sync()
  await books.close()
  const startMs = performance.now()
  const again = await open(Date.now)
  const took = performance.now() - startMs
  const count = [...again.organizations()].length
  console.log(`${count} organizations: opened in ${Math.round(took)} ms`)
  await again.close()
} finally {
  rmSync(directory, { recursive: true, force: true })
}
