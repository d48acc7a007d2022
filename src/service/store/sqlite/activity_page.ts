import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { activityPageBytesMax, type FoundActivity, type Read } from '../../../protocol/reads.ts'
import { createTurnstile } from '../../turns/turnstile.ts'
import { completedSequences, visitedRowsMax } from '../completed_sequences.ts'
import { sequenceFilters, sequenceQueries } from '../queries.ts'
import { statusCompleted } from '../schema.ts'
import { assertPage } from '../store.ts'
import { prepareAll, type Statements } from './connection.ts'

type ActivitiesRead = Extract<Read, { readonly read: 'activities' }>

/** `open`: activities on the way that had another status of the page. They may have completed since. */
type Passed = { readonly completed: readonly number[]; readonly open: readonly number[] }

const noneOf: Passed = { completed: [], open: [] }

/** The activities that were passed in search of completed ones, for each page that has some. */
export type Completed = Map<Read, Passed>

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

  function isCompleted(organizationId: string, sequence: number): boolean {
    const [row] = below.visited.all({ organizationId, cursor: sequence + 1, limit: 1, status: '', type: '' })
    return row?.sequence === sequence && row.status === statusCompleted
  }

  return {
    /** The sequences nearest to the cursor for each type. After so many rows, organizations take turns. */
    async completedOf(read: ActivitiesRead): Promise<Passed> {
      const { organizationId, limit } = read
      const cursor = startOf(read)
      if (cursor === undefined) return noneOf
      const statements = read.before === undefined ? below : above
      const completed: number[] = []
      const open: number[] = []
      let visited = 0
      for (const { query, ...filter } of sequenceFilters(read).completed) {
        const visit = async (range: { readonly cursor: number; readonly limit: number }) => {
          if (visited >= visitedRowsMax) {
            await turnstile.turn(organizationId)
            visited = 0
          }
          const rows = statements[query].all({ organizationId, ...range, ...filter })
          visited += rows.length
          return rows
        }
        const ofType = await completedSequences({ cursor, limit }, visit, ({ sequence, status }) => {
          if (read.statuses?.includes(status)) open.push(sequence)
        })
        completed.push(...ofType)
      }
      return { completed, open }
    },

    rows(read: ActivitiesRead, passed = noneOf): readonly FoundActivity[] | undefined {
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
      const isOpen = new Set(open)
      const ended = passed.open.filter((sequence) => !isOpen.has(sequence) && isCompleted(organizationId, sequence))
      const nearest = [...passed.completed, ...ended, ...open]
        .sort((a, b) => (isBefore ? a - b : b - a))
        .slice(0, limit)
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
