import { asciiLookOf } from './ascii_looks.ts'
import { normalized } from './normalized.ts'

/**
 * Why a text may look like another one. `direction`: characters that reverse text. `invisible`: characters that take no
 * place, or blanks other than the usual one. `control`: control characters. `mixedScripts`: a word with letters of
 * several scripts. `lookAlike`: letters that only look like Latin ones, and characters that look like others in every
 * font, such as an accent that stands apart from its letter. `leftOut`: private or unassigned characters, which every
 * font shows otherwise, marks that strike letters out, and so many accents on one letter that they would cover the lines around it. `gap`: more blanks or
 * line breaks in a row than texts have, which push what follows out of sight.
 */
export type TextFlag = 'direction' | 'invisible' | 'control' | 'mixedScripts' | 'lookAlike' | 'leftOut' | 'gap'

/** White space in a row, of any kind: how many line breaks it has, and how many other blanks. */
export type Gap = { readonly lineBreaks: number; readonly blanks: number }

/**
 * A part of a text, as it may be shown. `hidden`: one character that has no shape of its own, or that changes the order
 * or the shape of others. `lookalike`: one letter that can pass for another one. `gap`: white space that is shown as its
 * count.
 */
export type TextPart =
  | { readonly kind: 'plain'; readonly text: string }
  | ({ readonly kind: 'gap'; readonly text: string; readonly flag: 'gap' } & Gap)
  | { readonly kind: 'hidden' | 'lookalike'; readonly text: string; readonly flag: TextFlag }

/** A text that somebody set, as it may be shown. `isRightToLeft`: it must stand in an isolate of its own. */
export type VisibleText = {
  readonly text: string
  readonly flags: readonly TextFlag[]
  readonly isRightToLeft: boolean
}

/**
 * Makes every character of a text visible that could make it pass for another one: each is shown by its code point, such
 * as ⟨U+202E⟩. Line feeds become ↵. Letters stay as they are, and flags say whether words mix scripts or have look-alikes
 * of Latin letters.
 */
export function visibleText(given: string): VisibleText {
  const parts = visibleParts(given.replace(/\r\n|\r|\u2028|\u2029/gu, '\n'))
  const shown = parts.map((part) => {
    if (part.kind === 'gap') return `⟨${gapText(part)}⟩`
    if (part.kind === 'hidden') return marked(part.text)
    return part.text.replace(ownMarks, marked).replaceAll('\n', '↵').replaceAll('\t', marked)
  })
  return {
    text: shown.join(''),
    flags: [...new Set(parts.flatMap((part) => (part.kind === 'plain' ? [] : [part.flag])))],
    isRightToLeft: rightToLeft.test(given),
  }
}

/**
 * The blocks whose characters run from the right (Bidi_Class R and AL), with the signs of no script in them. Unicode keeps
 * them for such characters, also those that it does not assign yet.
 */
const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** The marks of a visible text, which no text can have as its own. */
const ownMarks = /[⟨⟩↵]/g

function gapText({ lineBreaks, blanks }: Gap): string {
  const counted = (count: number, what: string) =>
    count === 0 ? [] : [`${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`]
  return [...counted(lineBreaks, 'line break'), ...counted(blanks, 'blank')].join(' and ')
}

const marked = (character: string) => `⟨${codePointOf(character)}⟩`

/**
 * Splits a text that somebody set, so that nothing in it can pass for something else. The parts joined are the text. A
 * line feed and a tab are plain outside of gaps.
 */
export function visibleParts(given: string): readonly TextPart[] {
  const words = given.split(wordPattern).flatMap((word) => word.split(whiteSpacePattern))
  const isForeign = words.some(
    (word) => otherLetters.test(word) && suspicionOf(word, { isForeign: false }) === undefined,
  )
  const parts: TextPart[] = []
  let offset = 0
  let marks = 0
  let before = ''
  for (const word of words) {
    const gap = gapOf(word)
    if (gap !== undefined) {
      parts.push({ kind: 'gap', text: word, flag: 'gap', ...gap })
      offset += word.length
      marks = 0
      before = ''
      continue
    }
    const suspicion = suspicionOf(word, { isForeign })
    for (const character of word) {
      marks = /\p{M}/u.test(character) ? marks + 1 : 0
      const around = { suspicion, isJoined: isJoined(character, offset, given), isPiled: marks > marksMax, before }
      const part = partOf(character, around)
      before = character
      const last = parts.at(-1)
      if (part.kind === 'plain' && last?.kind === 'plain') {
        parts[parts.length - 1] = { kind: 'plain', text: last.text + character }
      } else parts.push(part)
      offset += character.length
    }
  }
  return parts
}

/** The longest gap of some texts, or undefined if they have none. */
export function longestGapIn(texts: readonly string[]): Gap | undefined {
  const runs = texts.flatMap((text) => text.match(new RegExp(whiteSpacePattern, 'gu')) ?? [])
  const gaps = runs.flatMap((run) => gapOf(run) ?? [])
  return gaps.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0]
}

const sizeOf = ({ lineBreaks, blanks }: Gap) => lineBreaks + blanks

/** One empty line between two paragraphs, and the indentation of a line. */
const lineBreaksMax = 2
const blanksMax = 20

/** The gap that a word of white space makes, if it is more than a text has. */
function gapOf(word: string): Gap | undefined {
  if (word.length <= lineBreaksMax || !whiteSpacePattern.test(word)) return undefined
  const whole = word.replaceAll('\r\n', '\n')
  const lineBreaks = whole.match(lineBreakPattern)?.length ?? 0
  const blanks = whole.length - lineBreaks
  return lineBreaks > lineBreaksMax || blanks > blanksMax ? { lineBreaks, blanks } : undefined
}

/** As the Unicode standard writes a character: `U+202E`. */
export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

const wordPattern = /([\p{L}\p{M}\p{N}]+)/u
/** No word has any of it. U+2800 is a blank of Braille. */
const whiteSpacePattern = /([\s\u0085\u2800]+)/u
const lineBreakPattern = /[\n\v\f\r\u0085\u2028\u2029]/gu

/**
 * Characters that have no shape, or change the order or the shape of others, and every blank but the usual one. Half of a
 * surrogate pair is no character.
 */
const hidden =
  /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800]/u
const shownAsItIs = /[\n\t]/

/**
 * Marks that are drawn over the character before them (combining class 1) or around it: they strike words out. `\p{Me}`:
 * those that enclose.
 */
const overlay =
  /\p{Me}|[\u0334-\u0338]|\u1cd4|[\u1ce2-\u1ce8]|[\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|\u{10a39}|[\u{16af0}-\u{16af4}]|\u{1bc9e}|[\u{1d167}-\u{1d169}]/u
/** Scripts that write their own letters with such marks. */
const overlaid = /[\p{Script=Devanagari}\p{Script=Kharoshthi}\p{Script=Bassa_Vah}\p{Script=Duployan}]/u

/** Whether a mark strikes out what stands before it. A key of emoji is none. */
function strikesOut(character: string, before: string): boolean {
  if (!overlay.test(character) || overlaid.test(before)) return false
  return character !== '\u20e3' || !/[0-9#*]|\ufe0f/.test(before)
}

/** The marks on one letter that languages need (UTS #39, 5.4). */
const marksMax = 4

type Around = {
  readonly suspicion: TextFlag | undefined
  readonly isJoined: boolean
  readonly isPiled: boolean
  /** The character before it, or none. */
  readonly before: string
}

function partOf(character: string, { suspicion, isJoined, isPiled, before }: Around): TextPart {
  if (isPiled || strikesOut(character, before)) return { kind: 'hidden', text: character, flag: 'leftOut' }
  if (hidden.test(character) && !isJoined && !shownAsItIs.test(character)) {
    return { kind: 'hidden', text: character, flag: flagOf(character) }
  }
  if (isStyled(character) || isEqualToAnother(character, before)) {
    return { kind: 'lookalike', text: character, flag: 'lookAlike' }
  }
  const isSuspect = otherLetters.test(character) || strangeLetters.test(character) || isLookAlike(character)
  if (suspicion !== undefined && isSuspect) {
    return { kind: 'lookalike', text: character, flag: suspicion }
  }
  return { kind: 'plain', text: character }
}

function flagOf(character: string): TextFlag {
  if (/\p{Bidi_Control}/u.test(character)) return 'direction'
  if (/\p{Cc}/u.test(character)) return 'control'
  return /[\p{Co}\p{Cn}\p{Cs}]/u.test(character) && !/\p{Default_Ignorable_Code_Point}/u.test(character)
    ? 'leftOut'
    : 'invisible'
}

/** Scripts whose letters need joiners between them. */
const joining =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]/u

/** Whether a joiner or a variation selector stands where it belongs: between such letters, or at an emoji. */
function isJoined(character: string, offset: number, whole: string): boolean {
  if (character !== '\u200c' && character !== '\u200d' && character !== '\ufe0f') return false
  const before = whole.slice(Math.max(0, offset - 4), offset)
  const after = whole.slice(offset + 1, offset + 3)
  const isAtEmoji = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?$/u.test(before)
  if (character === '\ufe0f') return isAtEmoji || (/[0-9#*]$/.test(before) && after.startsWith('\u20e3'))
  if (isAtEmoji && /^\p{Extended_Pictographic}/u.test(after)) return character === '\u200d'
  return joining.test(before.slice(-2)) && joining.test(after)
}

/** Han, kana, Hangul and Latin stand together in many words. */
const ownLetters =
  /[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u

/** Scripts that one word mixes with others only to deceive. */
const otherScripts: readonly RegExp[] = [
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Georgian}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Devanagari}/u,
  /\p{Script=Thai}/u,
  /\p{Script=Lisu}/u,
]
const otherLetters = new RegExp(otherScripts.map(({ source }) => source).join('|'), 'u')
/** Letters of all scripts that stand in neither list. Some look Latin beside Latin ones. */
const strangeLetters = new RegExp(
  `(?!${ownLetters.source}|${otherLetters.source}|\\p{Script=Common}|\\p{Script=Inherited})\\p{L}`,
  'u',
)

/**
 * Scripts of which a few letters look like Latin ones among many that do not: those from the right, those of India and
 * Southeast Asia, Georgian, Ethiopic and those of East Asia. A whole word of such letters deceives nobody.
 */
const unlikeLatin =
  /[\u0590-\u10ff\u1200-\u139f\u1700-\u18af\u2e80-\ua4cf\uac00-\ud7ff\u{10800}-\u{1189f}\u{1e800}-\u{1efff}]/u

/** A letter of Turkish and Azerbaijani, which many honest names have. */
const dotlessI = '\u0131'

/** Whether a letter beyond ASCII can pass for one of ASCII. */
function isLookAlike(letter: string): boolean {
  const look = asciiLookOf(letter)
  return look !== undefined && /[a-z]/i.test(look) && letter !== dotlessI && !unlikeLatin.test(letter)
}

/**
 * Why the letters beyond ASCII in a word are suspect. A single letter is none if the text has whole words of another
 * script: many languages have words of one letter.
 */
function suspicionOf(word: string, { isForeign }: { readonly isForeign: boolean }): TextFlag | undefined {
  if (isAscii.test(word)) return undefined
  const scripts = [ownLetters, ...otherScripts, strangeLetters].filter((script) => script.test(word))
  if (scripts.length > 1) return 'mixedScripts'
  const letters = [...word.replace(/\p{N}/gu, '')]
  const areAlike = letters.some(isLookAlike) && letters.every((letter) => isAscii.test(letter) || isLookAlike(letter))
  return areAlike && !(isForeign && letters.length === 1) ? 'lookAlike' : undefined
}

const isAscii = /^[\0-\x7f]*$/

/**
 * Whether Unicode holds the character, with the one before it or alone, to be equal to another one (NFC). All fonts then
 * show both alike.
 */
function isEqualToAnother(character: string, before: string): boolean {
  if (character <= '\u007f') return false
  const pair = before + character
  const composed = normalized(pair, 'NFC')
  if (before !== '' && [...composed].length < [...pair].length) return true
  const alone = normalized(character, 'NFC')
  return alone !== character && [...alone].length === 1
}

/** Whether a letter or digit beyond ASCII is one of ASCII in another style: of mathematics, or of full width. */
function isStyled(character: string): boolean {
  return character > '\u007f' && /^[a-z0-9]+$/i.test(normalized(character, 'NFKC'))
}
