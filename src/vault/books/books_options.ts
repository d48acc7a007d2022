import type { Log } from '../../link/vault_log.ts'
import type { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import type { openJournal } from './journal/journal.ts'
import type { BundleCopies } from './transparency/bundle_copies.ts'

export type BooksOptions = {
  readonly directory: string
  /** The key that authenticates the journal: 32 bytes, kept until `close`. */
  readonly key: SecretBytes
  readonly clock: { readonly nowMs: () => number }
  readonly randomBytes: (size: number) => Uint8Array
  /** The host in the origin of a transparency log that begins. If absent, `localhost`. */
  readonly logHost?: string | undefined
  /** How much of the transparency log waits for the database, in MB, before decisions are refused. If absent, any. */
  readonly logWaitingMbMax?: number | undefined
  readonly onSuperseded: () => void
  readonly log: Pick<Log, 'warn'>
  /** If absent, the journal uses its own default. */
  readonly segmentBytes?: number
  /** If absent, the journal is on disk. */
  readonly openJournal?: typeof openJournal
  /** If absent, copies of bundles are files beside the journal. */
  readonly copies?: BundleCopies | undefined
  /** The sizes in which memory is allocated. The defaults suit millions of heads and changes. */
  readonly portions?: { readonly headBytes: number; readonly keys: number }
}
