import type { Activity } from '../../api/activity.ts'

/** An approval counts for a day (`src/deciding/rules/voters.ts`). */
const approvalMs = 24 * 3_600_000
/** How long before its end an approval is about to lapse. */
const soonMs = 6 * 3_600_000
const rowsMax = 5

export type Lapsing = { readonly activity: Activity; readonly lapsesAtMs: number }

/** The activities with an approval that lapses within hours, the soonest first. */
export function lapsingOf(activities: readonly Activity[], nowMs: number): readonly Lapsing[] {
  return activities
    .flatMap((activity) => {
      const ends = activity.votes
        .filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED')
        .map(({ createdAt }) => Number(createdAt.seconds) * 1_000 + approvalMs)
        .filter((endMs) => endMs > nowMs && endMs - nowMs <= soonMs)
      return ends.length === 0 ? [] : [{ activity, lapsesAtMs: Math.min(...ends) }]
    })
    .sort((a, b) => a.lapsesAtMs - b.lapsesAtMs)
    .slice(0, rowsMax)
}
