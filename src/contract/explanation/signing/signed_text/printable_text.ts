import { isUtf8 } from 'node:buffer'
import type { Value } from '../../explanation.ts'
import { text } from '../../shown_values.ts'

/**
 * Characters that no reader has a shape for: controls besides the line feed, the carriage return and the tab, which texts
 * of several lines have, and characters that are private or not assigned.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const unreadable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|[\p{Cn}\p{Co}]/u

/** The text that the bytes are: UTF-8 that a person can read. Undefined for anything else, and for no bytes. */
export function readableText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || !isUtf8(bytes)) return undefined
  const read = Buffer.from(bytes).toString('utf8')
  return unreadable.test(read) ? undefined : read
}

/** Shows bytes as a text if they are one. Undefined for anything else. */
export function printableText(bytes: Uint8Array): Value | undefined {
  const read = readableText(bytes)
  return read === undefined ? undefined : text(read)
}
