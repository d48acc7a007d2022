import { canonicalAddress, canonicalSolanaKey } from '../../../protocol/chains/canonical_address.ts'
import { message } from '../message.ts'
import { checksummed } from './forms.ts'
import { trimmed } from './trimmed.ts'

/**
 * A value of a call or of typed data. Its type may be a text of people, so only what is certainly meant as hex is
 * refused.
 */
export const ethereumValue = checksummed({
  name: message`hex with 0x, or a text`,
  canonical: (text) => (isWrongHex(text) || isSpacedAddress(text) ? undefined : text),
  canonicalPiece: (piece, from) =>
    isCapitalHexPiece(piece) || (from === 0 && piece.startsWith('0X')) ? undefined : piece,
})

/** 20 or 32 bytes without `0x`, and hex with `0X`, a blank or an invisible character around it, or an odd number of digits. */
function isWrongHex(text: string): boolean {
  const inner = trimmed(text)
  const isHex = /^(0x[0-9a-f]+|[0-9a-f]{40}|[0-9a-f]{64})$/i.test(inner)
  return isHex && (inner !== text || !text.startsWith('0x') || text.length % 2 === 1)
}

/** An address of any chain, which bridges take as a text, with a blank or an invisible character around it. */
function isSpacedAddress(text: string): boolean {
  const inner = trimmed(text)
  return inner !== text && canonicalAddress(inner) !== undefined
}

/** Four bytes of hex or more with a capital, which no field has. */
function isCapitalHex(text: string): boolean {
  return text.length % 2 === 0 && isCapitalHexPiece(text)
}

/** The same for a piece, which may begin or end within a byte. A word of letters alone may be a text. */
function isCapitalHexPiece(text: string): boolean {
  return /^[0-9a-f]{8,}$/i.test(text) && /[0-9]/.test(text) && /[A-F]/.test(text)
}

/** A value of an instruction of Solana: a key, bytes, or a text of people. Its type is not known here. */
export const solanaValue = checksummed({
  name: message`a key in base58, bytes in hex without 0x and without capitals, or a text`,
  canonical: (text) => (isWrongSolanaValue(text) ? undefined : text),
  canonicalPiece: (piece) => (isCapitalHexPiece(piece) ? undefined : piece),
  fault: (text) => {
    const inner = trimmed(text)
    return isPrefixedHex(inner) ? message`; did you mean '${inner.slice(2).toLowerCase()}'?` : undefined
  },
})

/** 64 digits are 32 bytes, or a key that the evaluation compares in base58. */
function isWrongSolanaValue(text: string): boolean {
  const inner = trimmed(text)
  const isSpaced = inner !== text && (isCapitalHex(inner) || canonicalSolanaKey(inner) !== undefined)
  const isAddress = isSpacedAddress(text) || /^0X[0-9a-fA-F]{40}$/.test(text)
  return isPrefixedHex(inner) || isCapitalHex(text) || isSpaced || isAddress
}

/** The text of an address of Ethereum is left out: bridges take it as a text. */
function isPrefixedHex(text: string): boolean {
  return /^0x([0-9a-f]{2})+$/i.test(text) && text.length !== 42
}
