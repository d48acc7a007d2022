/** A cache that drops what was used longest ago when the values take more than its bytes. */
export type ByteCache<V> = {
  /** The value, which counts as used now. */
  get(key: string): V | undefined
  /** Keeps `value`, which takes `bytes`, in the place of any former one. One larger than the cache is not kept. */
  set(key: string, value: V, bytes: number): void
  /** Sum of the bytes of all that is kept. */
  readonly bytes: number
  /** Number of values. */
  readonly size: number
}

/** `onEvict` is called with each value that is dropped or replaced, for those that own something (key material). */
export function createByteCache<V>({
  bytesMax,
  onEvict,
}: {
  readonly bytesMax: number
  readonly onEvict?: (key: string, value: V) => void
}): ByteCache<V> {
  // A Map iterates in order of insertion: what is used is inserted again, so the first entry is the oldest.
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
