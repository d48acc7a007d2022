import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePointOf, visibleParts } from './visible_text.ts'

describe('a text that a user set', () => {
  test('loses and gains nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(
          visibleParts(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(text)
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
  ] as const)('%j shows %j as %s', ([text, character, kind]) => {
    expect(visibleParts(text)).toContainEqual({ kind, text: character })
  })

  test.for(['Müller & Söhne', 'Привет, мир', 'Ωmega'.replace('Ω', 'O'), 'שלום', '日本語', 'line\nline\tx'])(
    '%j is shown as it is',
    (text) => {
      expect(visibleParts(text)).toEqual([{ kind: 'plain', text }])
    },
  )

  test('a character is named as Unicode names it', () => {
    expect([codePointOf('\u202e'), codePointOf('\u{e0041}')]).toEqual(['U+202E', 'U+E0041'])
  })
})
