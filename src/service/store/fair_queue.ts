/** Things that wait to be taken together. */
export type FairQueue<T> = {
  add(item: T, by: { readonly owner: string; readonly bytes: number }): void
  /** Takes one item of each owner in turn, up to `takenBytesMax` and at least one item. */
  take(): readonly T[]
  takeAll(): readonly T[]
  size(): number
}

/** A transaction of this size takes some milliseconds to reach the disk, and everything behind it waits so long. */
const takenBytesMax = 1024 * 1024

type Entry<T> = { readonly item: T; readonly bytes: number }

/** Makes a queue in which owners take turns, so that one with many or large items does not delay the others. */
export function createFairQueue<T>(): FairQueue<T> {
  /** The items of each owner, the owners in the order of their turns. */
  const waiting = new Map<string, Entry<T>[]>()
  let size = 0

  function next(): Entry<T> | undefined {
    const [first] = waiting
    if (first === undefined) return undefined
    const [owner, entries] = first
    const entry = entries.shift()
    waiting.delete(owner)
    if (entries.length > 0) waiting.set(owner, entries)
    size -= 1
    return entry
  }

  function take(bytesMax: number): readonly T[] {
    const taken: T[] = []
    let bytes = 0
    while (bytes < bytesMax) {
      const entry = next()
      if (entry === undefined) break
      taken.push(entry.item)
      bytes += entry.bytes
    }
    return taken
  }

  return {
    add(item, { owner, bytes }) {
      const entries = waiting.get(owner) ?? []
      entries.push({ item, bytes })
      waiting.set(owner, entries)
      size += 1
    },
    take: () => take(takenBytesMax),
    takeAll: () => take(Number.POSITIVE_INFINITY),
    size: () => size,
  }
}
