import { type Journal, type JournalOptions, JournalUnavailable } from '../../../src/vault/books/journal/journal.ts'
import type { Chance, Life, Schedule } from './schedule.ts'

/** So many of the newest frames may stay beside a snapshot. */
const staysMax = 5

/** The frames of a journal that outlive its process and its machine. */
export type MemoryDisk = {
  payloads: readonly Uint8Array[]
  /** So many of the first payloads are those of a snapshot. */
  snapshots?: number
  /** Entries that were entered and are in no frame yet. They outlive the process, and not a loss of power. */
  entered?: readonly Uint8Array[]
}

/**
 * A loss of power leaves the beginning of what was entered and is in no frame; or only later entries, because they stand
 * in two files in turns.
 */
export function losePower(disk: MemoryDisk, chance: Pick<Chance, 'below' | 'happens'>): void {
  const entered = disk.entered ?? []
  const start = chance.happens(0.5) ? 0 : chance.below(entered.length + 1)
  disk.entered = entered.slice(start, start + chance.below(entered.length + 1))
}

/**
 * A journal as the books see it, whose disk is a list. Synced frames stay; others are gone with the process, but what
 * was entered is gone only with the power, see `losePower`. A frame may be on disk although nobody was told, and the disk
 * may refuse for a while.
 */
export function openMemoryJournal(
  {
    disk,
    life,
    schedule,
    chance,
    failures,
    isStarted,
  }: {
    readonly disk: MemoryDisk
    readonly life: Life
    readonly schedule: Schedule
    readonly chance: Chance
    /** The probability with which the disk refuses. */
    readonly failures: () => number
    /** Until the vault is started nothing else has a turn. */
    readonly isStarted: () => boolean
  },
  { onPayload, onEntered, snapshot }: Pick<JournalOptions, 'onPayload' | 'onEntered' | 'snapshot'>,
): Journal {
  for (const payload of disk.payloads) onPayload(payload)
  const kept = (disk.entered ?? []).map(onEntered).filter(({ length }) => length > 0)
  disk.payloads = [...disk.payloads, ...kept]
  disk.entered = []
  let waiting: Uint8Array[] = []
  let running: Promise<void> | undefined
  /** What is entered in the same turn is written at once. */
  let turn: { readonly entries: Uint8Array[]; readonly written: Promise<void> } | undefined
  let failure: string | undefined
  /** Something that was entered waits for a frame. */
  let isSyncNeeded = false

  async function writeFrame(): Promise<void> {
    await (isStarted() ? schedule.pass('frame', life) : undefined)
    running = undefined
    if (isStarted() && chance.happens(failure === undefined ? failures() : 0.5)) {
      failure = 'the disk is full'
      throw new JournalUnavailable(failure)
    }
    failure = undefined
    disk.payloads = [...disk.payloads, ...waiting]
    waiting = []
    isSyncNeeded = false
    disk.entered = []
    // All frames are on disk now, so a snapshot may replace them. It replaces whole segments: some of the frames stay.
    if (isStarted() && chance.happens(0.05)) {
      const staysFrom = Math.max(disk.snapshots ?? 0, disk.payloads.length - chance.below(staysMax))
      const taken = [...snapshot()].map((payload) => Uint8Array.from(payload))
      disk.payloads = [...taken, ...disk.payloads.slice(staysFrom)]
      disk.snapshots = taken.length
    }
    if (isStarted()) await schedule.pass('synced', life)
  }

  async function writeTurn(entries: readonly Uint8Array[]): Promise<void> {
    await (isStarted() ? schedule.pass('enter', life) : undefined)
    turn = undefined
    disk.entered = [...(disk.entered ?? []), ...entries]
    if (isStarted()) await schedule.pass('entered', life)
  }

  function append(payload: Uint8Array): void {
    waiting.push(Uint8Array.from(payload))
  }

  function sync(): Promise<void> {
    running ??= writeFrame()
    return running
  }

  return {
    append,
    sync,
    enter(payload) {
      append(payload)
      // No entry outlives the process without those before it.
      isSyncNeeded ||= failure !== undefined
      if (isSyncNeeded) return sync()
      if (turn === undefined) {
        const entries: Uint8Array[] = []
        turn = { entries, written: writeTurn(entries) }
      }
      turn.entries.push(Uint8Array.from(payload))
      return turn.written
    },
    unavailable() {
      // Now and then another write finds that the disk has room again.
      if (failure !== undefined && chance.happens(0.5)) failure = undefined
      return failure
    },
    async close() {},
  }
}
