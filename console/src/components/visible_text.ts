/** A part of a text, as it may be shown. `hidden` characters are invisible or reorder what stands around them. */
export type TextPart = { readonly kind: 'plain' | 'hidden' | 'lookalike'; readonly text: string }

/**
 * Controls, format characters (joiners, bidirectional controls, tags), variation selectors, private characters, halves
 * of surrogate pairs, and every blank but the usual one. A line break and a tab are shown as they are.
 */
const hidden =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0\u2800]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u
const shownAsItIs = /[\n\t]/
/** Scripts whose letters can stand for Latin ones. */
const otherScript = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u
const latin = /\p{Script=Latin}/u
/** Letters of those scripts that look like a Latin letter. A word of nothing else is marked too. */
const confusable = /^[аԁеһіӏјӎорԛѕсԝхуАВЕЅІЈКМНОРСТУХЗѴҮΑΒΕΖΗΙΚΜΝΟΡΤΥΧνοικρυа]+$/u
const styledLetter = /[\u{1d400}-\u{1d7ff}\uff21-\uff3a\uff41-\uff5a]/u

/** Splits a text that a user set, so that nothing in it can pass for something else. The parts joined are the text. */
export function visibleParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = []
  for (const word of text.split(/([\p{L}\p{M}\p{N}]+)/u)) {
    const isSuspect = (otherScript.test(word) && latin.test(word)) || confusable.test(word)
    for (const character of word) {
      const kind = kindOf(character, { isSuspect })
      const last = parts.at(-1)
      if (kind === 'plain' && last?.kind === 'plain') parts[parts.length - 1] = { kind, text: last.text + character }
      else parts.push({ kind, text: character })
    }
  }
  return parts
}

function kindOf(character: string, { isSuspect }: { readonly isSuspect: boolean }): TextPart['kind'] {
  if (hidden.test(character) && !shownAsItIs.test(character)) return 'hidden'
  if (styledLetter.test(character)) return 'lookalike'
  return isSuspect && otherScript.test(character) ? 'lookalike' : 'plain'
}

/** As the Unicode standard writes a character: `U+202E`. */
export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
