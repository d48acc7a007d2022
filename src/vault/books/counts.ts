import { type Amount, withAmount } from '../../policy/spending.ts'
import type { CountEntry } from './entries.ts'

/**
 * What was counted under each name: amounts with their time and the request that counted them. The same request counts
 * once, however often it is decided again.
 */
export type Counts = {
  /** Says whether that changed anything: the same request with no greater amount does not. */
  add(entry: CountEntry): boolean
  /** In no order; without what `exceptKey` has counted. Old ones of one time are merged, at the time of the latest. */
  amounts(name: string, exceptKey: string | undefined): readonly Amount[]
  /** Grows whenever anything is counted under the name. */
  revision(name: string): number
  /** All that still counts at `nowMs`, for a snapshot of the journal. */
  all(nowMs: number): Iterable<CountEntry>
  /** How many names are kept. */
  readonly size: number
}

/** For as long as the same request may be decided again. */
export const requestMsMax = 2 * 60 * 60 * 1000
/** Requests are dropped from a count in portions of this time. */
const portionMs = 15 * 60 * 1000
/** Up to so many amounts of one count are kept apart; more are summed by the slots of `withAmount`. */
const apartMax = 64
/** What no request may count again. */
const nobody = '0'.repeat(32)

type Count = {
  revision: number
  untilMs: number
  /** By request, in order of time. */
  readonly byRequest: Map<string, Amount>
  /** The same, merged. */
  merged: readonly Amount[]
  /** Of requests that are not told apart any more. */
  older: readonly Amount[]
}

const namesSweptMin = 1024

export function createCounts(): Counts {
  const counts = new Map<string, Count>()
  let sweptAtSize = namesSweptMin

  function sweep(nowMs: number): void {
    for (const [name, { untilMs }] of counts) if (untilMs <= nowMs) counts.delete(name)
    sweptAtSize = Math.max(namesSweptMin, 2 * counts.size)
  }

  return {
    add({ name, requestKey, amount, atMs, untilMs }) {
      const count = counts.get(name) ?? { revision: 0, untilMs: 0, byRequest: new Map(), merged: [], older: [] }
      const before = count.byRequest.get(requestKey)
      if (before !== undefined && before.amount >= amount) return false
      count.revision += 1
      count.untilMs = Math.max(count.untilMs, untilMs)
      const added = { atMs, amount: amount - (before?.amount ?? 0n) }
      if (requestKey === nobody) count.older = withAmount(count.older, added)
      else {
        count.byRequest.set(requestKey, before === undefined ? added : { atMs: before.atMs, amount })
        count.merged = withAmount(count.merged, { ...added, atMs: before?.atMs ?? atMs })
        dropOld(count, atMs)
      }
      counts.set(name, count)
      if (counts.size > sweptAtSize) sweep(atMs)
      return true
    },

    amounts(name, exceptKey) {
      const count = counts.get(name)
      if (count === undefined) return []
      const { byRequest, merged, older } = count
      const own = exceptKey === undefined ? undefined : byRequest.get(exceptKey)
      if (byRequest.size <= apartMax) return [...older, ...[...byRequest.values()].filter((amount) => amount !== own)]
      return own === undefined ? [...older, ...merged] : [...older, ...merged, { ...own, amount: -own.amount }]
    },

    revision: (name) => counts.get(name)?.revision ?? 0,

    *all(nowMs) {
      for (const [name, { byRequest, older, untilMs }] of counts) {
        if (untilMs <= nowMs) continue
        for (const amount of older) yield { name, requestKey: nobody, ...amount, untilMs }
        for (const [requestKey, amount] of byRequest) yield { name, requestKey, ...amount, untilMs }
      }
    },

    get size() {
      return counts.size
    },
  }
}

/** A request that is too old to be decided again needs no name. */
function dropOld(count: Count, nowMs: number): void {
  const [oldest] = count.byRequest.values()
  if (oldest === undefined || nowMs - oldest.atMs <= requestMsMax + portionMs) return
  for (const [requestKey, amount] of count.byRequest) {
    if (nowMs - amount.atMs <= requestMsMax) break
    count.byRequest.delete(requestKey)
    count.older = withAmount(count.older, amount)
  }
  count.merged = [...count.byRequest.values()].reduce<readonly Amount[]>(withAmount, [])
}
