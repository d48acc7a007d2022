/**
 * Why a text may look like another one. `direction`: characters that reverse text. `invisible`: characters that take no
 * place. `control`: control characters. `mixedScripts`: a word with letters of several scripts. `lookAlike`: letters
 * that only look like Latin ones. `leftOut`: private or unassigned characters, which every font shows otherwise.
 */
export type TextFlag = 'direction' | 'invisible' | 'control' | 'mixedScripts' | 'lookAlike' | 'leftOut'

/** A text that somebody set, as it may be shown. `isRightToLeft`: it must stand in an isolate of its own. */
export type VisibleText = {
  readonly text: string
  readonly flags: readonly TextFlag[]
  readonly isRightToLeft: boolean
}

/**
 * Makes every character of a text visible that could make it pass for another one: each is shown by its code point, such
 * as ⟨U+202E⟩. Line feeds become ↵. Letters stay as they are, and flags say whether words mix scripts or consist of
 * look-alikes of Latin letters.
 */
export function visibleText(given: string): VisibleText {
  const flags = new Set<TextFlag>()
  const shown = given
    .toWellFormed()
    .replace(/\r\n|\r|\n|\u2028|\u2029/gu, '↵')
    .replace(never, (character, offset: number, whole: string) => {
      if (isJoined(character, offset, whole)) return character
      flags.add(flagOf(character))
      return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
    })
  for (const flag of flagsOfWords(given)) flags.add(flag)
  return {
    text: shown,
    flags: [...flags],
    isRightToLeft: /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(given),
  }
}

/** Characters that have no shape, or change the order or the shape of others. U+2800 is a blank of Braille. */
const never = /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Co}\p{Cn}\u2800]/gu

function flagOf(character: string): TextFlag {
  if (/\p{Bidi_Control}/u.test(character)) return 'direction'
  if (/\p{Cc}/u.test(character)) return 'control'
  return /[\p{Co}\p{Cn}]/u.test(character) && !/\p{Default_Ignorable_Code_Point}/u.test(character)
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
  if (character === '\ufe0f') return isAtEmoji || /[0-9#*]$/.test(before)
  if (isAtEmoji && /^\p{Extended_Pictographic}/u.test(after)) return character === '\u200d'
  return joining.test(before.slice(-2)) && joining.test(after)
}

/** Scripts that one word mixes with others only to deceive. Han, kana, Hangul and Latin stand together in many texts. */
const scripts: readonly RegExp[] = [
  /[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u,
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

/** Letters of Cyrillic, Greek and Armenian with the shape of a Latin letter (Unicode, confusables.txt). */
const lookAlikes = /^[асеһіјорԛѕуԝхѵԁɡАВЕЅІЈКМНОРСТУХԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧονοιυԼՏՍՕօոսհց]+$/u

function flagsOfWords(given: string): readonly TextFlag[] {
  const words = given.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const flags: TextFlag[] = []
  if (words.some((word) => scripts.filter((script) => script.test(word)).length > 1)) flags.push('mixedScripts')
  const foreign = words.filter(
    (word) =>
      !/[\p{Script=Latin}]/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(word),
  )
  const isWhollyAlike = foreign.length > 0 && foreign.every((word) => lookAlikes.test(word.replace(/\p{N}/gu, '')))
  // Letters of mathematics and of full width stand for Latin ones too.
  const isStyled = words.some(
    (word) => /[a-z0-9]/i.test(word.normalize('NFKC').replace(/[^\x20-\x7e]/g, '')) && hasStyled(word),
  )
  if (isWhollyAlike || isStyled) flags.push('lookAlike')
  return flags
}

/** Whether a letter or digit beyond ASCII is one of ASCII in another style. */
function hasStyled(word: string): boolean {
  return [...word].some((character) => character > '\u007f' && /^[a-z0-9]+$/i.test(character.normalize('NFKC')))
}
