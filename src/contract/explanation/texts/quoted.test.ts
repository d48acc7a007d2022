import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoted, quotedParts } from './quoted.ts'

/** What Unicode's confusables.txt maps to the straight double quote, and double quotes of other styles. */
const likeQuotes = [
  ...'"＂“”„‟″‶〃״˝ʺ˶ˮײ᳓❝❞❠〝〞〟«»‷⁗¨\u{1f676}\u{1f677}\u{1f678}',
  ...[
    "''",
    '``',
    '´´',
    '’’',
    '‘’',
    "'’",
    '′′',
    '׳׳',
    'ʼʼ',
    'ꞌꞌ',
    '‛‛',
    '＇＇',
    '᾽᾽',
    '\u{16f51}\u{16f51}',
    '΄΄',
    '\u055d\u055d',
    '\u0374\u0374',
    '\u055d\u055a',
  ],
  ...['\u030b', '\u030e', '\u0312\u0312', ' \u030b', ' \u030e', ' \u0301\u0301', '’\u0313'],
]

test('nothing in a text looks like the end of its quotes', () => {
  for (const end of likeQuotes) {
    const shown = quoted(`Bob${end} (user 1)`)
    const inside = shown.slice(1, shown.lastIndexOf('”')).replaceAll(/[\u2068\u2069]/g, '')
    const bare = inside.replace(/⟨[^⟨⟩]*⟩/g, '')
    expect(bare, `${shown} for ${JSON.stringify(end)}`).toMatch(/^Bob[ ’]? \(user 1\)$/)
  }
  expect(quoted('Bob" (user 1)')).toBe('“Bob⟨"⟩ (user 1)”')
  expect(quoted("a == ''")).toBe("“a == ⟨''⟩”")
  expect(quoted('Bob˝ (user 1)')).toBe('“Bob⟨U+02DD⟩ (user 1)”')
})

test('the marks of what is hidden cannot be written', () => {
  expect(quoted('Bob⟨U+202E⟩')).toBe('“Bob⟨U+27E8⟩U+202E⟨U+27E9⟩”')
})

test('words of many languages stand in quotes as they are', () => {
  const words = [
    'Ada',
    'Bob’s wallet',
    "l'argent",
    'Đặng Hồng',
    'ẹ̀kọ́',
    'شركة',
    'חיים',
    'कंपनी',
    'ภาษา',
    '株式会社',
    '👩‍🚀 crew',
    '❤️',
  ]
  for (const word of words) {
    expect(
      quoted(word)
        .replace(/ \[beware: [^\]]*\]$/, '')
        .replaceAll(/[\u2068\u2069]/g, ''),
    ).toBe(`“${word}”`)
  }
})

test('a text in quotes has no end before its end, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (given) => {
      const shown = quoted(given)
      expect(shown.indexOf('“')).toBe(shown.lastIndexOf('“'))
      expect(shown.indexOf('”')).toBe(shown.lastIndexOf('”'))
    }),
  )
})

test('the parts of a text for a page mark the same ends of quotes, and lose nothing', () => {
  for (const end of likeQuotes) {
    const parts = quotedParts(`Bob${end} (user 1)`)
    const bare = parts.flatMap(({ kind, text }) => (kind === 'plain' || kind === 'lookalike' ? [text] : [])).join('')
    expect(bare, JSON.stringify(end)).toMatch(/^Bob[ ’]? \(user 1\)$/)
  }
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...likeQuotes, "'", 'a', '\u0374', '\u200b', '\n\n\n') }),
      (given) => {
        const parts = quotedParts(given)
        expect(parts.map(({ text }) => text).join('')).toBe(given)
        const marks = (quoted(given).match(/⟨[^⟨⟩]*⟩/g) ?? []).length
        expect(parts.filter(({ kind }) => ['quote', 'hidden', 'gap'].includes(kind)).length).toBe(marks)
      },
    ),
  )
})

test.each([
  '؟100',
  'ـ',
  '؛',
  '\u{1e900}',
  '\u0800',
  '\u0840',
  '\u{10900}',
  '\u{10840}',
  '\u{10d00}',
  '\u{1e800}',
  '\u{10c80}',
  '\u{10e80}',
])('a text with %s, which runs from the right, is isolated', (text) => {
  expect(quoted(text)).toMatch(/^“\u2068.*\u2069”/u)
})
