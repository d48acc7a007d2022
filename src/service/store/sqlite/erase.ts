import type { DatabaseSync } from 'node:sqlite'
import { type Erasure, erasedAtOnceMax } from '../../../protocol/reads.ts'
import type { Statements } from './connection.ts'
import type { SchemaGuard } from './schema_guard.ts'

/** Of what is left over: few, since everybody who writes waits for a portion. */
export const erasedLaterMax = 200

/**
 * Erases records that a commit has made unreachable, in portions: a wallet may have a million accounts, and one
 * transaction for all of them would keep everybody else from writing for a minute.
 */
export type Eraser = {
  /** The first portion, in the transaction of the commit; what is left over is noted for `eraseMore`. */
  readonly begin: (erasure: Erasure) => void
  /** Another portion, in a transaction of its own. `done`: nothing was left. Throws when the database cannot write. */
  readonly eraseMore: () => 'more' | 'done'
}

export function createEraser(database: DatabaseSync, statements: Statements, schema: SchemaGuard): Eraser {
  const { someErasure, recordsOfKind, recordsOfOwner, insertErasure, deleteErasure, deleteLookupsOf, deleteRecord } =
    statements
  const beginTransaction = database.prepare('begin immediate')
  const commit = database.prepare('commit')

  return {
    begin({ organizationId, kind, ownerId = '' }) {
      const erasure = { organizationId, kind, ownerId }
      if (!erasePortion(erasure, erasedAtOnceMax)) insertErasure.run(erasure)
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

  /** Whether that was all of it. */
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
