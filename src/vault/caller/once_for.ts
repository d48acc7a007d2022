/**
 * The same as `make`, made once for each key and kept as long as the key is: parsed records are cached, and so is what
 * takes longer to make of one than to use.
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
