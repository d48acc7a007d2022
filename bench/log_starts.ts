import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tileWidth, writeEntries } from '../src/protocol/log/tree/tiles.ts'
import { uuidOf } from '../src/protocol/wire/identifiers.ts'
import { openLogBooks, signatureFact } from './log_books.ts'

/**
 * Measures a start of the vault's books with a long transparency log, and the bytes that its journal takes on disk. The
 * database has all whole bundles, so the journal has forgotten them. Half of the signatures are said to be on disk.
 *
 *     node bench/log_starts.ts [entries] [organizations]
 */
const entries = Number(process.argv[2] ?? 10_000_000)
const organizations = Number(process.argv[3] ?? 100_000)
const directory = mkdtempSync(join(tmpdir(), 'claviger-log-starts-'))
const mebibyte = 1024 * 1024

const open = () => openLogBooks(directory, { copies: { keep: async () => {}, read: async () => undefined } })
const factOf = (number: number) => signatureFact(uuidOf(hash('md5', String(number % organizations))), '0a'.repeat(32))

function journalBytes(): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}

try {
  const books = await open()
  let logged = 0
  for (let from = 0; from < entries; from += tileWidth) {
    const facts = Array.from({ length: tileWidth }, (_, at) => factOf(from + at))
    const first = (await books.enter(facts)) ?? 0
    const written = facts.map(
      (_, at) => ({ of: 'written', changeKey: '', index: first + at, isChange: false }) as const,
    )
    books.noteWritten(written.filter(({ index }) => index % 2 === 0))
    const { entries: kept } = books.transparency.kept()
    const bundle = writeEntries(kept.slice(0, tileWidth))
    logged += bundle.length
    books.transparency.forget(bundle)
  }
  await books.close()
  console.log(`${(logged / entries).toFixed(0)} bytes for each entry in the bundles of the database`)
  console.log(
    `journal of ${entries} entries, ${organizations} organizations: ${(journalBytes() / mebibyte).toFixed(1)} MiB`,
  )
  for (let start = 0; start < 3; start += 1) {
    const [startedMs, before] = [performance.now(), process.cpuUsage()]
    const opened = await open()
    const { user, system } = process.cpuUsage(before)
    const seconds = (performance.now() - startedMs) / 1_000
    const rss = (process.memoryUsage().rss / mebibyte).toFixed(0)
    console.log(
      `a start: ${seconds.toFixed(2)} s, ${((user + system) / 1e6).toFixed(2)} s of processor time, ${rss} MiB`,
    )
    await opened.close()
  }
} finally {
  rmSync(directory, { recursive: true })
}
