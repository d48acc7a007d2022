import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { Malformed } from './reading.ts'

/** Length of every hash in these formats. */
export const hashBytes = 32

/** No proof has more hashes: a tree has 63 levels at most. */
export const proofHashesMax = 63

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads UTF-8 without control characters other than line feeds. Throws `Malformed` for more bytes than `bytesMax`. */
export function textIn(bytes: Uint8Array, { bytesMax }: { readonly bytesMax: number }): string {
  if (bytes.length > bytesMax) throw new Malformed(`there are more than ${bytesMax} bytes`)
  const text = decoded(bytes)
  if (hasControls(text)) throw new Malformed('there is a control character')
  return text
}

/** The lines of a text, each of which ends with a line feed. */
export function linesIn(text: string): readonly string[] {
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new Malformed('the last line has no end')
  if (!lines.every(isOneLine)) throw new Malformed('there is a control character, or half a character')
  return lines
}

/** The text of these lines. Throws a RangeError for a line that has a line end in it, or no form in UTF-8. */
export function textOf(lines: readonly string[]): string {
  if (!lines.every(isOneLine)) throw new RangeError('a line has characters that no line can have')
  return lines.map((line) => `${line}\n`).join('')
}

/** The UTF-8 of a text. Throws a RangeError for half a character, which has none. */
export function utf8Of(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new RangeError('a text has half a character')
  return utf8ToBytes(text)
}

/** Whether a text can stand on a line: it has no control characters, line feeds included, and a form in UTF-8. */
export function isOneLine(text: string): boolean {
  return !text.includes('\n') && !hasControls(text) && text.isWellFormed()
}

/** A decimal number without leading zeros, up to 2^53 - 1. */
export function numberIn(text: string | undefined): number {
  const value = Number(text)
  if (text === undefined || !/^(0|[1-9]\d{0,15})$/.test(text) || !Number.isSafeInteger(value)) {
    throw new Malformed('this is no decimal number below 2^53 without leading zeros')
  }
  return value
}

/** Base64 (RFC 4648, 4) in its one form: with padding, and nothing else around or in it. */
export function bytesIn(text: string): Uint8Array {
  try {
    return base64.decode(text)
  } catch (cause) {
    throw new Malformed('this is no base64 in its one form', { cause })
  }
}

/** A hash in base64. */
export function hashIn(text: string | undefined): Uint8Array {
  const hash = bytesIn(text ?? '')
  if (hash.length !== hashBytes) throw new Malformed(`a hash has ${hashBytes} bytes`)
  return hash
}

/** The hashes of a proof, one on each line. */
export function hashesIn(lines: readonly string[]): readonly Uint8Array[] {
  if (lines.length > proofHashesMax) throw new Malformed(`a proof has ${proofHashesMax} hashes at most`)
  return lines.map(hashIn)
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new Malformed('this is no UTF-8', { cause })
  }
}

function hasControls(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 && unit !== 0x0a) return true
  }
  return false
}
