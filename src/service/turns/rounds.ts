type Owner = string | object
type Node<T> = { readonly below: Map<Owner, Node<T>>; readonly items: T[] }

export type Rounds<T> = {
  /** `owners`: from the outermost on, as many for each item. */
  add(item: T, owners: readonly Owner[]): void
  take(): T | undefined
  readonly size: number
}

/**
 * Makes a queue in which owners take turns, and within the turns of one the owners below it: addresses, say, then the
 * organizations of one address.
 */
export function createRounds<T>(): Rounds<T> {
  const root: Node<T> = { below: new Map(), items: [] }
  let size = 0

  function takeFrom({ below, items }: Node<T>): T | undefined {
    const [first] = below
    if (first === undefined) return items.shift()
    const [owner, node] = first
    const item = takeFrom(node)
    below.delete(owner)
    if (node.below.size + node.items.length > 0) below.set(owner, node)
    return item
  }

  return {
    add(item, owners) {
      let node = root
      for (const owner of owners) {
        const next = node.below.get(owner) ?? { below: new Map(), items: [] }
        node.below.set(owner, next)
        node = next
      }
      node.items.push(item)
      size += 1
    },
    take() {
      if (size === 0) return undefined
      size -= 1
      return takeFrom(root)
    },
    get size() {
      return size
    },
  }
}
