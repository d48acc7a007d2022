import { hash } from 'node:crypto'
import { keccak256 } from '../../../protocol/crypto/keccak.ts'
import { createByteCache } from '../../../protocol/tools/byte_cache.ts'

/** The selectors of the ABIs that were used last. Hashing takes far longer than reading the document. */
const kept = createByteCache<Uint32Array>({ bytesMax: 16 * 1024 * 1024 })
/** Estimated overhead of one entry, in bytes. */
const bytesOfEntry = 256

/**
 * Returns the selectors of the functions that an ABI names, in its order. They are made once for each cached text.
 * `signaturesOf` returns the signatures of this same text: `transfer(address,uint256)`.
 */
export function selectorsOf(abi: string, signaturesOf: () => readonly string[]): Uint32Array {
  const key = hash('sha256', abi)
  const known = kept.get(key)
  if (known !== undefined) return known
  const selectors = Uint32Array.from(signaturesOf(), (signature) =>
    selectorIn(keccak256(new TextEncoder().encode(signature))),
  )
  kept.set(key, selectors, selectors.byteLength + bytesOfEntry)
  return selectors
}

/** Returns the first four bytes as a number. There must be at least four. */
export function selectorIn({ buffer, byteOffset }: Uint8Array): number {
  return new DataView(buffer, byteOffset).getUint32(0)
}
