const around = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]$/u

/**
 * A text without blanks and invisible characters around it, which people copy along. Reads from both ends to the first
 * character that stays: one expression for both would begin anew at each blank inside the text.
 */
export function trimmed(text: string): string {
  let start = 0
  let end = text.length
  for (let size = sizeAround(text.codePointAt(0)); size > 0; size = sizeAround(text.codePointAt(start))) start += size
  while (end > start) {
    const isPair = end - start > 1 && (text.codePointAt(end - 2) ?? 0) > 0xffff
    const size = sizeAround(text.codePointAt(end - (isPair ? 2 : 1)))
    if (size === 0) break
    end -= size
  }
  return text.slice(start, end)
}

/** The length of a character that stands around texts. 0 for another one, and at the end. */
function sizeAround(codePoint: number | undefined): number {
  if (codePoint === undefined) return 0
  const character = String.fromCodePoint(codePoint)
  return around.test(character) ? character.length : 0
}
