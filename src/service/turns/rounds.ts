type Owner = string | object
type Node<T> = { readonly below: Map<Owner, Node<T>>; readonly items: T[] }

export type Rounds<T> = {
  /** `owners`: from the outermost on, as many for each item. */
  add(item: T, owners: readonly Owner[]): void
  /** `mayTake`: whether one of the outermost owners may have a turn. The others keep their places. */
  take(mayTake?: (owner: Owner) => boolean): T | undefined
  readonly size: number
}

/**
 * Makes a queue in which owners take turns, and within the turns of one the owners below it: addresses, say, then the
 * organizations of one address.
 */
export function createRounds<T>(): Rounds<T> {
  const root: Node<T> = { below: new Map(), items: [] }
  let size = 0

  function takeFrom({ below, items }: Node<T>, mayTake?: (owner: Owner) => boolean): T | undefined {
    for (const [owner, node] of below) {
      if (mayTake?.(owner) === false) continue
      const item = takeFrom(node)
      below.delete(owner)
      if (node.below.size + node.items.length > 0) below.set(owner, node)
      return item
    }
    return items.shift()
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
    take(mayTake) {
      const item = takeFrom(root, mayTake)
      if (item !== undefined) size -= 1
      return item
    },
    get size() {
      return size
    },
  }
}
