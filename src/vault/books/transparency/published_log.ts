import { tileWidth } from '../../../protocol/log/tree/tiles.ts'
import type { Frontier } from '../../../protocol/log/tree/tree.ts'
import type { Books } from '../books.ts'
import { type Journal, JournalUnavailable } from '../journal/journal.ts'
import type { BundleCopies } from './bundle_copies.ts'
import type { ForkedLog } from './forked_log.ts'
import type { TransparencyLog } from './transparency_log.ts'

type PublishedLogParts = {
  readonly log: TransparencyLog
  readonly copies: BundleCopies
  readonly forked: ForkedLog
  readonly journal: Pick<Journal, 'append' | 'sync'>
  readonly sync: () => Promise<void>
  /** The tree of the entries that are on disk. */
  readonly synced: () => Frontier
}

/** The transparency log of the books, for those who publish it and compare it with the database. */
export function publishedLog({ log, copies, forked, journal, sync, synced }: PublishedLogParts): Books['transparency'] {
  /** The newest checkpoint that is on disk. */
  let shown = log.signed()
  /** Nothing waits for copies but those who want one: the database has these bundles. */
  let copying = Promise.resolve()

  return {
    origin: log.origin,
    kept: log.kept,
    forgotten: log.forgotten,
    isRecorded: log.isRecorded,
    forked,
    record: (indexes) => log.record(indexes, journal.append),

    async copyOf(number) {
      await copying
      return copies.read(number)
    },

    forget(bundle) {
      const number = log.forgotten().size / tileWidth
      const forgotten = log.forget(bundle)
      if (forgotten === undefined) return false
      journal.append(forgotten)
      copying = copying.then(() => copies.keep(number, bundle))
      return true
    },

    async renew(sign) {
      try {
        if (log.tree().size > synced().size) await sync()
        if (synced().size > (log.signed()?.size ?? 0)) {
          log.sign({ size: synced().size, note: sign(synced()) }, journal.append)
        }
        const signed = log.signed()
        if (signed !== shown) await journal.sync()
        shown = signed
      } catch (error) {
        if (!(error instanceof JournalUnavailable)) throw error // `condition` tells the operator.
      }
      return shown
    },
  }
}
