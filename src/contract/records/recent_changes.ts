/** An approval counts for a day, and after that it must be given again. */
export const approvalLifetimeMs = 24 * 60 * 60 * 1000

/** A thing that a record has and that others go by: a name, a contact, a tag, a list. `what` is set as one. */
export type Known = { readonly what: string; readonly value: string }

/** When a record last got or lost this value. */
export type RecentChange = Known & { readonly atMs: number }

export type WithRecentChanges = { readonly recentChanges?: readonly RecentChange[] }

/** More of them in a day are one change of `anything`. */
const recentChangesMax = 100
const anything = { what: '', value: '' } as const

/** The values that only one of the two has. */
export function differenceOf(before: readonly Known[], after: readonly Known[]): readonly Known[] {
  const lacks = (list: readonly Known[]) => (one: Known) => !list.some((other) => isSame(one, other))
  return [...before.filter(lacks(after)), ...after.filter(lacks(before))]
}

/**
 * The changes of a record with those of now. It keeps the changes since which an approval may still count, and the last
 * one, which says of an activity that waits for longer that something has changed.
 */
export function withChanges(
  recent: readonly RecentChange[],
  changed: readonly Known[],
  nowMs: number,
): readonly RecentChange[] {
  const now = changed.map(({ what, value }) => ({ what, value, atMs: nowMs }))
  const before = recent.filter(
    (one) => one.atMs + approvalLifetimeMs > nowMs && !now.some((other) => isSame(one, other)),
  )
  const all = [...now, ...before.toSorted((one, other) => other.atMs - one.atMs)]
  const [dropped] = all.slice(recentChangesMax)
  return dropped === undefined ? all : [...all.slice(0, recentChangesMax), { ...anything, atMs: dropped.atMs }]
}

/** The changes after a time. Records from before these were kept count as unchanged. */
export function changesSince({ recentChanges = [] }: WithRecentChanges, timeMs: number): readonly RecentChange[] {
  return recentChanges.filter(({ atMs }) => atMs > timeMs)
}

/** Whether a value is meant, or stands for too many values. */
export function isOneOf(known: Known, isMeant: (known: Known) => boolean): boolean {
  return known.what === anything.what || isMeant(known)
}

function isSame(one: Known, other: Known): boolean {
  return one.what === other.what && one.value === other.value
}
