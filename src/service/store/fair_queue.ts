/** Things that wait to be taken together. */
export type FairQueue<T> = {
  add(item: T, by: { readonly owner: string; readonly bytes: number }): void
  /**
   * Takes one item of each owner in turn, up to `takenBytesMax` and at least one item. Small items and large ones are
   * never taken together. They alternate where both wait.
   */
  take(): readonly T[]
  takeAll(): readonly T[]
  size(): number
}

/** A transaction of this size takes some milliseconds to reach the disk, and everything behind it waits so long. */
export const takenBytesMax = 1024 * 1024
/** A large item in the same transaction would make small ones wait for all of it. */
const smallBytesMax = 65_536

type Entry<T> = { readonly item: T; readonly bytes: number }
/** The items of each owner, the owners in the order of their turns. */
type Waiting<T> = Map<string, Entry<T>[]>

/** Makes a queue in which owners take turns, so that one with many or large items does not delay the others. */
export function createFairQueue<T>(): FairQueue<T> {
  /** Owners whose next item is small, and owners whose next item is large. */
  const small: Waiting<T> = new Map()
  const large: Waiting<T> = new Map()
  let isTurnOfLarge = false
  let size = 0

  function wait(owner: string, entries: Entry<T>[]): void {
    const [next] = entries
    if (next !== undefined) (next.bytes > smallBytesMax ? large : small).set(owner, entries)
  }

  function takeNext(waiting: Waiting<T>): Entry<T> | undefined {
    const [first] = waiting
    if (first === undefined) return undefined
    const [owner, entries] = first
    const entry = entries.shift()
    waiting.delete(owner)
    wait(owner, entries)
    size -= 1
    return entry
  }

  function take(): readonly T[] {
    const isOfLarge = small.size === 0 || (isTurnOfLarge && large.size > 0)
    isTurnOfLarge = !isOfLarge
    const taken: T[] = []
    let bytes = 0
    while (bytes < takenBytesMax) {
      const entry = takeNext(isOfLarge ? large : small)
      if (entry === undefined) break
      taken.push(entry.item)
      bytes += entry.bytes
    }
    return taken
  }

  return {
    add(item, { owner, bytes }) {
      const entries = small.get(owner) ?? large.get(owner)
      if (entries === undefined) wait(owner, [{ item, bytes }])
      else entries.push({ item, bytes })
      size += 1
    },
    take,
    takeAll() {
      const taken: T[] = []
      while (size > 0) taken.push(...take())
      return taken
    },
    size: () => size,
  }
}
