import type { BundleCopies } from '../../../src/vault/books/transparency/bundle_copies.ts'

/** A history that a seed repeats waits for no disk. */
export const noCopies: BundleCopies = { keep: async () => {}, read: async () => undefined }
