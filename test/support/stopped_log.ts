import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { decodeLogEntry, type LogEntry } from '../../src/protocol/log/log_entry.ts'
import { readEntries, tileWidth } from '../../src/protocol/log/tree/tiles.ts'
import type { Store } from '../../src/service/store/store.ts'
import { keyFileUnsealer } from '../../src/vault/keys/unsealer.ts'
import { createOpening } from '../../src/vault/process/open_vault.ts'

export type StoppedLog = {
  readonly logId: string
  /** The entries as they are, and what they say. */
  readonly bytes: readonly Uint8Array[]
  readonly entries: readonly LogEntry[]
}

/** Reads the whole log of a node that has stopped: what its database has of it, and the rest from its journal. */
export async function stoppedLogOf(
  folder: string,
  store: Pick<Store, 'vaultState' | 'logBundle'>,
): Promise<StoppedLog> {
  const unsealer = keyFileUnsealer({ path: join(folder, 'vault', 'root.key'), create: false })
  const open = createOpening({
    ...{ unsealer, journalDirectory: join(folder, 'mark'), nowMs: Date.now },
    randomBytes: (size) => new Uint8Array(randomBytes(size)),
    log: { warn() {} },
    onSuperseded() {},
  })
  const opened = await open(await store.vaultState())
  if (opened.kind !== 'opened') throw new Error('the database has no vault state')
  const { origin, kept } = opened.books.transparency
  const logId = origin().slice(origin().lastIndexOf('/') + 1)
  const bytes: Uint8Array[] = []
  for (let number = 0; bytes.length < kept().from; number += 1) {
    const bundle = readEntries((await store.logBundle({ logId, number })) ?? Buffer.of(), { width: tileWidth })
    if (bundle.kind === 'malformed') throw new Error(`bundle ${number}: ${bundle.reason}`)
    bytes.push(...bundle.value)
  }
  bytes.push(...kept().entries)
  await opened.books.close()
  return { logId, bytes, entries: bytes.map(entryIn) }
}

function entryIn(bytes: Uint8Array): LogEntry {
  const entry = decodeLogEntry(bytes)
  if (entry === undefined) throw new Error('an entry of the log cannot be read')
  return entry
}
