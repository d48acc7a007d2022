import { type Amount, withAmount } from '../../policy/spending.ts'
import { type CountEntry, foreverMs } from './entries.ts'

/**
 * The amounts that were counted under each name, with their times and count keys. The same key counts once, however
 * often its request is decided again.
 */
export type Counts = {
  /** Counts an entry. Changes nothing if the entry is already counted. */
  add(entry: CountEntry): void
  /** Whether the same key has counted at least this amount under this name. */
  has(entry: Pick<CountEntry, 'name' | 'countKey' | 'amount'>): boolean
  /**
   * The amounts under the name, in no order, without those of the count key `exceptKey`. Amounts that are close in time
   * may be merged into one amount, which has the time of the latest.
   */
  amounts(name: string, exceptKey: string | undefined): readonly Amount[]
  /** A number that changes whenever an amount is counted under the name; 0 if none is counted. */
  revision(name: string): number
  forget(group: string): void
  /** All entries that still count at `nowMs`, for a snapshot of the journal. */
  all(nowMs: number): Iterable<CountEntry>
  /** The number of names that are kept. */
  readonly size: number
}

/** How long the same request may be decided again. */
export const requestMsMax = 2 * 60 * 60 * 1000
/** A count drops old keys at most once in this time. */
const portionMs = 15 * 60 * 1000
/** A count with at most this many keys returns each amount; with more keys, sums by the slots of `withAmount`. */
const apartMax = 64
/** The key of amounts whose own keys were dropped. */
const nobody = '0'.repeat(32)

type Count = {
  readonly group: string | undefined
  revision: number
  /** The time of the latest amount. */
  latestMs: number
  /** How long an amount counts. */
  keptMs: number
  /** The amounts by count key, in order of time. */
  readonly byKey: Map<string, Amount>
  /** The amounts of `byKey`, merged. */
  merged: readonly Amount[]
  /** The amounts whose keys were dropped, merged. */
  older: readonly Amount[]
}

const namesSweptMin = 1024

export function createCounts(): Counts {
  const counts = new Map<string, Count>()
  const groups = new Map<string, Set<string>>()
  let sweptAtSize = namesSweptMin
  /** The last revision of any name. A name that was swept and is counted again must not get a revision that it had. */
  let lastRevision = 0

  function sweep(nowMs: number): void {
    for (const [name, count] of counts) if (untilMsOf(count.latestMs, count) <= nowMs) drop(name, count)
    sweptAtSize = Math.max(namesSweptMin, 2 * counts.size)
  }

  function drop(name: string, { group }: Count): void {
    counts.delete(name)
    if (group === undefined) return
    const names = groups.get(group)
    names?.delete(name)
    if (names?.size === 0) groups.delete(group)
  }

  function newCount(name: string, group: string | undefined): Count {
    if (group !== undefined) groups.set(group, (groups.get(group) ?? new Set()).add(name))
    const count = { group, revision: 0, latestMs: 0, keptMs: 0, byKey: new Map(), merged: [], older: [] }
    counts.set(name, count)
    return count
  }

  function has({ name, countKey, amount }: Pick<CountEntry, 'name' | 'countKey' | 'amount'>): boolean {
    const before = counts.get(name)?.byKey.get(countKey)
    return before !== undefined && before.amount >= amount
  }

  return {
    add({ group, name, countKey, amount, atMs, untilMs }) {
      if (has({ name, countKey, amount })) return
      const count = counts.get(name) ?? newCount(name, group)
      const before = count.byKey.get(countKey)
      lastRevision += 1
      count.revision = lastRevision
      count.latestMs = Math.max(count.latestMs, atMs)
      count.keptMs = Math.max(count.keptMs, untilMs === foreverMs ? Infinity : untilMs - atMs)
      const added = { atMs, amount: amount - (before?.amount ?? 0n) }
      if (countKey === nobody) count.older = withAmount(count.older, added, count.keptMs)
      else {
        count.byKey.set(countKey, before === undefined ? added : { atMs: before.atMs, amount })
        count.merged = withAmount(count.merged, { ...added, atMs: before?.atMs ?? atMs }, count.keptMs)
        dropOld(count, atMs)
      }
      if (counts.size > sweptAtSize) sweep(atMs)
    },

    has,

    amounts(name, exceptKey) {
      const count = counts.get(name)
      if (count === undefined) return []
      const { byKey, merged, older } = count
      const own = exceptKey === undefined ? undefined : byKey.get(exceptKey)
      if (byKey.size <= apartMax) return [...older, ...[...byKey.values()].filter((amount) => amount !== own)]
      return own === undefined ? [...older, ...merged] : [...older, ...merged, { ...own, amount: -own.amount }]
    },

    revision: (name) => counts.get(name)?.revision ?? 0,

    forget(group) {
      for (const name of groups.get(group) ?? []) counts.delete(name)
      groups.delete(group)
    },

    *all(nowMs) {
      for (const [name, count] of counts) {
        const { byKey, older, latestMs } = count
        if (untilMsOf(latestMs, count) <= nowMs) continue
        const entryOf = (countKey: string, amount: Amount): CountEntry => ({
          ...(count.group === undefined ? {} : { group: count.group }),
          ...{ name, countKey, ...amount, untilMs: untilMsOf(amount.atMs, count) },
        })
        // Both lists are made at once: between two steps an amount could move from `byKey` to `older` and be missed.
        yield* [
          ...older.map((amount) => entryOf(nobody, amount)),
          ...[...byKey].map(([countKey, amount]) => entryOf(countKey, amount)),
        ]
      }
    },

    get size() {
      return counts.size
    },
  }
}

function untilMsOf(atMs: number, { keptMs }: Count): number {
  return Math.min(atMs + keptMs, foreverMs)
}

/** Drops the keys of requests that are too old to be decided again, and keeps their amounts. */
function dropOld(count: Count, nowMs: number): void {
  const [oldest] = count.byKey.values()
  if (oldest === undefined || nowMs - oldest.atMs <= requestMsMax + portionMs) return
  for (const [countKey, amount] of count.byKey) {
    if (nowMs - amount.atMs <= requestMsMax) break
    count.byKey.delete(countKey)
    count.older = withAmount(count.older, amount, count.keptMs)
  }
  const { keptMs } = count
  count.merged = [...count.byKey.values()].reduce<readonly Amount[]>((all, one) => withAmount(all, one, keptMs), [])
}
