import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fittingLines } from './cut_lines.ts'
import { quoted } from './quoted.ts'

const isClosed = (text: string) =>
  text.split('“').length === text.split('”').length && text.split('\u2068').length === text.split('\u2069').length

test('a long line shows its end too, and says how much is missing between', () => {
  const condition = `${'a'.repeat(4_000)} || true`
  const [line = '', ...others] = fittingLines(
    ['effect: allow', `condition: ${quoted(condition)}`, 'x'.repeat(3_000)],
    2_000,
  ).slice(1)
  expect(line).toMatch(
    /^condition: “a+” \[3,[0-9]{3} characters are left out here; the console shows them\] “a+ \|\| true”$/,
  )
  expect(others.at(-1)).toBe('[The text is cut here; the console shows the rest.]')
})

test('lines that have room are left as they are', () => {
  const lines = ['a'.repeat(900), 'b'.repeat(900)]
  expect(fittingLines(lines, 2_000)).toEqual(lines)
})

test('whatever is cut fits, has its quotes closed, and says so', () => {
  const text = fc.string({ unit: 'binary', maxLength: 400 }).map(quoted)
  const lines = fc.array(
    fc.tuple(text, fc.nat(40)).map(([one, times]) => `name: ${one}${' x'.repeat(times * 40)}`),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(lines, fc.integer({ min: 400, max: 4_000 }), (given, charactersMax) => {
      const shown = fittingLines(given, charactersMax)
      expect(shown.join('\n').length).toBeLessThanOrEqual(charactersMax)
      expect(shown.every(isClosed)).toBe(true)
      if (shown.join('\n') !== given.join('\n')) expect(shown.join('\n')).toMatch(/left out here|The text is cut here/)
    }),
  )
})
