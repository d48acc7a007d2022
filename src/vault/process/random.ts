import { randomFillSync } from 'node:crypto'

/** Nonces and the random part of ids, which are asked for several times in every request. */
const pooledBytesMax = 12
const blockBytes = 4_096

/**
 * Random bytes of the system's generator, each array its own. Short ones are cut from a block, because asking the system
 * costs more than making use of them; keys never come from the block.
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
