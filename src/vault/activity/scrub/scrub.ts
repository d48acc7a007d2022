import type { ScrubAnswer, ScrubFound, ScrubReport } from '../../../link/scrubbing.ts'
import { tileWidth } from '../../../protocol/log/tree/tiles.ts'
import { compareEntries } from './compare_entries.ts'
import { enterLate } from './enter_late.ts'
import { createMissingRows } from './missing_rows.ts'
import { provenEntries } from './proven_bundle.ts'
import { provenRoots, rootAt } from './proven_roots.ts'
import type { Scrubbing } from './read_rows.ts'
import type { ScrubParts, Tally } from './scrub_parts.ts'
import { createSeenVersions } from './seen_versions.ts'

/** A decision leaves, or its head is confirmed, within this time after it was made. */
const settledMs = 10 * 60_000
/** Incidents of one pass that are told. If the database lost all, one line for each row would help nobody. */
const incidentsMax = 100

/**
 * Compares the transparency log with the database, step by step: the service asks for the next step whenever it likes, and
 * brings what the last one wanted.
 */
export function createScrub(parts: ScrubParts): (found: ScrubFound) => Promise<ScrubAnswer> {
  let pass: Scrubbing<ScrubReport> | undefined
  let told: string[] = []

  return async (found) => {
    if (found.of === 'beginning') {
      pass = scrubPass(parts, (incident) => told.push(incident))
      told = []
    }
    if (pass === undefined) throw new Error('no comparison of the transparency log was begun')
    const running = pass
    pass = undefined // If it fails, another one has to be begun.
    const step = await running.next(found)
    const incidents = told
    told = []
    if (step.done === true) return { wanted: { of: 'nothing', report: step.value }, incidents }
    pass = running
    return { wanted: step.value, incidents }
  }
}

/**
 * Walks the log from its beginning to its end as it is now, first the bundles in the database and then what the journal
 * keeps, and compares its entries with rows. Then walks all activities for those without an entry.
 */
async function* scrubPass(parts: ScrubParts, tell: Tally['tell']): Scrubbing<ScrubReport> {
  const { books, nowMs, openedMs, randomBytes } = parts
  const tree = books.transparency.forgotten()
  const { entries: kept } = books.transparency.kept()
  const beforeMs = Math.max(openedMs, nowMs() - settledMs)
  let incidents = 0
  const tally: Tally = {
    ...{ entries: 0, late: 0, unconfirmed: 0, restored: 0 },
    tell(incident) {
      incidents += 1
      if (incidents <= incidentsMax) tell(incident)
    },
  }
  const seen = createSeenVersions(tree.size + kept.length, randomBytes(16))
  const missing = createMissingRows()
  const findings = { seen, missing, tally }
  const roots = yield* provenRoots(parts, tree, tally)
  let unread = typeof roots === 'string' ? tree.size : 0
  if (typeof roots === 'string') tally.tell(`the transparency log ${books.logId()}: ${roots}`)
  for (let from = 0; typeof roots !== 'string' && from < tree.size; from += tileWidth) {
    const number = from / tileWidth
    const entries = yield* provenEntries(parts, { number, root: rootAt(roots, number) }, tally)
    if (entries === undefined) unread += tileWidth
    else yield* compareEntries(parts, { from, entries }, findings)
  }
  for (let at = 0; at < kept.length; at += tileWidth) {
    const entries = kept.slice(at, at + tileWidth)
    yield* compareEntries(parts, { from: tree.size + at, entries }, findings)
  }
  // Without all entries nobody knows which rows have none.
  if (unread === 0) yield* enterLate(parts, { seen, beforeMs, tally })
  yield* missing.enter(parts, unread)
  const { entries, late, unconfirmed, restored } = tally
  return { entries, late, unconfirmed, restored, incidents }
}
