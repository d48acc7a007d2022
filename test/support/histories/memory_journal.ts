import { type Journal, type JournalOptions, JournalUnavailable } from '../../../src/vault/books/journal/journal.ts'
import type { Chance, Life, Schedule } from './schedule.ts'

/** The frames of a journal that outlive its process and its machine. */
export type MemoryDisk = {
  payloads: readonly Uint8Array[]
  /** Entries that were entered and are in no frame yet. They outlive the process, and not a loss of power. */
  entered?: readonly Uint8Array[]
}

/**
 * A journal as the books see it, whose disk is a list. Synced frames stay; others are gone with the process, but what
 * was entered is gone only with the power. A frame may be on disk although nobody was told, and the disk may refuse for a while.
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
  { onPayload, snapshot }: Pick<JournalOptions, 'onPayload' | 'snapshot'>,
): Journal {
  const entered = disk.entered ?? []
  if (entered.length > 0 && chance.happens(0.7)) disk.payloads = [...disk.payloads, ...entered]
  disk.entered = []
  for (const payload of disk.payloads) onPayload(payload)
  let waiting: Uint8Array[] = []
  let running: Promise<void> | undefined
  let failure: string | undefined

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
    disk.entered = []
    // All frames are on disk now, so a snapshot may replace them.
    if (isStarted() && chance.happens(0.05)) disk.payloads = [...snapshot()].map((payload) => Uint8Array.from(payload))
    if (isStarted()) await schedule.pass('synced', life)
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
    async enter(payload) {
      append(payload)
      disk.entered = [...(disk.entered ?? []), Uint8Array.from(payload)]
      if (isStarted()) await schedule.pass('entered', life)
    },
    unavailable() {
      // Now and then another write finds that the disk has room again.
      if (failure !== undefined && chance.happens(0.5)) failure = undefined
      return failure
    },
    async close() {},
  }
}
