import type { Presented } from '../../link/verbs.ts'
import { type Read, readKey } from '../../protocol/reads.ts'
import { digestOf } from '../../protocol/tools/digest.ts'
import type { Recalled } from '../state/evidence.ts'
import type { OrganizationCache } from '../state/open_head.ts'

/**
 * Signatures of one key read the same few rows again and again. The vault keeps the rows that were presented for one
 * signature and recalls them for the next. The service then looks up nothing and sends only the request. A recalled row
 * is verified like a presented row. The read set names its exact bytes, so nothing is committed if the database has a
 * different row. A refusal could be out of date, so the service does not trust a refusal that was made from memory.
 */

/** The estimated size of a cached row with its key and without its sealed bytes, in bytes. It bounds the cache. */
const rowBytes = 500
/**
 * Larger rows are not kept. Accounts and keys are far smaller. Larger records are configuration, which is cached
 * parsed.
 */
const sealedBytesMax = 16_384

/** Keeps the rows that were presented for a signature: its caller, its key and the records that rules asked for. */
export function keepForRecall({ rows }: OrganizationCache, presented: readonly Presented[]): void {
  for (const { read, found } of presented) {
    if (read.read === 'lookup' && found.read === 'lookup') {
      const { organizationId, lookup, key } = read
      const entry = { of: 'lookup', organizationId, lookup, key, rows: found.rows } as const
      rows.set(readKey(read), { found, entry }, (found.rows.length + 1) * rowBytes)
    }
    if (read.read === 'record' && found.read === 'record' && found.row !== undefined) {
      if (found.row.sealed.length > sealedBytesMax) continue
      const { organizationId, kind, recordId } = read
      const { version } = found.row
      const sealed = Uint8Array.from(found.row.sealed) // A copy: a view would keep the whole request in memory.
      const entry = { of: 'record', organizationId, kind, recordId, version, digest: digestOf(sealed) } as const
      const row = { recordId: found.row.recordId, version, sealed }
      rows.set(readKey(read), { found: { read: 'record', row }, entry }, sealed.length + rowBytes)
    }
  }
}

/**
 * Returns the remembered answer to a read, or undefined if there is none. A head or a request has no read set entry
 * here: the code that reads them relies on them.
 */
export function recall({ heads, rows }: OrganizationCache, read: Read): Recalled | undefined {
  switch (read.read) {
    case 'headTag': {
      const known = heads.get(read.organizationId)
      if (known === undefined) return undefined
      const { tag, head } = known
      return { found: { read: 'headTag', row: { version: head.version, tag } }, entry: undefined }
    }
    case 'request':
      // The request is taken to be new. If it is not, the vault remembers it or the commit fails.
      return { found: { read: 'request', row: undefined }, entry: undefined }
    case 'lookup':
    case 'record':
      return rows.get(readKey(read))
    default:
      return undefined
  }
}
