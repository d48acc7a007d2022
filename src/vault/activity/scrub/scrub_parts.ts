import type { Books } from '../../books/books.ts'
import type { Seals } from '../../keys/seal.ts'

/** The parts of an unsealed vault that compare its log with the database. */
export type ScrubParts = {
  readonly books: Pick<Books, 'journalId' | 'logId' | 'newest' | 'isLost' | 'enter' | 'transparency'>
  readonly seals: Seals
  readonly randomBytes: (size: number) => Uint8Array
  readonly nowMs: () => number
  /** When the books were opened: no decision from before can be entered any more. */
  readonly openedMs: number
}

/** The findings of a pass so far. */
export type Tally = {
  entries: number
  late: number
  unconfirmed: number
  restored: number
  tell: (incident: string) => void
}
