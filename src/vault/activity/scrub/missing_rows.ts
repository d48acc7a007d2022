import type { LogEntry, LoggedFact } from '../../../protocol/log/log_entry.ts'
import { factOfAct, type OperatorAct } from '../operator_acts.ts'
import type { Scrubbing } from './read_rows.ts'
import type { ScrubParts } from './scrub_parts.ts'

/** Numbers of entries that follow one another, the last one included. */
type Range = [from: number, to: number]

/** A document has room for so many. */
const rangesMax = 120
const factsPerStep = 1_000

/**
 * Which entries have no row, since the operator has accepted a restored database and until the log says so. The log
 * itself knows what is due: `accept_restore` begins it, and `compare_restore` ends it. So a restart forgets nothing.
 */
export type MissingRows = {
  /** Takes the entries of the log in their order. `lacksRow`: nobody knows that its commit is on disk, and there is no row. */
  pass(entry: LogEntry, at: { readonly index: number; readonly lacksRow: boolean }): void
  /** Enters for each organization which of its entries have no row, if that is due. `unread`: entries that were not read. */
  enter(parts: Pick<ScrubParts, 'books' | 'nowMs' | 'randomBytes'>, unread: number): Scrubbing<void>
}

export function createMissingRows(): MissingRows {
  /** By organization: of entries before the last accepted restore, and after it. */
  let due = new Map<string, Range[]>()
  let later = new Map<string, Range[]>()
  let acceptedAt: number | undefined

  return {
    pass(entry, { index, lacksRow }) {
      if (lacksRow) add(later, entry.organizationId, [entry.number, entry.number])
      const act = entry.document === undefined ? undefined : JSON.parse(entry.document).act
      if (act === 'accept_restore') {
        for (const [organizationId, ranges] of later) for (const range of ranges) add(due, organizationId, range)
        acceptedAt = index
      }
      if (act === 'compare_restore') {
        due = new Map()
        acceptedAt = undefined
      }
      if (act === 'accept_restore' || act === 'compare_restore') later = new Map()
    },

    async *enter({ books, nowMs, randomBytes }, unread) {
      if (acceptedAt === undefined) return
      let entries = 0
      let facts: LoggedFact[] = []
      const accepted = { acceptedAt }
      const factOf = (act: OperatorAct, organizationId?: string) =>
        factOfAct(act, { atMs: nowMs(), organizationId, randomBytes })
      for (const [organizationId, ranges] of due) {
        for (let at = 0; at < ranges.length; at += rangesMax) {
          const numbers = ranges.slice(at, at + rangesMax)
          for (const [from, to] of numbers) entries += to - from + 1
          facts.push(factOf({ act: 'miss_rows', ...accepted, numbers }, organizationId))
        }
        if (facts.length < factsPerStep) continue
        for (const fact of facts) await books.enter([fact])
        facts = []
        yield { of: 'rows', reads: [] } // The service rests between steps.
      }
      const organizations = due.size
      const told = factOf({ act: 'compare_restore', ...accepted, organizations, entries, unread })
      for (const fact of [...facts, told]) await books.enter([fact])
    },
  }
}

function add(ranges: Map<string, Range[]>, organizationId: string, [from, to]: Range): void {
  const known = ranges.get(organizationId)
  const last = known?.at(-1)
  if (known === undefined) ranges.set(organizationId, [[from, to]])
  else if (last !== undefined && last[1] + 1 === from) last[1] = to
  else known.push([from, to])
}
