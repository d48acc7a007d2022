import type { PlacedEntry } from './check_log.ts'
import { type Findings, findingsMax } from './findings.ts'

/** How many entries there are, of which kinds, and which have no document. */
export type EntriesTally = {
  readonly entries: number
  readonly flagged: { readonly late: number; readonly takenUp: number; readonly ofOperator: number }
  /** Entries that make no head and have no document: what left the vault, and was not kept. */
  readonly unconfirmed: { readonly count: number; readonly named: readonly Unconfirmed[] }
}

type Unconfirmed = Pick<PlacedEntry, 'origin' | 'index'> & { readonly activityId: string; readonly version: number }

export function createTally(findings: Findings) {
  const flagged = { late: 0, takenUp: 0, ofOperator: 0 }
  const unconfirmed = { count: 0, named: [] as Unconfirmed[] }
  let entries = 0

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
      if (isLate) flagged.late += 1
      if (isTakenUp) flagged.takenUp += 1
      if (isOfOperator) flagged.ofOperator += 1
      if (placed.hasDocument !== true) noteMissing(placed)
    },
    result: (): EntriesTally => ({ entries, flagged, unconfirmed }),
  }
}
