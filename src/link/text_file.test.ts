import { describe, expect, test } from 'vitest'
import { hasByteOrderMark, textIn } from './text_file.ts'

const mark = '\ufeff'
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

describe('the text of a file', () => {
  test.each([
    ['without a mark', 'Grüße\n', 'Grüße\n'],
    ['with a mark', `${mark}{}`, '{}'],
    ['with a mark elsewhere', `a${mark}`, `a${mark}`],
    ['of a mark alone', mark, ''],
    ['that is empty', '', ''],
  ])('%s', (_name, given, text) => {
    expect(textIn(Buffer.from(given))).toBe(text)
  })

  test('in UTF-16 is refused by the name of its mark', () => {
    for (const bytes of [utf16(`${mark}{}`), utf16(`${mark}{}`).swap16()]) {
      expect(() => textIn(bytes)).toThrow('byte order mark of UTF-16: save it as UTF-8')
    }
  })
})

test('a byte order mark is known in each encoding', () => {
  const texts = [Buffer.from(`${mark}x`), utf16(`${mark}x`), utf16(`${mark}x`).swap16()]
  expect(texts.map(hasByteOrderMark)).toEqual([true, true, true])
  const others = [Buffer.from('x'), Buffer.from(`x${mark}`), Buffer.of(0xef, 0xbb), Buffer.of()]
  expect(others.map(hasByteOrderMark)).toEqual([false, false, false, false])
})
