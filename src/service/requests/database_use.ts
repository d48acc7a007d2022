import { textOfError } from '../../protocol/tools/error_text.ts'
import type { Log } from '../process/log.ts'
import type { aboutOf } from './incident.ts'

/** The database cannot be used, for example because the disk is full. The request may be sent again later. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly use: Use

  constructor(use: Use, cause: unknown) {
    super('the database cannot be used', { cause })
    this.use = use
  }
}

/** A full disk can be read. */
type Use = 'read' | 'write'

/** How long nothing may have failed until a success says that it is over: small writes may still fit on a full disk. */
export const calmMs = 10_000

export type DatabaseUse = {
  /** Waits for what the database was asked. Rejects with `StoreUnavailable`. */
  read<T>(asked: Promise<T>): Promise<T>
  write<T>(asked: Promise<T>): Promise<T>
  /** Logs the first request that failed, and counts those after it. */
  report(error: StoreUnavailable, about: ReturnType<typeof aboutOf>): void
}

type Failing = { readonly text: string; lastMs: number; count: number }

/** Logs when the database begins to fail and when that is over: each refused request would be a line with a stack. */
export function createDatabaseUse(log: Log, nowMs: () => number = () => performance.now()): DatabaseUse {
  const failing = new Map<Use, Failing>()

  async function use<T>(kind: Use, asked: Promise<T>): Promise<T> {
    try {
      const answer = await asked
      if (failing.size > 0) endOf(kind)
      return answer
    } catch (cause) {
      throw new StoreUnavailable(kind, cause)
    }
  }

  function endOf(kind: Use): void {
    const over = failing.get(kind)
    if (over === undefined || nowMs() - over.lastMs < calmMs) return
    failing.delete(kind)
    log.info({ refused: over.count }, 'the database can be used again')
  }

  return {
    read: (asked) => use('read', asked),
    write: (asked) => use('write', asked),
    report({ use: kind, cause }, about) {
      const text = textOfError(cause)
      const known = failing.get(kind)
      if (known?.text === text && nowMs() - known.lastMs < calmMs) {
        known.count += 1
        known.lastMs = nowMs()
        return
      }
      failing.set(kind, { text, lastMs: nowMs(), count: 1 })
      log.error({ ...about, ...(known && { refusedBefore: known.count }), error: cause }, 'the database cannot be used')
    },
  }
}
