import type { CommitOutcome } from '../../link/verbs.ts'
import type { Amount } from '../../policy/spending.ts'
import type { LoggedFact } from '../../protocol/log/log_entry.ts'
import type { Frontier } from '../../protocol/log/tree/tree.ts'
import type { BookedHead, Comparison } from './booked_head.ts'
import type { CountEntry } from './entries.ts'
import type { ForkedLog } from './transparency/forked_log.ts'
import type { SignedCheckpoint } from './transparency/journal_entries.ts'
import type { TransparencyLog } from './transparency/transparency_log.ts'

/**
 * The vault's own books: facts that the vault must not forget, whatever the database shows. The books are memory, and a
 * journal makes them durable. They hold:
 *
 * - For each organization the newest head that was acknowledged or taken up. A presented head must be this head, or lie
 *   above it.
 * - The keys of the changes and the tags of the heads of the last two hours. A client may send the same bytes again for
 *   two hours.
 * - Counts: amounts that were signed, uses of tokens and import targets, attempts at passcodes and their starts,
 *   mails and text messages of a day.
 *
 * An entry is in memory at once and on disk after `sync`. A decision may leave the vault only after the entries that it
 * rests on are on disk.
 */
export type Books = {
  /** The id of this vault's journal, which is the maker of the heads that this vault makes. */
  journalId(): string
  /** The id of its transparency log, which stays the same when the operator accepts a restored database. */
  logId(): string
  newest(organizationId: string): BookedHead | undefined
  /** Compares a head as `compareHeads` does, and takes it up if it lies above the newest. */
  take(organizationId: string, head: BookedHead): Comparison
  /** Whether the newest head is on disk. A head that was taken up may not be on disk yet. */
  isSynced(organizationId: string): boolean
  /** Whether the change with this key, or the head with this tag, was taken up. It is known for at least two hours. */
  isKnown(keyOrTag: string): boolean
  /**
   * Watches heads that this vault decided: until `dismiss`, `isTaken` says whether they are on the books. The head that
   * is taken up gets these entries of the transparency log, in the same frame.
   */
  expect(made: readonly ExpectedHead[]): void
  isTaken(tag: string): boolean
  dismiss(tags: readonly string[]): void
  /** Marks heads that the store has not written as lost. A lost head that is presented later is a fork. */
  lose(tags: readonly string[]): void
  isLost(tag: string): boolean
  /** The amounts that were counted under a name, without those of the count key `exceptKey`. */
  amounts(name: string, exceptKey: string | undefined): readonly Amount[]
  revision(name: string): number
  count(entries: readonly CountEntry[]): void
  /** Forgets the counts of these groups so far. Later ones count: a backup may bring the record of a group back. */
  forgetCounts(groups: readonly string[]): void
  /**
   * Enters what leaves the vault and makes no head in the transparency log. Resolves once the entries survive the end of
   * this process, with the index of the first; they are on disk soon after. Rejects with `JournalUnavailable`.
   */
  enter(facts: readonly LoggedFact[]): Promise<number | undefined>
  /**
   * Notes which commits are on disk, by the word of the service: those of entries that make no head. The keys of
   * changes are known from then on. They are on disk with the next sync.
   */
  noteWritten(outcomes: readonly CommitOutcome[]): void
  /** The settings that were kept last. */
  settings(): string | undefined
  /** Keeps other settings, and enters what tells of them in the same frame. It is on disk after `sync`. */
  keepSettings(settings: string, facts: readonly LoggedFact[]): Promise<void>
  /** The transparency log of this journal. */
  readonly transparency: {
    origin(): string
    kept: TransparencyLog['kept']
    forgotten: TransparencyLog['forgotten']
    isRecorded: TransparencyLog['isRecorded']
    readonly forked: ForkedLog
    /** Notes that the commits of these entries are on disk. */
    record(indexes: readonly number[]): void
    /** Forgets the oldest bundle of entries if it is this one, and has a copy kept. Returns whether it was. */
    forget(bundle: Uint8Array): boolean
    /** The copy of a bundle that was forgotten. Undefined: there is none any more. */
    copyOf(number: number): Promise<Uint8Array | undefined>
    /**
     * Returns the newest checkpoint, and signs one before if there are newer entries. It covers entries that are on disk,
     * and is on disk itself: while the journal cannot be written, none is newer. Undefined: there is none yet.
     */
    renew(sign: (tree: Frontier) => Uint8Array): Promise<SignedCheckpoint | undefined>
  }
  /** Resolves once everything that is on the books now is on disk. Rejects with `JournalUnavailable`. */
  sync(): Promise<void>
  /** Returns the reason why the journal cannot be written, or undefined if it can. */
  unavailable(): string | undefined
  /**
   * Returns why no decision may leave that writes something, in words for the operator: the journal cannot be written,
   * the log has forked, or too much of it waits.
   */
  refusal(): string | undefined
  /**
   * Forgets the newest heads, as the operator asks for after a restore. The books then trust the next head of each
   * organization. Counts and changes stay.
   */
  forgetHeads(): Promise<void>
  /** All organizations with their newest heads, in no order. A head that is replaced meanwhile still appears once. */
  organizations(): Iterable<{ readonly organizationId: string; readonly version: number; readonly tag: string }>
  organizationCount(): number
  /** The keys and tags that `isKnown` knows, and those that `isLost` knows: 16 bytes each. */
  knownKeys(): Iterable<{ readonly keys: Uint8Array }>
  lostKeys(): Iterable<{ readonly keys: Uint8Array }>
  close(): Promise<void>
}

/** A head that a decision makes, by its tag, and the entries of the transparency log that it gets. */
export type ExpectedHead = { readonly tag: string; readonly facts: readonly LoggedFact[] }
