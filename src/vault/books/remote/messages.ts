import type { Amount } from '../../../policy/spending.ts'
import type { BookedHead, Comparison } from '../booked_head.ts'
import type { DecisionBooks, Leaving } from '../decision_books.ts'
import { type CountEntry, decodeHead, encodeCount, encodeHead, readEntries } from '../entries.ts'

/**
 * The questions of a vault to the books. Heads and counts are sent as entries of the journal. Both sides are processes
 * of the vault, on a socket pair that nobody else has, so messages are not checked member by member.
 */
export type BooksVerbs = {
  head(asked: { readonly organizationId: string }): Promise<ShownHead>
  take(asked: { readonly head: Uint8Array }): Promise<ShownHead & { readonly comparison: Comparison }>
  amounts(asked: { readonly name: string; readonly exceptKey: string | undefined }): Promise<ShownAmounts>
  /** Undefined: a count that was seen has moved. Else the new revisions of all counts. */
  count(asked: { readonly entries: Uint8Array; readonly seen: Revisions }): Promise<{ readonly revisions?: Revisions }>
  release(leaving: SentLeaving): ReturnType<DecisionBooks['release']>
  settle(asked: { readonly heads: readonly SentSettledHead[] }): ReturnType<DecisionBooks['settle']>
  lose(asked: { readonly tags: readonly string[] }): Promise<void>
  dismiss(asked: { readonly tags: readonly string[] }): Promise<void>
  sync(): Promise<void>
}

/** The news that the books tell a vault. The reply says that the vault uses nothing older from then on. */
export type BooksNews = {
  /** Nothing: asks whether the vault answers. */
  ready(news: undefined): Promise<void>
  /** The ids of the journal and its transparency log, and the latest time on the books. */
  opened(news: { readonly journalId: string; readonly logId: string; readonly lastMs: number }): Promise<void>
  /** Keys and tags that are on the books, 16 bytes each. */
  known(news: { readonly keys: Uint8Array }): Promise<void>
  lost(news: { readonly keys: Uint8Array }): Promise<void>
  /** The head is the newest now. */
  moved(news: { readonly head: Uint8Array }): Promise<void>
  /** The operator has accepted a restored database: no head is known any more. */
  forgotten(news: { readonly journalId: string }): Promise<void>
  /** The operator has made a link. */
  linked(news: {
    readonly linkId: string
    readonly organizationId: string
    readonly userId: string
    readonly publicKey: string
    readonly createdAtMs: number
  }): Promise<void>
  lifted(news: { readonly organizationId: string; readonly nowMs: number; readonly untilMs: number }): Promise<void>
}

export type ShownHead = { readonly newest?: Uint8Array | undefined; readonly isSynced: boolean }
export type ShownAmounts = {
  readonly revision: number
  readonly amounts: readonly { readonly atMs: number; readonly amount: string }[]
}
type Revisions = readonly (readonly [name: string, revision: number])[]
type SentLeaving = Pick<Leaving, 'heads' | 'made' | 'facts' | 'shown'> & {
  readonly seen: Revisions
  readonly counts: Uint8Array
}
type SentSettledHead = { readonly head: Uint8Array; readonly forgets: readonly string[] }

export function sentHead(organizationId: string, head: BookedHead): Uint8Array {
  return encodeHead({ organizationId, head, atMs: 0, mayBeNext: false })
}

export function receivedHead(bytes: Uint8Array): { readonly organizationId: string; readonly head: BookedHead } {
  return decodeHead(Buffer.from(bytes))
}

export function sentCounts(entries: readonly CountEntry[]): Uint8Array {
  return Buffer.concat(entries.map(encodeCount))
}

export function receivedCounts(bytes: Uint8Array): readonly CountEntry[] {
  const entries: CountEntry[] = []
  const refuse = () => {
    throw new Error('an entry that is no count')
  }
  const reader = { head: refuse, forget: refuse, began: refuse, keys: refuse, log: refuse }
  readEntries(bytes, { ...reader, count: (entry) => entries.push(entry) })
  return entries
}

export function sentAmounts(amounts: readonly Amount[]): ShownAmounts['amounts'] {
  return amounts.map(({ atMs, amount }) => ({ atMs, amount: amount.toString() }))
}

export function receivedAmounts(amounts: ShownAmounts['amounts']): readonly Amount[] {
  return amounts.map(({ atMs, amount }) => ({ atMs, amount: BigInt(amount) }))
}
