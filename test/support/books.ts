import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SecretBytes } from '../../src/protocol/crypto/secret_bytes.ts'
import type { Books } from '../../src/vault/books/books.ts'
import type { BooksOptions } from '../../src/vault/books/books_options.ts'
import { openBooks } from '../../src/vault/books/open_books.ts'

export function newBooksFolder(): string {
  return mkdtempSync(join(tmpdir(), 'claviger-books-'))
}

/** Opens the books in a folder. The caller closes them. */
export function openTestBooks(
  directory: string,
  { nowMs = Date.now, ...options }: Partial<BooksOptions> & { readonly nowMs?: () => number } = {},
): Promise<Books & { readonly lastMs: number }> {
  return openBooks({
    directory,
    key: new SecretBytes(new Uint8Array(32).fill(7)),
    clock: { nowMs },
    randomBytes: (size) => new Uint8Array(randomBytes(size)),
    onSuperseded: () => {},
    log: { warn() {} },
    ...options,
  })
}
