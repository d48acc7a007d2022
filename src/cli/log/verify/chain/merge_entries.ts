import type { PlacedEntry } from './check_log.ts'

/**
 * The entries of several logs in the order of the organization's heads. Each log has them in this order, so the first
 * ones of all logs are enough to know the next.
 */
export async function* mergeEntries(
  logs: readonly AsyncGenerator<PlacedEntry, void, undefined>[],
): AsyncGenerator<PlacedEntry, void, undefined> {
  const first: { readonly log: AsyncGenerator<PlacedEntry, void, undefined>; placed: PlacedEntry }[] = []
  for (const log of logs) {
    const { value: placed } = await log.next()
    if (placed !== undefined) first.push({ log, placed })
  }
  for (;;) {
    const [one] = first.toSorted(
      ({ placed: one }, { placed: other }) => orderOf(one) - orderOf(other) || one.entry.atMs - other.entry.atMs,
    )
    if (one === undefined) return
    yield one.placed
    const { value: next } = await one.log.next()
    if (next === undefined) first.splice(first.indexOf(one), 1)
    else one.placed = next
  }
}

/** An entry that makes a head stands before those that rest on it, which stand in the order of their times. */
function orderOf({ entry: { makes, restsOn } }: PlacedEntry): number {
  return makes === undefined ? (restsOn?.version ?? 0) + 0.5 : makes.version
}
