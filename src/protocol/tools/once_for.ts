/**
 * Returns `make` with a cache: it makes one value per key and keeps it as long as the key lives. Keys are parsed
 * records, which are cached too. It is for values that take longer to make than to use.
 */
export function onceFor<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly value: V }>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known.value
    const value = make(key)
    made.set(key, { value })
    return value
  }
}
