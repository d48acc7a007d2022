import fc from 'fast-check'
import { expect, test } from 'vitest'
import { trimmed } from './trimmed.ts'

const ofCode = (code: number) => String.fromCodePoint(code)
/** A blank, a joiner, a byte order mark, a soft hyphen, a variation selector of two code units. */
const around = [0x20, 0x0a, 0xa0, 0x200d, 0xfeff, 0xad, 0xe0100].map(ofCode)
const staying = ['a', '0x', ofCode(0x1f600), ofCode(0xd800), ofCode(0xdc00)]
const texts = (...parts: readonly (readonly string[])[]) =>
  fc.array(fc.constantFrom(...parts.flat())).map((all) => all.join(''))

test('what stands around a text goes, and what stands inside stays', () => {
  fc.assert(
    fc.property(texts(around), texts(around, staying), texts(around), (before, inside, after) => {
      const text = `a${inside}a`
      expect(trimmed(before + text + after)).toBe(text)
      expect(trimmed(before + after)).toBe('')
    }),
  )
})

test('half a pair of code units is a character that stays', () => {
  for (const half of [0xd83d, 0xde00].map(ofCode)) expect(trimmed(` ${half} `)).toBe(half)
})

/** Read anew at each blank, half a million of them took hours. */
test('blanks inside a text are not read', () => {
  const text = `a${' '.repeat(500_000)}a`
  expect(trimmed(text)).toBe(text)
})
