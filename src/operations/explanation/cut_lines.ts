import { warningStart } from './label_texts.ts'

/**
 * Cuts lines of an explanation for a mail. A text that somebody set stands in “ ”, which are nowhere inside it. So a
 * quote that is open where a line is cut can be told, and is closed. The mark of a cut stands outside the quotes.
 */

/**
 * A line with at most so many characters. Long texts in quotes lose their middle first, then long numbers: a name or a
 * number that somebody chose must not push our words and an amount out of the line. Then the end of the line is cut, and
 * of a warning that leaves no room, its own end: how many more there are stays, and how the sentence of the title begins.
 */
export function cutLine(given: string, charactersMax: number): string {
  const fits = (line: string) => [...line].length <= charactersMax
  let line = given
  for (const textMax of textCharactersMax) if (!fits(line)) line = withShortTexts(line, textMax)
  if (!fits(line)) line = withShortNumbers(line)
  if (fits(line)) return line
  const { warning, more, sentence } = partsOf(line)
  const room = charactersMax - more.length
  const isTooLong = [...warning].length > room && room > sentenceCharactersMin
  const cut = isTooLong ? cutEnd(warning, room - Math.min([...sentence].length, sentenceCharactersMin)) : warning
  return cutEnd(`${cut}${more}${sentence}`, charactersMax)
}

/** The characters that stay of a title's sentence behind a warning that is cut. */
const sentenceCharactersMin = 40

/** The warnings that stand before the sentence of a title, and what is between them. Empty in a line without a warning. */
function partsOf(line: string): { readonly warning: string; readonly more: string; readonly sentence: string } {
  if (!line.startsWith(warningStart)) return { warning: '', more: '', sentence: line }
  const ours = line.replace(quotedText, (whole) => '“'.padEnd(whole.length, '“'))
  const [several] = ours.matchAll(/, and [0-9]+ more\. /g)
  // A warning may have two sentences, that of a title is one.
  const [at, more] = several === undefined ? [ours.lastIndexOf('. '), '. '] : [several.index, several[0]]
  if (at === -1) return { warning: '', more: '', sentence: line }
  return { warning: line.slice(0, at), more, sentence: line.slice(at + more.length) }
}

function cutEnd(text: string, charactersMax: number): string {
  const characters = [...text]
  if (characters.length <= charactersMax) return text
  const beginning = characters.slice(0, Math.max(0, charactersMax - endingCharactersMax)).join('')
  return `${beginning}${openedIn(beginning).closing}…`
}

/** Both ends of each number of 30 digits or more that stands in no quotes, and how many digits it has. */
function withShortNumbers(line: string): string {
  const short = (whole: string) => {
    const digits = whole.replaceAll('\u00a0', '').length
    return `${whole.slice(0, 10)}…${whole.slice(-6)} (${digits} digits)`
  }
  return line
    .split(/(“[^“”]*”)/u)
    .map((part) => (part.startsWith('“') ? part : part.replace(longNumber, short)))
    .join('')
}

const quotedText = /“[^“”]*”/gu
const longNumber = /(?<![\p{L}0-9])[0-9](?:\u00a0?[0-9]){29,}(?![\p{L}0-9])/gu

/** The characters that stay of each text in a line that is too long: the greatest number that fits. */
const textCharactersMax = [60, 40, 24]

/** Both ends of each text in quotes that is longer, and of one that was shortened before. */
function withShortTexts(line: string, charactersMax: number): string {
  return line.replace(/“[^“”]*”(?:…“[^“”]*”)*/gu, (whole) => {
    const characters = [...whole].slice(1, -1).filter((one) => one !== '\u2068' && one !== '\u2069')
    if (characters.length <= charactersMax) return whole
    const isolated = (text: string) => (whole.includes('\u2068') ? `\u2068${text}\u2069` : text)
    const half = Math.floor(charactersMax / 2) - 2
    const [beginning = ''] = characters.slice(0, half).join('').split('”')
    const end = characters.slice(-half).join('').split('“').at(-1) ?? ''
    // A mark of a letter that is left out would join the quote.
    return `“${isolated(beginning)}”…“${isolated(end.replace(/^\p{M}+/u, ''))}”`
  })
}

/** An ellipsis, and the ends of an isolate and of a quote. */
const endingCharactersMax = 3

/** A line of at most so many characters is shown whole. A longer one shows its beginning and its end. */
const wholeCharactersMax = 1_200
const beginningCharacters = 700
const endCharacters = 300

const cutText = '[The text is cut here; the console shows the rest.]'

/**
 * The first lines that have room together, in UTF-16 units. If not all do, long ones show their beginning and their end:
 * the end of an expression may change what its beginning says.
 */
export function fittingLines(lines: readonly string[], unitsMax: number): readonly string[] {
  if (unitsIn(lines) <= unitsMax) return lines
  const shortened = lines.map(withoutMiddle)
  if (unitsIn(shortened) <= unitsMax) return shortened
  const room = unitsMax - cutText.length
  let units = 0
  const end = shortened.findIndex((line) => {
    units += line.length + 1
    return units > room
  })
  return [...shortened.slice(0, end), cutText]
}

function unitsIn(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, -1)
}

function withoutMiddle(line: string): string {
  const characters = [...line]
  if (characters.length <= wholeCharactersMax) return line
  const at = characters.length - endCharacters
  const beginning = characters.slice(0, beginningCharacters).join('')
  const end = characters.slice(at).join('')
  const leftOut = (at - beginningCharacters).toLocaleString('en')
  const opening = openedIn(characters.slice(0, at).join('')).opening
  return `${beginning}${openedIn(beginning).closing} [${leftOut} characters are left out here; the console shows them] ${opening}${end}`
}

/** The quote and the isolate that are open at the end of a text: how they were opened, and what closes them. */
function openedIn(text: string): { readonly opening: string; readonly closing: string } {
  const isOpen = (start: string, end: string) => text.lastIndexOf(start) > text.lastIndexOf(end)
  const [quote, isolate] = [isOpen('“', '”'), isOpen('\u2068', '\u2069')]
  return {
    opening: `${quote ? '“' : ''}${isolate ? '\u2068' : ''}`,
    closing: `${isolate ? '\u2069' : ''}${quote ? '”' : ''}`,
  }
}
