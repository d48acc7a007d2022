import { hash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SecretBytes } from '../src/protocol/crypto/secret_bytes.ts'
import type { LoggedFact } from '../src/protocol/log/log_entry.ts'
import { openBooks } from '../src/vault/books/open_books.ts'

/**
 * Measures the processor time of an entry of the transparency log, all threads together: the digest of a sealed
 * signature, the entry, the tree, the unsynced file and the synced frame.
 *
 *     node bench/log_entries.ts [entries]
 */
const entries = Number(process.argv[2] ?? 60_000)
const warmUp = 3_000
const sealed = randomBytes(2_500)
const organizations = Array.from({ length: 100 }, () => randomUUID())
const directory = mkdtempSync(join(tmpdir(), 'claviger-log-'))

const books = await openBooks({
  directory,
  key: new SecretBytes(new Uint8Array(32).fill(1)),
  clock: { nowMs: Date.now },
  randomBytes: (size) => new Uint8Array(randomBytes(size)),
  onSuperseded: () => {},
  log: { warn: () => {} },
})

function factOf(number: number): LoggedFact {
  const organizationId = organizations[number % organizations.length] ?? ''
  return {
    ...{ atMs: Date.now(), organizationId, changeKey: '0d'.repeat(16), makes: undefined },
    restsOn: { version: 7, tag: '0c'.repeat(16) },
    activity: {
      ...{ activityId: organizationId, version: 1, status: 'ACTIVITY_STATUS_COMPLETED' },
      ...{ type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', documentDigest: hash('sha256', sealed, 'hex') },
    },
  }
}

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
