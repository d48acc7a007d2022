import { expect, test } from 'vitest'
import { quoted } from './plain_lines.ts'

test('nothing in a text looks like the end of its quotes', () => {
  for (const end of '“”„‟″❞〞＂ˮ') expect(quoted(`Ada${end} (user 1)`)).toBe('“Ada" (user 1)”')
  expect(quoted('Ada')).toBe('“Ada”')
})
