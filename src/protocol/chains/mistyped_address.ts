import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * Whether a text is an address of Ethereum in mixed case whose checksum is wrong (EIP-55), with or without `0x`. It runs
 * in web pages too, so the hash is not the one of Node, which `ethereum_values.ts` uses.
 */
export function isMistypedAddress(text: string): boolean {
  const [, digits] = /^(?:0x)?([0-9a-f]{40})$/i.exec(text) ?? []
  if (digits === undefined) return false
  const lower = digits.toLowerCase()
  if (digits === lower || digits === digits.toUpperCase()) return false
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)))
  const right = lower.replace(/[a-f]/g, (letter, index: number) =>
    hash.charAt(index) >= '8' ? letter.toUpperCase() : letter,
  )
  return digits !== right
}
