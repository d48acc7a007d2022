import type { Activity, ActivityStatus } from '../../api/activity.ts'

export const outcomes = ['completed', 'waiting', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

/** The activities that began in one hour, by what became of them. */
export type Hour = { readonly startMs: number; readonly counts: { readonly [O in Outcome]: number } }

const hourMs = 3_600_000
export const hoursShown = 24

const outcomeOf: { readonly [S in ActivityStatus]: Outcome } = {
  ACTIVITY_STATUS_COMPLETED: 'completed',
  ACTIVITY_STATUS_CONSENSUS_NEEDED: 'waiting',
  ACTIVITY_STATUS_AUTHENTICATORS_NEEDED: 'waiting',
  ACTIVITY_STATUS_FAILED: 'refused',
  ACTIVITY_STATUS_REJECTED: 'refused',
}

/** The last 24 hours, the oldest first. The last hour is the one that `nowMs` is in. */
export function byHour(activities: readonly Pick<Activity, 'status' | 'createdAt'>[], nowMs: number): readonly Hour[] {
  const lastMs = Math.floor(nowMs / hourMs) * hourMs
  return Array.from({ length: hoursShown }, (_, index) => {
    const startMs = lastMs - (hoursShown - 1 - index) * hourMs
    const counts = { completed: 0, waiting: 0, refused: 0 }
    for (const { status, createdAt } of activities) {
      const sinceMs = Date.parse(createdAt) - startMs
      if (sinceMs >= 0 && sinceMs < hourMs) counts[outcomeOf[status]] += 1
    }
    return { startMs, counts }
  })
}
