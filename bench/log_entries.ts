import { hash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLogBooks, signatureFact } from './log_books.ts'

/**
 * Measures the processor time of an entry of the transparency log, all threads together: the digest of a
 * document, the entry, the tree, the unsynced file and the synced frame.
 *
 *     node bench/log_entries.ts [entries]
 */
const entries = Number(process.argv[2] ?? 60_000)
const warmUp = 3_000
const document = randomBytes(2_500)
const organizations = Array.from({ length: 100 }, () => randomUUID())
const directory = mkdtempSync(join(tmpdir(), 'claviger-log-'))

const books = await openLogBooks(directory)
const factOf = (number: number) =>
  signatureFact(organizations[number % organizations.length] ?? '', hash('sha256', document, 'hex'))

try {
  for (const atOnce of [1, 16, 64]) {
    for (let number = 0; number < warmUp; number += 1) await books.enter([factOf(number)])
    const before = process.cpuUsage()
    for (let number = 0; number < entries; number += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_, at) => books.enter([factOf(number + at)])))
    }
    const { user, system } = process.cpuUsage(before)
    console.log(`${atOnce} at once: ${((user + system) / entries).toFixed(1)} µs of processor time for each entry`)
  }
} finally {
  await books.close()
  rmSync(directory, { recursive: true })
}
