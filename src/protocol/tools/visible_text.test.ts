import fc from 'fast-check'
import { expect, test } from 'vitest'
import { visibleText } from './visible_text.ts'

test.each([
  ['Ada', 'Ada', []],
  ['Müller', 'Müller', []],
  ['Оплата', 'Оплата', []],
  ['東京tower', '東京tower', []],
  ['👨‍👩‍👧', '👨‍👩‍👧', []],
  ['a\u202eb', 'a⟨U+202E⟩b', ['direction']],
  ['a\u200bb', 'a⟨U+200B⟩b', ['invisible']],
  ['a\u0000b', 'a⟨U+0000⟩b', ['control']],
  ['one\r\ntwo', 'one↵two', []],
  ['\u0410da', '\u0410da', ['mixedScripts']],
  ['\u0430\u0441\u0435', '\u0430\u0441\u0435', ['lookAlike']],
  ['\u{1d400}da', '\u{1d400}da', ['lookAlike']],
])('%j is shown as %j', (given, text, flags) => {
  expect(visibleText(given)).toMatchObject({ text, flags })
})

test('no text keeps a character that changes the direction or has no shape', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (given) => {
      expect(visibleText(given).text).not.toMatch(/[\p{Bidi_Control}\p{Cc}\u200b\u2060\ufeff]/u)
    }),
  )
})
