/**
 * Yields each two items of which one's key begins with the other's, or is the same: data that begins with the longer key
 * is also that of the shorter one.
 */
export function* overlapsIn<T>(items: readonly T[], keyOf: (item: T) => string): Generator<readonly [T, T], void> {
  const sorted = items
    .map((item) => ({ item, key: keyOf(item) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
  // After sorting, the keys that begin with a key follow it directly. `open` has the keys that the next may begin with.
  const open: { readonly item: T; readonly key: string }[] = []
  for (const next of sorted) {
    while (!next.key.startsWith(open.at(-1)?.key ?? '')) open.pop()
    for (const { item } of open) yield [item, next.item]
    open.push(next)
  }
}
