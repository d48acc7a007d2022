import { type Amount, withAmount } from '../../policy/spending.ts'
import type { CountEntry } from './entries.ts'

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
  revision: number
  untilMs: number
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
  let sweptAtSize = namesSweptMin
  /** The last revision of any name. A name that was swept and is counted again must not get a revision that it had. */
  let lastRevision = 0

  function sweep(nowMs: number): void {
    for (const [name, { untilMs }] of counts) if (untilMs <= nowMs) counts.delete(name)
    sweptAtSize = Math.max(namesSweptMin, 2 * counts.size)
  }

  function has({ name, countKey, amount }: Pick<CountEntry, 'name' | 'countKey' | 'amount'>): boolean {
    const before = counts.get(name)?.byKey.get(countKey)
    return before !== undefined && before.amount >= amount
  }

  return {
    add({ name, countKey, amount, atMs, untilMs }) {
      if (has({ name, countKey, amount })) return
      const count = counts.get(name) ?? { revision: 0, untilMs: 0, byKey: new Map(), merged: [], older: [] }
      const before = count.byKey.get(countKey)
      lastRevision += 1
      count.revision = lastRevision
      count.untilMs = Math.max(count.untilMs, untilMs)
      const added = { atMs, amount: amount - (before?.amount ?? 0n) }
      if (countKey === nobody) count.older = withAmount(count.older, added)
      else {
        count.byKey.set(countKey, before === undefined ? added : { atMs: before.atMs, amount })
        count.merged = withAmount(count.merged, { ...added, atMs: before?.atMs ?? atMs })
        dropOld(count, atMs)
      }
      counts.set(name, count)
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

    *all(nowMs) {
      for (const [name, { byKey, older, untilMs }] of counts) {
        if (untilMs <= nowMs) continue
        // Both lists are made at once: between two steps an amount could move from `byKey` to `older` and be missed.
        yield* [
          ...older.map((amount) => ({ name, countKey: nobody, ...amount, untilMs })),
          ...[...byKey].map(([countKey, amount]) => ({ name, countKey, ...amount, untilMs })),
        ]
      }
    },

    get size() {
      return counts.size
    },
  }
}

/** Drops the keys of requests that are too old to be decided again, and keeps their amounts. */
function dropOld(count: Count, nowMs: number): void {
  const [oldest] = count.byKey.values()
  if (oldest === undefined || nowMs - oldest.atMs <= requestMsMax + portionMs) return
  for (const [countKey, amount] of count.byKey) {
    if (nowMs - amount.atMs <= requestMsMax) break
    count.byKey.delete(countKey)
    count.older = withAmount(count.older, amount)
  }
  count.merged = [...count.byKey.values()].reduce<readonly Amount[]>(withAmount, [])
}
