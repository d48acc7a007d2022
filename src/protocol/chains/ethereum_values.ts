import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { keccak256 } from '../crypto/keccak.ts'

/** Bytes from an even number of hex digits, with or without `0x`; undefined for anything else. */
export function readOptionallyPrefixedHex(text: string): Uint8Array | undefined {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  return digits.length % 2 === 0 && !/[^0-9a-fA-F]/.test(digits) ? hexToBytes(digits) : undefined
}

/** Bytes from `0x` and an even number of hex digits; undefined for anything else. */
export function readHex(value: unknown): Uint8Array | undefined {
  return typeof value === 'string' && value.startsWith('0x') ? readOptionallyPrefixedHex(value) : undefined
}

/** Stands for no account, or for one that the place implies. */
export const zeroAddress = `0x${'00'.repeat(20)}`

export const addressExpected = 'an address: 0x and 40 hex digits, in mixed case with its EIP-55 checksum'

/**
 * The 20 bytes of an address: `0x` and 40 hex digits. Mixed case is a checksum (EIP-55) and must be right, so that a
 * mistyped address is not signed. All lower or all upper case carries no checksum. Undefined for anything else.
 */
export function readAddress(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) return undefined
  const digits = value.slice(2)
  const bytes = hexToBytes(digits)
  const carriesChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  return carriesChecksum && digits !== checksummed(bytes) ? undefined : bytes
}

/**
 * An integer from what JSON can hold: a number that is exact (below 2^53), decimal text, or `0x` text. Undefined for
 * anything else. Text is at most as long as 256 bits need, so a megabyte of digits costs nothing.
 */
export function readInteger(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  if (typeof value !== 'string') return undefined
  return /^(?:-?(?:0|[1-9][0-9]{0,77})|0x[0-9a-fA-F]{1,64})$/.test(value) ? BigInt(value) : undefined
}

/** The 40 digits of EIP-55: a letter is upper case where the digit of the lower-case text's hash is 8 or more. */
export function checksummed(address: Uint8Array): string {
  const lower = bytesToHex(address)
  const hash = bytesToHex(keccak256(new TextEncoder().encode(lower)))
  return lower.replace(/[a-f]/g, (letter, index: number) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? letter.toUpperCase() : letter,
  )
}
