import type { Amount } from '../../policy/spending.ts'
import type { BookedHead, Comparison } from './booked_head.ts'
import type { CountEntry } from './entries.ts'

/**
 * The vault's own books: what it must not forget, whatever the database shows. Memory, made durable by a journal.
 *
 * - For each organization the newest head that was acknowledged or taken up. What is presented must be this head, or lie
 *   above it.
 * - The keys of the changes that were made and the tags of the heads, for two hours: so long the same bytes may be sent
 *   again.
 * - Counts: amounts that were signed, uses of tokens and import targets, attempts at passcodes and their starts.
 *
 * An entry is in memory at once and on disk after `sync`. A decision may leave the vault only after the entries that it
 * rests on are on disk.
 */
export type Books = {
  /** The maker of the heads that this vault makes. */
  journalId(): string
  newest(organizationId: string): BookedHead | undefined
  /** The same as `compareHeads`, and takes up a head that lies above the newest. */
  take(organizationId: string, head: BookedHead): Comparison
  /** Whether the newest head is on disk. One that was taken up may not be. */
  isSynced(organizationId: string): boolean
  /** Whether a change, by its key, or a head, by its tag, is known to have been taken up: for two hours at least. */
  isKnown(keyOrTag: string): boolean
  /** Heads that were decided here: `isTaken` says whether they are on the books by now, until they are dismissed. */
  expect(tags: readonly string[]): void
  isTaken(tag: string): boolean
  dismiss(tags: readonly string[]): void
  /** Heads that the store has not written: one that shows up later is a fork. */
  lose(tags: readonly string[]): void
  isLost(tag: string): boolean
  /** What was counted under a name, without the amounts of the count key `exceptKey`. */
  amounts(name: string, exceptKey: string | undefined): readonly Amount[]
  revision(name: string): number
  count(entries: readonly CountEntry[]): void
  /** Everything that is on the books by now is on disk. Rejects with `JournalUnavailable`. */
  sync(): Promise<void>
  /** Why nothing can be written; undefined: it can. */
  unavailable(): string | undefined
  /** What the operator accepts after a restore: the next head of each organization is trusted. Counts and changes stay. */
  forgetHeads(): Promise<void>
  /** All organizations with their newest head, in no order. One that is raised in between is seen once. */
  organizations(): Iterable<{ readonly organizationId: string; readonly version: number; readonly tag: string }>
  organizationCount(): number
  close(): Promise<void>
}
