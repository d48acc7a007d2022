import { hash } from 'node:crypto'
import { keccak256 } from '../../../protocol/crypto/keccak.ts'
import { createByteCache } from '../../../protocol/tools/byte_cache.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'

/** The selectors of the ABIs that were used last. Hashing takes far longer than reading the document. */
const kept = createByteCache<Uint32Array>({ bytesMax: 16 * 1024 * 1024 })
/** Estimated overhead of one entry, in bytes. */
const bytesOfEntry = 256

/** The hashes of one step: a few milliseconds. */
const hashesInARow = 200

/**
 * Returns the selectors of the functions that an ABI names, in its order. They are made once for each cached text.
 * `functionsOf` returns the functions of this same text, `signatureOf` what is hashed: `transfer(address,uint256)`.
 */
export function* selectorsOfFunctions<T>(
  abi: string,
  functionsOf: () => Steps<readonly T[]>,
  signatureOf: (one: T) => string,
): Steps<Uint32Array> {
  const key = hash('sha256', abi)
  const known = kept.get(key)
  if (known !== undefined) return known
  yield
  const functions = yield* functionsOf()
  const selectors = new Uint32Array(functions.length)
  for (const [index, one] of functions.entries()) {
    if (index % hashesInARow === 0) yield
    selectors[index] = selectorIn(keccak256(new TextEncoder().encode(signatureOf(one))))
  }
  kept.set(key, selectors, selectors.byteLength + bytesOfEntry)
  return selectors
}

/** Returns the first four bytes as a number. There must be at least four. */
export function selectorIn({ buffer, byteOffset }: Uint8Array): number {
  return new DataView(buffer, byteOffset).getUint32(0)
}
