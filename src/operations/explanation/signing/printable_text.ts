import { isUtf8 } from 'node:buffer'
import type { Value } from '../explanation.ts'
import { text } from '../values.ts'

/** Control characters besides the line feed, the carriage return and the tab, which texts of several lines have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

/** Shows bytes as a text if they are one: UTF-8 without control characters. Undefined for anything else. */
export function printableText(bytes: Uint8Array): Value | undefined {
  if (bytes.length === 0 || !isUtf8(bytes)) return undefined
  const read = Buffer.from(bytes).toString('utf8')
  return control.test(read) ? undefined : text(read)
}
