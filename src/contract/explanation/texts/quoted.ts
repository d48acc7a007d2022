import { codePointOf, type TextPart, visibleParts, visibleText } from '../../../protocol/tools/visible_text.ts'
import { inWords } from './label_texts.ts'

/**
 * Everything that a reader may take for a double quote: quotes, accents that stand apart from their letter, letters that
 * are set as such accents, and primes. Properties of Unicode name most of them, so that a list need not be complete.
 */
const likeDouble =
  /[\p{Quotation_Mark}\p{Pi}\p{Pf}\p{Sk}\u02b0-\u02ff\u2032-\u2037\u2057\u05f2\u05f4\u1cd3\u275b-\u2760\u3003\u{1f676}-\u{1f678}]/u
/** Marks among these that look like a single quote or like none, and colors of skin. */
const likeNoDouble = /['`^´‘’‹›ʻʼʽʹˈ′¯¸「」『』｢｣\p{Emoji_Modifier}]/u
/** Marks that look like a single quote. Two of them look like a double one. */
const likeSingle = /['`´‘’ʻʼʽʹˈ′\u0374\u055a\u055d\u05f3\u07f4\u07f5\u144a\u16cc\ua78b\ua78c\u{16f51}\u{16f52}]/u
/** Marks above or beside a letter that look like a quote behind it. */
const likeQuoteMark = /[\u030b\u030d\u030e\u0312-\u0315]/u
/** A mark without a letter of its own joins the blank or the sign before it. A variation of an emoji is none. */
const strayMark = /(?<![\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])(?!\ufe0f)\p{M}+/u

const misleading = new RegExp(
  `(?!${likeNoDouble.source})${likeDouble.source}|${likeSingle.source}{2,}|${likeQuoteMark.source}|${strayMark.source}`,
  'gu',
)

/**
 * A text that somebody set, in quotes. Nothing inside looks like their end: lookalikes stand in ⟨ ⟩, as hidden
 * characters do. A text that runs from the right is isolated. “ and ” stand nowhere inside.
 */
export function quoted(given: string): string {
  const { text, flags, isRightToLeft } = visibleText(given)
  const shown = text.replace(misleading, (found) => `⟨${marksOf(found)}⟩`)
  const marked = flags.length === 0 ? '' : ` [beware: ${flags.map((flag) => inWords(flag)).join(', ')}]`
  return `“${isRightToLeft ? `\u2068${shown}\u2069` : shown}”${marked}`
}

/** `quote`: what a reader may take for the end of the quotes around the text. */
export type QuotedPart = TextPart | { readonly kind: 'quote'; readonly text: string }

/** The parts of a text that a page shows in “ ”. Joined, they are the text. */
export function quotedParts(given: string): readonly QuotedPart[] {
  const parts = visibleParts(given)
  // A part that is shown as a mark is none of the letters around it.
  const bare = parts.map((part) => (isLegible(part) ? part.text : '⟩'.repeat(part.text.length))).join('')
  const quotes = [...bare.matchAll(misleading)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }))
  const shown: QuotedPart[] = []
  let [start, next] = [0, 0]
  for (const part of parts) {
    const end = start + part.text.length
    let at = start
    for (let quote = quotes[next]; isLegible(part) && quote !== undefined && quote.start < end; quote = quotes[next]) {
      if (quote.start > at) shown.push({ ...part, text: given.slice(at, quote.start) })
      if (quote.start >= start) shown.push({ kind: 'quote', text: given.slice(quote.start, quote.end) })
      at = Math.min(quote.end, end)
      if (quote.end > end) break
      next += 1
    }
    if (at < end) shown.push({ ...part, text: given.slice(at, end) })
    start = end
  }
  return shown
}

function isLegible({ kind }: TextPart): boolean {
  return kind === 'plain' || kind === 'lookalike'
}

/** Characters of ASCII have one shape in every font. */
export function marksOf(found: string): string {
  return /^\p{ASCII}+$/u.test(found) ? found : [...found].map(codePointOf).join(' ')
}
