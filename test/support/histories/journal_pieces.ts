import type { BookedHead } from '../../../src/vault/books/booked_head.ts'
import { decodeHead, readEntries } from '../../../src/vault/books/entries.ts'
import { decodeFrontier, decodeLogged, logKinds } from '../../../src/vault/books/transparency/journal_entries.ts'

export type JournalPiece =
  | { readonly of: 'entry'; readonly index: number; readonly entry: Buffer }
  | { readonly of: 'forgotten'; readonly size: number }
  | { readonly of: 'head'; readonly head: BookedHead }
  | { readonly of: 'journal'; readonly journalId: string }

/** The part of a payload of the journal that the log is about. */
export function journalPieces(payload: Uint8Array): JournalPiece[] {
  const pieces: JournalPiece[] = []
  const bytesOf = ({ bytes, start, end }: { bytes: Buffer; start: number; end: number }) => bytes.subarray(start, end)
  readEntries(payload, {
    head: (piece) => pieces.push({ of: 'head', head: decodeHead(bytesOf(piece)).head }),
    began: ({ journalId }) => pieces.push({ of: 'journal', journalId }),
    log(piece) {
      const bytes = bytesOf(piece)
      if (bytes[0] === logKinds.logged) pieces.push({ of: 'entry', ...decodeLogged(bytes) })
      if (bytes[0] === logKinds.frontier) pieces.push({ of: 'forgotten', size: decodeFrontier(bytes).size })
    },
    count() {},
    forget() {},
    keys() {},
  })
  return pieces
}
