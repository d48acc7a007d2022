import { JournalUnavailable, SupersededError } from './errors.ts'
import type { UnsyncedFiles } from './unsynced_files.ts'

export type Entering = {
  /** Resolves once the entry, which was appended, outlives this process. */
  enter(entry: Uint8Array): Promise<void>
  /** Resolves once no entry waits to be written into an unsynced file. Never rejects. */
  idle(): Promise<void>
}

/**
 * Writes the entries of decisions that are made together into an unsynced file, as one frame.
 *
 * The frame is written when nothing else is left to do at once. A turn of the event loop later, the answers would miss
 * the messages in which those of a batch go out together, and each batch would take more messages.
 */
export function createEntering({
  files,
  appendedCount,
  writtenCount,
  isAvailable,
  settle,
  syncLater,
  onSuperseded,
  log,
}: {
  readonly files: UnsyncedFiles
  readonly appendedCount: () => number
  /** The number of the last entry that stands in a synced frame. */
  readonly writtenCount: () => number
  readonly isAvailable: () => boolean
  /** Resolves once everything appended before is on disk. */
  readonly settle: () => Promise<void>
  /** Must have everything that was appended written to disk after a while. */
  readonly syncLater: () => void
  readonly onSuperseded: (error: SupersededError) => void
  readonly log: { warn(fields: object, message: string): void }
}): Entering {
  let turn: { readonly entries: Uint8Array[]; readonly written: Promise<void> } | undefined
  let isFailing = false
  /** The number of the last entry that is to be synced instead. No later one may outlive the process without it. */
  let syncsUpTo = 0

  async function writeTurn(entries: readonly Uint8Array[]): Promise<void> {
    await new Promise<void>((resolve) => process.nextTick(resolve))
    turn = undefined
    if (isAvailable() && syncsUpTo <= writtenCount() && isWritten(entries)) return syncLater()
    syncsUpTo = appendedCount()
    await settle()
  }

  /** Returns false if the entries must be synced instead. */
  function isWritten(entries: readonly Uint8Array[]): boolean {
    try {
      const hadRoom = files.write(entries, appendedCount())
      isFailing = false
      return hadRoom
    } catch (error) {
      if (error instanceof SupersededError) {
        onSuperseded(error)
        throw new JournalUnavailable(error.message, { cause: error })
      }
      if (!isFailing)
        log.warn({ error }, 'an unsynced file of the journal could not be written, so answers wait longer')
      isFailing = true
      return false
    }
  }

  return {
    enter(entry) {
      if (turn === undefined) {
        const entries: Uint8Array[] = []
        turn = { entries, written: writeTurn(entries) }
      }
      turn.entries.push(entry)
      return turn.written
    },

    async idle() {
      await turn?.written.catch(() => {})
    },
  }
}
