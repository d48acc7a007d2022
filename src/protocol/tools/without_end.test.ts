import { expect, test } from 'vitest'
import { withoutEnd } from './without_end.ts'

test('a character goes from the end of a text, however often it stands there', () => {
  expect(['', '=', 'a', 'a=', 'a==', '=a=', 'a=b'].map((text) => withoutEnd(text, '='))).toEqual([
    ...['', '', 'a', 'a', 'a'],
    ...['=a', 'a=b'],
  ])
})

/** Read anew at each of them, half a million took hours. */
test('the same characters inside a text are not read', () => {
  const text = `${'='.repeat(500_000)}a`
  expect(withoutEnd(text, '=')).toBe(text)
})
