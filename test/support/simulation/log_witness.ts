import type { PublishedLog } from '../../../src/link/verbs.ts'
import { hashOfLogEntry } from '../../../src/protocol/log/encode_entry.ts'
import { decodeLogEntry, type LogEntry } from '../../../src/protocol/log/log_entry.ts'
import { readCheckpoint } from '../../../src/protocol/log/notes/checkpoint.ts'
import { readNote } from '../../../src/protocol/log/notes/note.ts'
import type { Reading } from '../../../src/protocol/log/reading.ts'
import { tileWidth, writeEntries } from '../../../src/protocol/log/tree/tiles.ts'
import { consistencyProof, continues } from '../../../src/protocol/log/tree/tree_proofs.ts'
import type { Commit } from '../../../src/protocol/reads.ts'
import type { BookedHead } from '../../../src/vault/books/booked_head.ts'
import { journalPieces } from '../histories/journal_pieces.ts'
import type { MemoryDisk } from '../histories/memory_journal.ts'
import { hashesOfBundle } from '../log_hashes.ts'
import { type MerkleTree, merkleTreeOf } from '../merkle_tree.ts'

/**
 * Reads the disk of one journal as nobody else does, and throws when a promise of its transparency log is broken. It
 * remembers each entry that it has seen, and makes the tree of them itself.
 */
export type LogWitness = {
  /** Called when an answer is about to leave the vault: what it decided has its entry. */
  left(commit: Commit): void
  /** Called when a checkpoint is about to leave the vault: it covers what is on disk, and continues those before it. */
  shown(published: PublishedLog): void
  /** Called with each bundle that the store shows. */
  readBack(number: number, bytes: Uint8Array | undefined): void
  /** Called when the vault's process is dead, and what a loss of power takes is gone. */
  died(how: { readonly powerWasLost: boolean }): void
  /** All that is on disk, or was entered. */
  entries(): readonly LogEntry[]
  /** The bytes of a whole bundle. */
  bundle(number: number): Buffer | undefined
  /** The journal with which the log began. */
  logId(): string
}

type Watching = {
  /** Is called with the name of what happens to the log now and then. */
  happens(what: string): void
  /** Returns the digest of the document of an activity that leaves. */
  digestOf(activity: Commit['activities'][number]): string
}

export function createLogWitness(disk: MemoryDisk, { happens, digestOf }: Watching): LogWitness {
  let log = createKnownLog()
  /** So many entries stand in frames. */
  let synced = 0
  /** The bundles that the store showed as they are, and how many the journal has forgotten. */
  const seenInStore = new Set<number>()
  let forgotten = 0
  let newest: { readonly size: number; readonly root: Uint8Array } | undefined
  const readFrames = new WeakSet<Uint8Array>()
  /** The journals whose log it is: the operator may begin a new one. */
  const makers = new Set<string>()

  /** Reads what has come to the disk. A loss of power may leave entries without those before them. */
  function look({ powerWasLost = false } = {}): void {
    const heads: BookedHead[] = []
    for (const payload of disk.payloads) {
      if (readFrames.has(payload)) continue
      readFrames.add(payload)
      for (const piece of journalPieces(payload)) {
        if (piece.of === 'head') heads.push(piece.head)
        if (piece.of === 'journal') makers.add(piece.journalId)
        if (piece.of === 'forgotten') requireReadBack(piece.size)
        if (piece.of !== 'entry') continue
        if (piece.index === synced) synced += 1
        if (log.take(piece.index, piece.entry)?.isTakenUp) happens('head entered when it was taken up')
      }
    }
    for (const piece of (disk.entered ?? []).flatMap(journalPieces)) {
      if (piece.of !== 'entry' || (powerWasLost && piece.index > log.entries.length)) continue
      log.take(piece.index, piece.entry)
    }
    for (const head of heads) requireEntryOf(head)
  }

  function requireReadBack(size: number): void {
    for (; forgotten * tileWidth < size; forgotten += 1) {
      if (!seenInStore.has(forgotten))
        throw new Error(`bundle ${forgotten} is forgotten, and the store has not shown it`)
      happens('bundle forgotten')
    }
  }

  /** A head that is on the books has its entry, if this journal made it; or the newest below it that this one made. */
  function requireEntryOf(head: BookedHead): void {
    for (const maker of makers) {
      const own = head.maker === maker ? head : head.below.get(maker)
      if (own !== undefined && !log.made.has(own.tag))
        throw new Error(`the head ${own.version} ${own.tag} is on the books and has no entry`)
    }
  }

  function requireContinued({ size, root }: { readonly size: number; readonly root: Uint8Array }): void {
    const { size: from, root: fromRoot } = newest ?? { size: 0, root: log.tree.root(0) }
    if (size < from) throw new Error(`a checkpoint of ${size} entries is shown after one of ${from}`)
    if (!log.tree.root(size).equals(root)) throw new Error(`the checkpoint of ${size} entries has another root`)
    const proof = consistencyProof({ from, to: size }, log.tree.hashOf)
    if (!continues({ from, to: size, fromRoot, toRoot: root, proof }))
      throw new Error(`the checkpoint of ${size} entries does not continue that of ${from}`)
    if (size > from) happens('checkpoint shown')
    newest = { size, root }
  }

  return {
    entries() {
      look()
      return log.entries.map(({ decoded }) => decoded)
    },
    bundle: (number) => log.bundle(number),
    logId: () => [...makers][0] ?? '',

    left({ activities, heads }) {
      look()
      for (const activity of activities) {
        const { activityId, version } = activity
        if (!log.activities.has(nameOf(activityId, version, digestOf(activity))))
          throw new Error(`version ${version} of the activity ${activityId} left, and has no entry`)
      }
      for (const { tag, version } of heads) {
        if ((log.made.get(tag) ?? synced) >= synced)
          throw new Error(`the head ${version} ${tag} was acknowledged, and its entry is not on disk`)
      }
    },

    shown({ checkpoint, size, bundles, unfinished }) {
      look()
      if (size > synced) throw new Error(`a checkpoint covers ${size} entries, of which ${synced} are on disk`)
      for (const { number, bytes } of bundles) {
        if (!log.bundle(number)?.equals(bytes)) throw new Error(`bundle ${number} is handed over with other entries`)
      }
      if (!log.hashesFrom(size - (size % tileWidth), size).equals(hashesOfBundle(unfinished)))
        throw new Error('the entries after the last bundle have other hashes')
      if (checkpoint === undefined) return
      const told = readIn(readCheckpoint(readIn(readNote(checkpoint)).text))
      if (told.size !== size) throw new Error(`a checkpoint of ${told.size} entries is shown as one of ${size}`)
      requireContinued(told)
    },

    readBack(number, bytes) {
      look()
      if (bytes !== undefined && log.bundle(number)?.equals(bytes)) seenInStore.add(number)
    },

    died({ powerWasLost }) {
      look({ powerWasLost })
      if (powerWasLost) {
        // What stood in no frame may be gone, and others may get its places.
        log = createKnownLog(log.entries.slice(0, synced).map(({ bytes }) => bytes))
        look({ powerWasLost })
      }
      const size = sizeOn(disk)
      if (size < log.entries.length) throw new Error(`of ${log.entries.length} entries the next start finds ${size}`)
    },
  }
}

/** The size of the log that a start finds. What stands without those before it is worthless. */
function sizeOn({ payloads, entered = [] }: MemoryDisk): number {
  let size = 0
  for (const piece of [...payloads, ...entered].flatMap(journalPieces)) {
    if (piece.of === 'forgotten') size = Math.max(size, piece.size)
    if (piece.of === 'entry' && piece.index === size) size += 1
  }
  return size
}

type Known = { readonly bytes: Buffer; readonly decoded: LogEntry }

/** Entries in their order, each of which continues those of its organization. */
function createKnownLog(begun: readonly Buffer[] = []) {
  const entries: Known[] = []
  const hashes: Uint8Array[] = []
  const tree: MerkleTree = merkleTreeOf(hashes)
  const last = new Map<string, { readonly number: number; readonly index: number }>()
  /** The indexes of the entries, by the version of an activity and by the tag of the head that it makes. */
  const activities = new Map<string, number>()
  const made = new Map<string, number>()

  function add(bytes: Buffer): LogEntry {
    const index = entries.length
    const decoded = decodeLogEntry(bytes)
    if (decoded === undefined) throw new Error(`entry ${index} cannot be read`)
    const { organizationId, number, before, activity, makes } = decoded
    const previous = last.get(organizationId)
    if (number !== (previous?.number ?? 0) + 1 || before !== previous?.index)
      throw new Error(`entry ${index} has the number ${number} after ${previous?.number}, and ${before} before it`)
    if (makes !== undefined && made.has(makes.tag)) throw new Error(`the head ${makes.tag} is entered twice`)
    if (makes !== undefined) made.set(makes.tag, index)
    if (activity !== undefined) {
      const { activityId, version, documentDigest } = activity
      const name = nameOf(activityId, version, documentDigest)
      if (
        makes === undefined &&
        activities.has(name) &&
        entries[activities.get(name) ?? 0]?.decoded.makes === undefined
      )
        throw new Error(`version ${version} of the activity ${activityId} is entered twice`)
      activities.set(name, index)
    }
    last.set(organizationId, { number, index })
    entries.push({ bytes: Buffer.from(bytes), decoded })
    hashes.push(hashOfLogEntry(bytes))
    return decoded
  }

  /** Returns the entry if it is new. */
  function take(index: number, bytes: Buffer): LogEntry | undefined {
    if (index > entries.length) throw new Error(`entry ${index} stands without those before it`)
    if (index === entries.length) return add(bytes)
    if (!entries[index]?.bytes.equals(bytes)) throw new Error(`entry ${index} was altered`)
    return undefined
  }

  for (const bytes of begun) add(bytes)
  return {
    ...{ entries, tree, activities, made, take },
    bundle(number: number): Buffer | undefined {
      const found = entries.slice(number * tileWidth, (number + 1) * tileWidth).map(({ bytes }) => bytes)
      return found.length < tileWidth ? undefined : Buffer.from(writeEntries(found))
    },
    hashesFrom: (from: number, to: number) => Buffer.concat(hashes.slice(from, to)),
  }
}

function nameOf(activityId: string, version: number, digest: string): string {
  return `${activityId} ${version} ${digest}`
}

function readIn<T>(reading: Reading<T>): T {
  if (reading.kind === 'malformed') throw new Error(reading.reason)
  return reading.value
}
