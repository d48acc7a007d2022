import { strict as assert } from 'node:assert'
import { encodeLogEntry } from '../../../protocol/log/encode_entry.ts'
import { decodeLogEntry, type LoggedFact, type LoggedHead } from '../../../protocol/log/log_entry.ts'
import { tileWidth } from '../../../protocol/log/tree/tiles.ts'
import type { Frontier } from '../../../protocol/log/tree/tree.ts'
import type { BookedHead } from '../booked_head.ts'
import { EntryError } from '../entry_error.ts'
import type { Piece } from '../head_table.ts'
import {
  decodeFrontier,
  decodeLogged,
  decodeOrigin,
  decodeRecorded,
  decodeSettings,
  decodeSigned,
  decodeWaiting,
  encodeFrontier,
  encodeLogged,
  encodeOrigin,
  encodeRecorded,
  encodeSettings,
  encodeSigned,
  encodeWaiting,
  type KeptSettings,
  type Logged,
  logKinds,
  type Place,
  type SignedCheckpoint,
} from './journal_entries.ts'
import { createKeptTree, type KeptTree } from './kept_tree.ts'
import { createLogPlaces, type LogPlaces, placeAfter } from './log_places.ts'
import { createUnrecorded, type Unrecorded } from './unrecorded.ts'

/**
 * The transparency log of one journal, in memory: a Merkle tree (RFC 9162) that only grows, the entries that the journal
 * still keeps, and the place of each organization's last entry. It writes nothing itself: the books append what it
 * returns.
 */
export type TransparencyLog = {
  /** `host/log/<journal>`; empty before `begin`. It never changes. */
  origin(): string
  begin(origin: string): Buffer
  /**
   * Gives facts their places, and has the entries of the journal that keep them appended. Nothing is entered before
   * `append` has taken these. Returns what it returns.
   */
  enter<T>(facts: readonly LoggedFact[], journalId: string, append: (entries: Buffer) => T): T
  /**
   * Returns the head of this journal that a head shows and that has no entry yet: it itself, or the newest head of this
   * journal below it.
   */
  unentered(organizationId: string, head: BookedHead, journalId: string): UnenteredHead | undefined
  /** The tree as it is now. It is never changed, so a caller may keep it. */
  tree(): Frontier
  /** The entries that the journal keeps, oldest first, and the index of the first, a multiple of `tileWidth`. */
  kept(): { readonly from: number; readonly entries: readonly Buffer[] }
  /** The bytes of these entries. */
  keptBytes(): number
  /** The tree before the entries that the journal keeps. */
  forgotten(): Frontier
  rootAt: KeptTree['rootAt']
  /** Whether the commit of an entry is known to be on disk. That of an entry which makes a head, or is late, always is. */
  isRecorded(index: number): boolean
  /** Notes that the commits of these entries are on disk, once `append` has taken the entry of the journal. */
  record(indexes: readonly number[], append: (entry: Buffer) => void): void
  /** No entry so far is recorded any more: the operator has accepted another database. */
  unrecordAll(): void
  /**
   * Forgets the oldest entries, if the bytes are these: somebody else keeps them now. Returns the entry of the journal
   * that says so, or undefined if the bytes are not the oldest bundle.
   */
  forget(bundle: Uint8Array): Buffer | undefined
  /** The newest checkpoint that was signed. */
  signed(): SignedCheckpoint | undefined
  /** Keeps a checkpoint once `append` has taken its entry of the journal. */
  sign(checkpoint: SignedCheckpoint, append: (entry: Buffer) => void): void
  /** The settings that were kept last, of whatever form. */
  settings(): string | undefined
  /** Keeps settings, of which the next entry tells, once `append` has taken their entry of the journal. */
  keepSettings(settings: string, append: (entry: Buffer) => void): void
  /** Takes up an entry of the journal at a start. `journalId`: that of the journal when it was written. */
  replay(entry: Piece, journalId: string): void
  /** Returns the entries of the journal that keep what `replay` has added to the log. */
  added(replay: () => void): Buffer
  /**
   * To be called after the last `replay`. Returns how many entries were found without those before them. Throws
   * `EntryError` if the log is shorter than a checkpoint of it.
   */
  replayed(): { readonly lost: number }
  /** The entries by which a compacted journal keeps the log. */
  snapshot(): Iterable<Buffer>
}

export type UnenteredHead = LoggedHead & { readonly changeKey: string }

type LogState = { readonly entries: KeptTree; readonly places: LogPlaces; readonly unrecorded: Unrecorded }

export function createTransparencyLog(portions: { readonly chunkBytes?: number } = {}): TransparencyLog {
  const parts = { entries: createKeptTree(), places: createLogPlaces(portions), unrecorded: createUnrecorded() }
  const { entries, places, unrecorded } = parts
  let origin = ''
  let signed: SignedCheckpoint | undefined
  let settings: KeptSettings | undefined
  let lost = 0

  return {
    origin: () => origin,
    kept: () => ({ from: entries.forgotten().size, entries: entries.kept() }),
    keptBytes: entries.keptBytes,
    ...{ tree: entries.tree, forgotten: entries.forgotten, rootAt: entries.rootAt },
    signed: () => signed,
    isRecorded: (index) => index < entries.tree().size && !unrecorded.has(index),
    unrecordAll: () => unrecorded.addAll(entries.tree().size),
    enter: (facts, journalId, append) => enter(parts, { facts, journalId }, append),
    unentered: (organizationId, head, journalId) => unentered(places.of(organizationId), head, journalId),

    begin(begun) {
      assert(origin === '', 'a log begins once')
      origin = begun
      return encodeOrigin(begun)
    },

    record(indexes, append) {
      const waiting = indexes.filter(unrecorded.has)
      if (waiting.length === 0) return
      append(encodeRecorded(waiting))
      for (const index of waiting) unrecorded.delete(index)
    },

    forget(bundle) {
      const boundary = entries.forget(bundle)
      return boundary && encodeFrontier(boundary)
    },

    sign(checkpoint, append) {
      append(encodeSigned(checkpoint))
      signed = checkpoint
    },

    settings: () => settings?.text,
    keepSettings(text, append) {
      const kept = { index: entries.tree().size, text }
      append(encodeSettings(kept))
      settings = kept
    },

    replay(piece, journalId) {
      const entry = piece.bytes.subarray(piece.start, piece.end)
      if (entry[0] === logKinds.origin) origin = decodeOrigin(entry)
      else if (entry[0] === logKinds.frontier) entries.beginAt(decodeFrontier(entry))
      else if (entry[0] === logKinds.place) places.replay(piece)
      else if (entry[0] === logKinds.logged) lost += replayLogged(parts, decodeLogged(entry), journalId)
      else if (entry[0] === logKinds.recorded) replayRecorded(parts, decodeRecorded(entry))
      else if (entry[0] === logKinds.waiting) {
        const { number, bitmap } = decodeWaiting(entry)
        unrecorded.addBitmap(number, bitmap)
      } else if (entry[0] === logKinds.signed) signed = laterOf(signed, decodeSigned(entry))
      else {
        const kept = decodeSettings(entry)
        if (settings === undefined || settings.index <= kept.index) settings = kept
      }
    },

    added: (replay) => addedBy(replay, entries),

    replayed() {
      const { size } = entries.tree()
      if ((signed?.size ?? 0) <= size) return { lost }
      throw new EntryError(`the transparency log has ${size} entries, and signed a tree of ${signed?.size}`)
    },

    *snapshot() {
      if (origin !== '') yield encodeOrigin(origin)
      if (signed !== undefined) yield encodeSigned(signed)
      if (settings !== undefined) yield encodeSettings(settings)
      yield* entriesIn(parts)
    },
  }
}

type Entering = { readonly facts: readonly LoggedFact[]; readonly journalId: string }

function enter<T>(
  { entries, places, unrecorded }: LogState,
  { facts, journalId }: Entering,
  append: (entries: Buffer) => T,
): T {
  const { size } = entries.tree()
  const entered = new Map<string, Place>()
  const encoded = facts.map((fact, at) => {
    const { organizationId, makes } = fact
    const before = entered.get(organizationId) ?? places.of(organizationId)
    const place = placeAfter(before, { makes, index: size + at }, journalId)
    entered.set(organizationId, place)
    return encodeLogEntry({ ...fact, number: place.number, before: before?.index })
  })
  const logged = encoded.map((entry, at) => encodeLogged({ index: size + at, entry }))
  const waiting = facts.flatMap((fact, at) => (isRecordedAtOnce(fact) ? [] : [size + at]))
  // An entry beside a head is of the same commit.
  const hasHead = facts.some(({ makes }) => makes !== undefined)
  const appended = append(Buffer.concat(hasHead ? [...logged, encodeRecorded(waiting)] : logged))
  for (const entry of encoded) entries.add(entry)
  if (!hasHead) for (const index of waiting) unrecorded.add(index)
  for (const [organizationId, place] of entered) places.put(organizationId, place)
  return appended
}

/**
 * Takes up an entry of the log that the journal kept, and returns how many are lost: 1 if it is there without one before
 * it. A loss of power leaves that of entries that were not synced; no checkpoint covers them. A snapshot, and the
 * segments after it, may hold an entry twice.
 */
function replayLogged({ entries, places, unrecorded }: LogState, { index, entry }: Logged, journalId: string): 0 | 1 {
  const { size } = entries.tree()
  if (index !== size) return index > size ? 1 : 0
  const decoded = decodeLogEntry(entry)
  if (decoded === undefined) throw new EntryError(`entry ${index} of the transparency log cannot be read`)
  entries.add(Buffer.from(entry))
  if (!isRecordedAtOnce(decoded)) unrecorded.add(index)
  const { organizationId, makes, number, before } = decoded
  const place = places.of(organizationId)
  // The place of a later entry may stand before it in a snapshot.
  if (place !== undefined && place.number >= number) return 0
  if ((place?.number ?? 0) + 1 !== number || place?.index !== before) {
    throw new EntryError(`entry ${index} of the transparency log does not continue those of its organization`)
  }
  places.put(organizationId, placeAfter(place, { makes, index }, journalId))
  return 0
}

/** The commit of a head is on disk before it is entered, and a late entry is made of what the database shows. */
function isRecordedAtOnce({ makes, isLate }: LoggedFact): boolean {
  return makes !== undefined || isLate === true
}

/** A note about an entry that was lost is one about nothing. */
function replayRecorded({ entries, unrecorded }: LogState, indexes: readonly number[]): void {
  const { size } = entries.tree()
  for (const index of indexes) if (index < size) unrecorded.delete(index)
}

/** The entries of the journal that keep the tree, the places and what is recorded. */
function* entriesIn({ entries, places, unrecorded }: LogState): Iterable<Buffer> {
  const from = entries.forgotten()
  const kept = entries.kept()
  const count = kept.length
  yield encodeFrontier(from)
  // An entry that is read continues the place of its organization, so the places come first.
  yield* places.entries()
  for (const [number, bitmap] of unrecorded.bitmaps()) {
    if (number * tileWidth < from.size) yield encodeWaiting({ number, bitmap })
  }
  // The snapshot replaces no segment with later entries.
  for (const [at, entry] of kept.slice(0, count).entries()) yield encodeLogged({ index: from.size + at, entry })
  yield encodeRecorded(
    Array.from({ length: count }, (_, at) => from.size + at).filter((index) => !unrecorded.has(index)),
  )
}

function addedBy(replay: () => void, entries: KeptTree): Buffer {
  const { size } = entries.tree()
  replay()
  const added = entries.kept().slice(size - entries.forgotten().size)
  return Buffer.concat(added.map((entry, at) => encodeLogged({ index: size + at, entry })))
}

function laterOf(known: SignedCheckpoint | undefined, found: SignedCheckpoint): SignedCheckpoint {
  return known !== undefined && known.size > found.size ? known : found
}

function unentered(place: Place | undefined, head: BookedHead, journalId: string): UnenteredHead | undefined {
  const own = head.maker === journalId ? head : head.below.get(journalId)
  // After the operator has accepted a restored database the journal has a new id, and versions begin lower.
  const entered = place?.maker === journalId ? place : undefined
  if (own === undefined || own.version < (entered?.version ?? 1)) return undefined
  // An entry may outlive the process where its head did not: a database may show another head in place of that one.
  if (own.version === entered?.version && own.tag === entered.tag) return undefined
  const { version, tag, changeKey } = own
  return { version, tag, changeKey }
}
