import type { DatabaseSync } from 'node:sqlite'
import type { Erasure } from '../../../protocol/reads.ts'
import type { Statements } from './connection.ts'
import type { SchemaGuard } from './schema_guard.ts'

/** Records in a later portion. Few, because every commit waits while a portion is erased. */
export const erasedLaterMax = 200

/**
 * Erases records that a commit has made unreachable, in portions. A wallet may have a million accounts, and one
 * transaction for all of them would block other commits for a minute.
 */
export type Eraser = {
  /** Erases the first portion, of so many records, in the transaction of the commit, and notes the rest for `eraseMore`. */
  readonly begin: (erasure: Erasure, limit: number) => void
  /** Erases another portion in its own transaction. `done`: nothing was left. Throws when the database cannot write. */
  readonly eraseMore: () => 'more' | 'done'
}

export function createEraser(database: DatabaseSync, statements: Statements, schema: SchemaGuard): Eraser {
  const { someErasure, recordsOfKind, recordsOfOwner, insertErasure, deleteErasure, deleteLookupsOf, deleteRecord } =
    statements
  const beginTransaction = database.prepare('begin immediate')
  const commit = database.prepare('commit')

  return {
    begin({ organizationId, kind, ownerId = '' }, limit) {
      const erasure = { organizationId, kind, ownerId }
      if (!erasePortion(erasure, limit)) insertErasure.run(erasure)
    },

    eraseMore() {
      const erasure = someErasure.get({})
      if (erasure === undefined) return 'done'
      try {
        beginTransaction.run()
        schema.enter()
        if (erasePortion(erasure, erasedLaterMax)) deleteErasure.run(erasure)
        schema.leave()
        commit.run()
        return 'more'
      } finally {
        if (database.isTransaction) database.exec('rollback')
      }
    },
  }

  /** Returns whether nothing is left. */
  function erasePortion(erasure: { organizationId: string; kind: string; ownerId: string }, limit: number): boolean {
    const { organizationId, kind, ownerId } = erasure
    const rows = (ownerId === '' ? recordsOfKind : recordsOfOwner).all({ ...erasure, limit })
    for (const { recordId } of rows) {
      deleteLookupsOf.run({ organizationId, kind, recordId })
      deleteRecord.run({ organizationId, kind, recordId })
    }
    return rows.length < limit
  }
}
