import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { activityPageBytesMax, type FoundActivity, type Read } from '../../../protocol/reads.ts'
import { createTurnstile } from '../../turns/turnstile.ts'
import { completedSequences } from '../completed_sequences.ts'
import { sequenceFilters, sequenceQueries } from '../queries.ts'
import { assertPage } from '../store.ts'
import { prepareAll, type Statements } from './connection.ts'

type ActivitiesRead = Extract<Read, { readonly read: 'activities' }>

/** The sequences of completed activities for each page that has some. */
export type Completed = Map<Read, readonly number[]>

export function createActivityPage(database: DatabaseSync, { activityAt, activitySequence }: Statements) {
  const below = prepareAll(database, sequenceQueries('<'))
  const above = prepareAll(database, sequenceQueries('>'))
  const turnstile = createTurnstile()

  /** Undefined: the activity of the cursor is unknown. */
  function startOf({ organizationId, after, before }: ActivitiesRead): number | undefined {
    const activityId = after ?? before
    if (activityId === undefined) return Number.MAX_SAFE_INTEGER
    return activitySequence.get({ organizationId, activityId })?.sequence
  }

  return {
    /** The sequences nearest to the cursor for each type. After a first slice, organizations take turns. */
    async completedOf(read: ActivitiesRead): Promise<readonly number[]> {
      const { organizationId, limit } = read
      const cursor = startOf(read)
      if (cursor === undefined) return []
      const statements = read.before === undefined ? below : above
      const found: number[] = []
      for (const { query, ...filter } of sequenceFilters(read).completed) {
        let isFirst = true
        const ofType = await completedSequences({ cursor, limit }, async (range) => {
          if (!isFirst) await turnstile.turn(organizationId)
          isFirst = false
          return statements[query].all({ organizationId, ...range, ...filter })
        })
        found.push(...ofType)
      }
      return found
    },

    rows(read: ActivitiesRead, completed: readonly number[]): readonly FoundActivity[] | undefined {
      const { organizationId, limit } = read
      assertPage(read)
      const cursor = startOf(read)
      if (cursor === undefined) return undefined

      // Newest first: activities after the cursor are older than it.
      const isBefore = read.before !== undefined
      const statements = isBefore ? above : below
      const open = sequenceFilters(read).open.flatMap(({ query, ...filter }) =>
        statements[query].all({ organizationId, cursor, limit, ...filter }).map(({ sequence }) => sequence),
      )
      const nearest = [...completed, ...open].sort((a, b) => (isBefore ? a - b : b - a)).slice(0, limit)
      const rows: FoundActivity[] = []
      let bytes = 0
      for (const sequence of nearest) {
        const row = activityAt.get({ organizationId, sequence })
        assert(row !== undefined, 'an activity left its place between two reads')
        bytes += row.sealed.length
        if (bytes > activityPageBytesMax && rows.length > 0) break
        rows.push(row)
      }
      return isBefore ? rows.toReversed() : rows
    },
  }
}
