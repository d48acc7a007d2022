import type { Pause } from './pause.ts'

/**
 * Returns `make` with a cache: it makes one value per key and keeps it as long as the key lives. Keys are parsed
 * records, which are cached too. It is for values that take longer to make than to use.
 */
export function onceFor<K extends object, V>(make: (key: K) => V): Once<K, V> {
  const made = new WeakMap<K, { readonly value: V }>()
  const once = (key: K): V => {
    const known = made.get(key)
    if (known !== undefined) return known.value
    const value = make(key)
    made.set(key, { value })
    return value
  }
  return Object.assign(once, { isMade: (key: K) => made.has(key) })
}

export type Once<K extends object, V> = { (key: K): V; isMade(key: K): boolean }

/** Makes the values of many keys one after another, with a pause behind each that was not made before. */
export async function onceForEach<K extends object, V>(
  once: Once<K, V>,
  keys: readonly K[],
  pause: Pause,
): Promise<readonly V[]> {
  const values: V[] = []
  for (const key of keys) {
    const wasMade = once.isMade(key)
    values.push(once(key))
    if (!wasMade) await pause()
  }
  return values
}
