import * as original from '../../../src/vault/books/journal/journal.ts'
import { reached } from './points.ts'

export * from '../../../src/vault/books/journal/journal.ts'

export async function openJournal(
  ...given: Parameters<typeof original.openJournal>
): ReturnType<typeof original.openJournal> {
  const journal = await original.openJournal(...given)
  return {
    ...journal,
    sync() {
      const synced = journal.sync()
      // What was entered in this turn of the event loop is written in the next one, and its frame begins.
      setImmediate(() => reached('framing'))
      return synced
    },
  }
}
