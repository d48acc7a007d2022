import assert from 'node:assert/strict'
import pg from 'pg'

/** The object ids of PostgreSQL's types. */
const bytea = 17
const int8 = 20

/** Makes of a column what the embedded database makes of it: bytes in a buffer of their own, and numbers. */
export const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (format === 'binary') return pg.types.getTypeParser(oid, format)
  if (oid === bytea) return bytesOf
  if (oid === int8) return safeNumber
  return pg.types.getTypeParser(oid, 'text')
}

/** @param text `\x` and hexadecimal digits, the form of output since PostgreSQL 9. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.fromHex(text.slice(2))
}

/** Versions, sequences and milliseconds stay below 2^53. */
function safeNumber(text: string): number {
  const number = Number(text)
  assert(Number.isSafeInteger(number), `the number ${text} of a column is not exact`)
  return number
}
