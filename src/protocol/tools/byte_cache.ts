/** A cache that drops the least recently used values when the values exceed its bytes. */
export type ByteCache<V> = {
  /** Returns the value, which counts as used now. */
  get(key: string): V | undefined
  /** Keeps `value`, which takes `bytes`, and replaces a former value. A value larger than the cache is not kept. */
  set(key: string, value: V, bytes: number): void
  /** Sum of the bytes of all kept values. */
  readonly bytes: number
  readonly size: number
}

type CacheParts<V> = { readonly bytesMax: number; readonly onEvict?: (key: string, value: V) => void }

/** `onEvict` is called with each dropped or replaced value, for values that own something (key material). */
export function createByteCache<V>({ bytesMax, onEvict }: CacheParts<V>): ByteCache<V> {
  // A Map iterates in order of insertion. A used entry is inserted again, so the first was used longest ago.
  const entries = new Map<string, { readonly value: V; readonly bytes: number }>()
  let bytesKept = 0

  function drop(key: string): void {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    bytesKept -= entry.bytes
    onEvict?.(key, entry.value)
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },

    set(key, value, bytes) {
      if (!(bytes >= 0)) throw new RangeError(`a value cannot take ${bytes} bytes`)
      drop(key)
      entries.set(key, { value, bytes })
      bytesKept += bytes
      for (const oldest of entries.keys()) {
        if (bytesKept <= bytesMax) break
        drop(oldest)
      }
    },

    get bytes() {
      return bytesKept
    },
    get size() {
      return entries.size
    },
  }
}
