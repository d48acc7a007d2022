import type { Presented } from '../../link/verbs.ts'
import { type Read, readKey } from '../../protocol/reads.ts'
import { digestOf } from '../../protocol/tools/digest.ts'
import type { Recalled } from './evidence.ts'
import type { OrganizationCache } from './organization.ts'

/**
 * Signatures of one key read the same few rows again and again. What the vault was presented for one of them it recalls
 * for the next: the service then looks up nothing and sends nothing but the request. What is recalled is verified like
 * what is presented, and the read set names it byte for byte, so nothing is committed where the database has another. A
 * refusal could be out of date, which is why the service does not believe one that was made from memory.
 */

/** Of a row without its sealed bytes, with its key: an estimate that bounds the cache. */
const rowBytes = 500
/** Accounts and keys are far smaller. What is larger is configuration, which the vault keeps parsed besides. */
const sealedBytesMax = 16_384

/** Keeps the rows that were presented for a signature: by which it found its caller, its key and what rules asked for. */
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
      const sealed = Uint8Array.from(found.row.sealed) // of its own, or it would keep its whole request alive
      const entry = { of: 'record', organizationId, kind, recordId, version, digest: digestOf(sealed) } as const
      const row = { recordId: found.row.recordId, version, sealed }
      rows.set(readKey(read), { found: { read: 'record', row }, entry }, sealed.length + rowBytes)
    }
  }
}

/** Undefined: not known here. The head and the request are relied on whoever asks for them. */
export function recall({ heads, rows }: OrganizationCache, read: Read): Recalled | undefined {
  switch (read.read) {
    case 'headTag': {
      const known = heads.get(read.organizationId)
      if (known === undefined) return undefined
      const { tag, head } = known
      return { found: { read: 'headTag', row: { version: head.version, tag } }, entry: undefined }
    }
    case 'request':
      // Taken to be new: where it is not, the vault remembers it or the commit fails.
      return { found: { read: 'request', row: undefined }, entry: undefined }
    case 'lookup':
    case 'record':
      return rows.get(readKey(read))
    default:
      return undefined
  }
}
