import { hash } from 'node:crypto'

/** A tree of RFC 6962, 2.1, word for word: the second opinion of tests. */
export type MerkleTree = {
  /** The root over the first `size` entries. */
  root(size: number): Buffer
  /** The hash of a complete subtree. */
  hashOf(node: { readonly level: number; readonly index: number }): Buffer
}

/** The entries may become more later. */
export function merkleTreeOf(entries: readonly Uint8Array[]): MerkleTree {
  const known = new Map<string, Buffer>()

  function over(start: number, end: number): Buffer {
    const name = `${start} ${end}`
    const found = known.get(name) ?? hashed(start, end)
    known.set(name, found)
    return found
  }

  function hashed(start: number, end: number): Buffer {
    if (start === end) return sha256()
    if (end - start === 1) return sha256(Buffer.of(0), entries[start] ?? missing(start))
    let left = 1
    while (2 * left < end - start) left *= 2
    return sha256(Buffer.of(1), over(start, start + left), over(start + left, end))
  }

  return {
    root: (size) => over(0, size),
    hashOf: ({ level, index }) => over(index * 2 ** level, (index + 1) * 2 ** level),
  }
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  return hash('sha256', Buffer.concat(parts), 'buffer')
}

function missing(index: number): never {
  throw new Error(`there is no entry ${index}`)
}
