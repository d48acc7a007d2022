import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeLogEntry, type LogEntry } from '../../src/protocol/log/log_entry.ts'
import { openVaultState } from '../../src/vault/keys/master_seed.ts'
import { createSeals } from '../../src/vault/keys/seal.ts'
import { keyFileUnsealer } from '../../src/vault/keys/unsealer.ts'
import { openTestBooks } from './books.ts'
import { openStoreIn } from './server_database.ts'

/** The entries of the transparency log that the journal of a stopped server keeps, and their bytes. */
export async function loggedEntries(
  folder: string,
): Promise<readonly { readonly entry: LogEntry; readonly bytes: Uint8Array }[]> {
  const store = await openStoreIn(folder)
  const state = await store.vaultState()
  await store.close()
  const unsealer = keyFileUnsealer({ path: join(folder, 'vault', 'root.key'), create: false })
  const masterSeeds = await openVaultState(unsealer, state ?? new Uint8Array())
  const seals = createSeals({ masterSeeds, randomBytes: (size) => new Uint8Array(size) })
  const copy = mkdtempSync(join(tmpdir(), 'claviger-journal-'))
  cpSync(join(folder, 'mark'), copy, { recursive: true })
  const books = await openTestBooks(copy, { key: seals.journalKey() })
  const { entries } = books.transparency.kept()
  await books.close()
  return entries.map((bytes) => {
    const entry = decodeLogEntry(bytes)
    if (entry === undefined) throw new Error('an entry cannot be read')
    return { entry, bytes }
  })
}
