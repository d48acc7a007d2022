import { type Findings, findingsMax } from '../findings.ts'
import type { PlacedEntry } from './check_log.ts'

/** How many entries there are, of which kinds, and which have no document. */
export type EntriesTally = {
  readonly entries: number
  readonly flagged: { readonly late: number; readonly takenUp: number; readonly ofOperator: number }
  /** At most `findingsMax` of those that are late. */
  readonly lateEntries: readonly (Place & { readonly atMs: number })[]
  /** Entries of an earlier time than one before them in their log, and not marked late. `byMs`: how much earlier. */
  readonly wentBack: { readonly count: number; readonly named: readonly (Place & { readonly byMs: number })[] }
  /** Entries that make no head and have no document: what left the vault, and was not kept. */
  readonly unconfirmed: { readonly count: number; readonly named: readonly Unconfirmed[] }
}

type Place = Pick<PlacedEntry, 'origin' | 'index'>
type Unconfirmed = Place & { readonly activityId: string; readonly version: number }

export function createTally(findings: Findings) {
  const flagged = { late: 0, takenUp: 0, ofOperator: 0 }
  const unconfirmed = { count: 0, named: [] as Unconfirmed[] }
  const lateEntries: (Place & { atMs: number })[] = []
  const wentBack = { count: 0, named: [] as (Place & { byMs: number })[] }
  /** The latest time in each log. */
  const latest = new Map<string, number>()
  let entries = 0

  function noteTime({ origin, index, entry: { atMs, isLate } }: PlacedEntry): void {
    if (isLate) {
      if (lateEntries.length < findingsMax) lateEntries.push({ origin, index, atMs })
      return
    }
    const byMs = (latest.get(origin) ?? atMs) - atMs
    if (byMs <= 0) latest.set(origin, atMs)
    else {
      wentBack.count += 1
      if (wentBack.named.length < findingsMax) wentBack.named.push({ origin, index, byMs })
    }
  }

  function noteMissing({ origin, index, entry: { activity, makes } }: PlacedEntry): void {
    if (activity === undefined) return
    const { activityId, version } = activity
    if (makes !== undefined) {
      findings.add({ origin, index, what: `the document of version ${version} of activity ${activityId} is missing` })
      return
    }
    unconfirmed.count += 1
    if (unconfirmed.named.length < findingsMax) unconfirmed.named.push({ origin, index, activityId, version })
  }

  return {
    add(placed: PlacedEntry): void {
      const { isLate, isTakenUp, isOfOperator } = placed.entry
      entries += 1
      noteTime(placed)
      if (isLate) flagged.late += 1
      if (isTakenUp) flagged.takenUp += 1
      if (isOfOperator) flagged.ofOperator += 1
      if (placed.hasDocument !== true) noteMissing(placed)
    },
    result: (): EntriesTally => ({ entries, flagged, lateEntries, wentBack, unconfirmed }),
  }
}
