import { randomBytes } from 'node:crypto'
import { SecretBytes } from '../src/protocol/crypto/secret_bytes.ts'
import type { LoggedFact } from '../src/protocol/log/log_entry.ts'
import { openBooks } from '../src/vault/books/open_books.ts'

export const bytesOf = (size: number) => new Uint8Array(randomBytes(size))

/** Opens the books of a vault whose database is none. */
export function openLogBooks(directory: string, options: Partial<Parameters<typeof openBooks>[0]> = {}) {
  return openBooks({
    directory,
    key: new SecretBytes(new Uint8Array(32).fill(1)),
    clock: { nowMs: Date.now },
    randomBytes: bytesOf,
    onSuperseded: () => {},
    log: { warn: () => {} },
    ...options,
  })
}

/** What the log tells of a signature, as large as it is in use. */
export function signatureFact(organizationId: string, documentDigest: string): LoggedFact {
  return {
    ...{ atMs: Date.now(), organizationId, changeKey: '0d'.repeat(16), makes: undefined },
    restsOn: { version: 7, tag: '0c'.repeat(16) },
    activity: {
      ...{ activityId: organizationId, version: 1, status: 'ACTIVITY_STATUS_COMPLETED' },
      ...{ type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', documentDigest },
    },
  }
}
