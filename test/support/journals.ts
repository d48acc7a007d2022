import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Journal, type JournalOptions, openJournal } from '../../src/vault/books/journal/journal.ts'

export const journalKey = Buffer.alloc(32, 7)
/** Small, so that a test fills many segments. */
export const smallSegmentBytes = 1024

type OpenedJournal = {
  readonly journal: Journal
  readonly directory: string
  /** The payloads of the frames that were found, oldest first. */
  readonly found: readonly string[]
  readonly warnings: readonly string[]
  readonly superseded: { count: number }
}

/** A journal of text whose snapshot is empty unless told otherwise. */
export async function openTestJournal(options: Partial<JournalOptions> = {}): Promise<OpenedJournal> {
  const directory = options.directory ?? join(newFolder(), 'journal')
  const found: string[] = []
  const warnings: string[] = []
  const superseded = { count: 0 }
  const onPayload = (payload: Uint8Array) => void found.push(Buffer.from(payload).toString('latin1'))
  const journal = await openJournal({
    directory,
    key: journalKey,
    segmentBytes: smallSegmentBytes,
    onPayload,
    onEntered(payload) {
      ;(options.onPayload ?? onPayload)(payload)
      return payload
    },
    snapshot: () => [],
    onSuperseded() {
      superseded.count += 1
    },
    log: { warn: (_fields, message) => warnings.push(message) },
    ...options,
  })
  return { journal, directory, found, warnings, superseded }
}

export async function writeEntries(journal: Journal, ...entries: readonly string[]): Promise<void> {
  for (const entry of entries) {
    journal.append(Buffer.from(entry, 'latin1'))
    await journal.sync()
  }
}

/** Enters each entry in a turn of its own. */
export async function enterEach(journal: Journal, ...entries: readonly string[]): Promise<void> {
  for (const entry of entries) await journal.enter(Buffer.from(entry, 'latin1'))
}

/** Opens a journal, closes it and returns the payloads that were found. */
export async function readEntries(options: Partial<JournalOptions>): Promise<readonly string[]> {
  const { journal, found } = await openTestJournal(options)
  await journal.close()
  return found
}

export type Files = ReadonlyMap<string, Buffer>

export function filesIn(directory: string): Files {
  return new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]))
}

/** A folder with these files. */
export function folderOf(files: Files): string {
  const directory = newFolder()
  for (const [name, bytes] of files) writeFileSync(join(directory, name), bytes)
  return directory
}

/** The folder as a crash would leave it now. */
export function copyOfFolder(directory: string): string {
  for (;;) {
    const copy = newFolder()
    const names = readdirSync(directory).join()
    try {
      cpSync(directory, copy, { recursive: true })
    } catch {
      continue // a file was removed meanwhile
    }
    if (names === readdirSync(directory).join()) return copy
  }
}

export function segmentName(number: number): string {
  return `${String(number).padStart(16, '0')}.segment`
}

export function snapshotName(number: number): string {
  return `${String(number).padStart(16, '0')}.snapshot`
}

export function unsyncedName(number: number, which: 1 | 2): string {
  return `${String(number).padStart(16, '0')}.${which}.unsynced`
}

export function isUnsynced(name: string): boolean {
  return name.endsWith('.unsynced') || name.endsWith('.taken')
}

/** The files as a loss of power may leave them: any sector of an unsynced file is lost, old or there. */
export function afterPowerLoss(files: Files, older: readonly Files[], seed: number): Files {
  let state = seed
  function upTo(max: number): number {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % (max + 1)
  }
  const left = new Map(files)
  for (const [name, bytes] of files) {
    if (!isUnsynced(name)) continue
    const versions = [bytes, bytes, Buffer.alloc(bytes.length), ...older.flatMap((version) => version.get(name) ?? [])]
    const after = Buffer.alloc(bytes.length)
    for (let offset = 0; offset < bytes.length; offset += sectorBytes) {
      const version = versions[upTo(versions.length - 1)] ?? bytes
      after.set(version.subarray(offset, Math.min(offset + sectorBytes, bytes.length)), offset)
    }
    left.set(name, upTo(3) === 0 ? after.subarray(0, upTo(bytes.length)) : after)
    if (upTo(9) === 0) left.delete(name)
  }
  return left
}

/** Smaller than those of any disk, so that the small files of a test have many. */
const sectorBytes = 64

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'claviger-journal-'))
}
