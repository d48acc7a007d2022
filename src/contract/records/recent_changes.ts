/** An approval counts for a day, and after that it must be given again. */
export const approvalLifetimeMs = 24 * 60 * 60 * 1000

/** The longest from when a code is sent to when its token is over: ten minutes and a day. An approval ends before. */
export const wholeTokenMs = 10 * 60 * 1000 + 24 * 60 * 60 * 1000

/**
 * A thing that a record has and that others go by: a name, a contact, a tag, a list. `what` is set as one, and each tag
 * by itself.
 */
export type Known = { readonly what: string; readonly value: string }

/** When a record last got or lost this value. Without one, it may have been any: there were too many in a day. */
export type RecentChange = { readonly what: string; readonly value?: string; readonly atMs: number }

export type WithRecentChanges = { readonly recentChanges?: readonly RecentChange[] }

export const tagged = 'tag'

/**
 * How many values are kept of each `what`. Too many of one must not stand for another, nor harmless tags for those by which
 * rules go: one request gives a hundred.
 */
const [tagsMax, othersMax] = [1_000, 100]

/** The values that only one of the two has. */
export function differenceOf(before: readonly Known[], after: readonly Known[]): readonly Known[] {
  const lacks = (list: readonly Known[]) => (one: Known) => !list.some((other) => isSame(one, other))
  return [...before.filter(lacks(after)), ...after.filter(lacks(before))]
}

/**
 * The changes of a record with those of now. It keeps the changes since which an approval may still count or a token be
 * good, and the last one, which says of an activity that waits for longer that something has changed.
 */
export function withChanges(
  recent: readonly RecentChange[],
  changed: readonly Known[],
  nowMs: number,
): readonly RecentChange[] {
  const now = changed.map(({ what, value }) => ({ what, value, atMs: nowMs }))
  const before = recent.filter((one) => one.atMs + wholeTokenMs > nowMs && !now.some((other) => isSame(one, other)))
  const all: readonly RecentChange[] = [...now, ...before.toSorted((one, other) => other.atMs - one.atMs)]
  return [...Map.groupBy(all, ({ what }) => what)].flatMap(([what, changes]) => {
    const kept = changes.slice(0, what === tagged ? tagsMax : othersMax)
    const dropped = changes[kept.length]
    return dropped === undefined ? kept : [...kept, { what, atMs: dropped.atMs }]
  })
}

/** The changes after a time. Records from before these were kept count as unchanged. */
export function changesSince({ recentChanges = [] }: WithRecentChanges, timeMs: number): readonly RecentChange[] {
  return recentChanges.filter(({ atMs }) => atMs > timeMs)
}

/** Whether a change is of what a value is set as. */
export function isAbout(change: RecentChange, { what, value }: Known): boolean {
  return change.what === what && (what !== tagged || change.value === undefined || change.value === value)
}

function isSame(one: Omit<RecentChange, 'atMs'>, other: Known): boolean {
  return one.what === other.what && one.value === other.value
}
