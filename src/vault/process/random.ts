import { randomFillSync } from 'node:crypto'

/** The largest array that is cut from a block. Nonces and the random part of ids fit; each request needs several. */
const pooledBytesMax = 12
const blockBytes = 4_096

/**
 * Returns a function that gives random bytes of the system's generator, each time in a new array. Short arrays are cut
 * from a block, because asking the system costs more than using the bytes. Keys never come from the block.
 */
export function createRandomBytes(): (size: number) => Uint8Array {
  const block = new Uint8Array(blockBytes)
  let usedBytes = blockBytes
  return (size) => {
    if (size > pooledBytesMax) return randomFillSync(new Uint8Array(size))
    if (usedBytes + size > blockBytes) {
      randomFillSync(block)
      usedBytes = 0
    }
    const bytes = block.slice(usedBytes, usedBytes + size)
    usedBytes += size
    return bytes
  }
}
