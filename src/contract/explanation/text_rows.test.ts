import { expect, test } from 'vitest'
import { rowsOfText } from './text_rows.ts'

test.each([
  ['a line', 'a'.repeat(60), 1],
  ['a line and a letter', 'a'.repeat(61), 2],
  ['lines', 'a\nb\nc', 3],
  ['tabs', '\t'.repeat(15), 2],
  ['a tab behind letters', `${'abcdefg\t'.repeat(7)}abcd`, 1],
  ['marks of code points', '\u00a0'.repeat(9), 2],
  ['wide characters', '東'.repeat(31), 2],
  ['quotes', '“'.repeat(9), 2],
  ['a gap', '\n'.repeat(4_700), 1],
  ['accents that would cover other lines', `a${'\u0301'.repeat(14)}`, 2],
])('%s take as many rows as in the console', (_, text, rows) => {
  expect(rowsOfText(text)).toBe(rows)
})
