import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePointOf, visibleParts, visibleText } from './visible_text.ts'

test.each([
  ['Ada', 'Ada', []],
  ['Müller', 'Müller', []],
  ['Оплата', 'Оплата', []],
  ['Оплата и а', 'Оплата и а', []], // in a Russian text, a word of one letter is no look-alike
  ['東京tower', '東京tower', []],
  ['👨‍👩‍👧', '👨‍👩‍👧', []],
  ['a\u202eb', 'a⟨U+202E⟩b', ['direction']],
  ['a\u200bb', 'a⟨U+200B⟩b', ['invisible']],
  ['a\u00a0b', 'a⟨U+00A0⟩b', ['invisible']],
  ['a\u0000b', 'a⟨U+0000⟩b', ['control']],
  ['a\ud800', 'a⟨U+D800⟩', ['leftOut']],
  ['⟨U+202E⟩↵', '⟨U+27E8⟩U+202E⟨U+27E9⟩⟨U+21B5⟩', []],
  ['one\r\ntwo', 'one↵two', []],
  ['one\n\n  two', 'one↵↵  two', []],
  ['\u0410da', '\u0410da', ['mixedScripts']],
  ['\u05d0da', '\u05d0da', ['mixedScripts']],
  ['\u0430\u0441\u0435', '\u0430\u0441\u0435', ['lookAlike']],
  ['Оплата \u0421\u0415\u041e', 'Оплата \u0421\u0415\u041e', ['lookAlike']],
  ['\u0430', '\u0430', ['lookAlike']],
  ['\ua4ee\ua4e1\ua4f2\ua4da\ua4f0', '\ua4ee\ua4e1\ua4f2\ua4da\ua4f0', ['lookAlike']], // Lisu
  ['\u13df\u13aa\u13a1\u13de', '\u13df\u13aa\u13a1\u13de', ['lookAlike']], // Cherokee
  ['\u2ca2\u2c9f\u2ca2', '\u2ca2\u2c9f\u2ca2', ['lookAlike']], // Coptic
  ['\u15c5\u15f7', '\u15c5\u15f7', ['lookAlike']], // syllables of Canada
  ['\u{10415}\u{1042c}', '\u{10415}\u{1042c}', ['lookAlike']], // Deseret
  ['\u{102a0}\u{102ab}', '\u{102a0}\u{102ab}', ['lookAlike']], // Carian
  ['\u{10302}\u{10301}', '\u{10302}\u{10301}', ['lookAlike']], // Old Italic
  ['\u0261race', '\u0261race', ['lookAlike']],
  ['gr\u0251ce', 'gr\u0251ce', ['lookAlike']],
  ['\u1d20\u1d0f\u1d21', '\u1d20\u1d0f\u1d21', ['lookAlike']], // small capitals
  ['Yıldız', 'Yıldız', []],
  ['Ærø', 'Ærø', []],
  ['סוס', 'סוס', []],
  ['Treasury 1\ufe0f', 'Treasury 1⟨U+FE0F⟩', ['invisible']],
  ['1\ufe0f\u20e3', '1\ufe0f\u20e3', []],
  ['\u00c9quipe', '\u00c9quipe', []],
  ['E\u0301quipe', 'E\u0301quipe', ['lookAlike']], // all fonts show it as the one before
  ['\uac00', '\uac00', []],
  ['\u1100\u1161', '\u1100\u1161', ['lookAlike']],
  ['Stra\u{f9dc}', 'Stra\u{f9dc}', ['lookAlike']],
  ['\u{15f7}ob', '\u{15f7}ob', ['mixedScripts']], // a syllable of Canada
  [`q${'\u0316'.repeat(6)}`, `q${'\u0316'.repeat(4)}⟨U+0316⟩⟨U+0316⟩`, ['leftOut']],
  ['n\u0336o\u0338', 'n⟨U+0336⟩o⟨U+0338⟩', ['leftOut']],
  ['Pay 1\u20dd \u20e0', 'Pay 1⟨U+20DD⟩ ⟨U+20E0⟩', ['leftOut']],
  ['no\u1ce2', 'no⟨U+1CE2⟩', ['leftOut']], // an overlay of Vedic texts
  ['a\u20e3', 'a⟨U+20E3⟩', ['leftOut']],
  ['\u0903\u1ce2', '\u0903\u1ce2', []],
  ['7\u20e3 #\ufe0f\u20e3', '7\u20e3 #\ufe0f\u20e3', []],
  ['ที่นี่', 'ที่นี่', []],
  ['বাংলা', 'বাংলা', []],
  ['தமிழ்', 'தமிழ்', []],
  ['\u{1d400}da', '\u{1d400}da', ['lookAlike']],
])('%j is shown as %j', (given, text, flags) => {
  expect(visibleText(given)).toMatchObject({ text, flags })
})

test('more white space in a row than texts have is shown by its size', () => {
  for (const [gap, shown] of [
    ['\n\n\n', '⟨3 line breaks⟩'],
    ['\n \u2003\t\u2028'.repeat(1_000), '⟨2,000 line breaks and 3,000 blanks⟩'],
    ['\r\n'.repeat(9_000), '⟨9,000 line breaks⟩'],
    ['\u2800'.repeat(21), '⟨21 blanks⟩'],
  ] as const) {
    expect(visibleText(`one${gap}two`)).toMatchObject({ text: `one${shown}two`, flags: ['gap'] })
  }
  expect(visibleText(`one${' '.repeat(20)}two`)).toMatchObject({ text: `one${' '.repeat(20)}two`, flags: [] })
})

test('no text keeps a character that changes the direction or has no shape', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (given) => {
      expect(visibleText(given).text).not.toMatch(/[\p{Bidi_Control}\p{Cc}\u200b\u2060\ufeff]/u)
    }),
  )
})

describe('the parts of a text', () => {
  test('lose and gain nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (given) => {
        expect(
          visibleParts(given)
            .map(({ text }) => text)
            .join(''),
        ).toBe(given)
      }),
    )
  })

  test.for([
    ['Ada\u202elived', '\u202e', 'hidden'],
    ['pay\u200bpal', '\u200b', 'hidden'],
    ['a\u00a0b', '\u00a0', 'hidden'],
    ['tag\u{e0041}', '\u{e0041}', 'hidden'],
    ['p\u0430ypal', '\u0430', 'lookalike'], // a Cyrillic letter in a Latin word
    ['\u0440\u0430\u0443', '\u0440', 'lookalike'], // a word of Cyrillic letters that all look Latin
    ['\u{1d401}ank', '\u{1d401}', 'lookalike'],
  ] as const)('%j shows %j as %s', ([given, text, kind]) => {
    expect(visibleParts(given)).toContainEqual(expect.objectContaining({ kind, text }))
  })

  test.for(['Müller & Söhne', 'Привет, мир', 'שלום', '日本語', 'line\nline\tx', '👩‍💻'])(
    '%j is one plain part',
    (given) => {
      expect(visibleParts(given)).toEqual([{ kind: 'plain', text: given }])
    },
  )

  test('count a gap, and keep what stands around it', () => {
    expect(visibleParts(`a:${'\r\n'.repeat(3)} b`)).toEqual([
      { kind: 'plain', text: 'a:' },
      { kind: 'gap', text: '\r\n\r\n\r\n ', flag: 'gap', lineBreaks: 3, blanks: 1 },
      { kind: 'plain', text: 'b' },
    ])
  })

  test('name a character as Unicode does', () => {
    expect([codePointOf('\u202e'), codePointOf('\u{e0041}')]).toEqual(['U+202E', 'U+E0041'])
  })
})
