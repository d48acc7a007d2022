/**
 * Cuts lines of an explanation for a mail. A text that somebody set stands in “ ”, which are nowhere inside it: so what is
 * open where a line is cut can be told, and is closed. What is left out is said outside the quotes.
 */

/**
 * A line with at most so many characters. Long texts in quotes lose their middle first: a name that somebody chose must
 * not push our words and an amount out of the line. Then the end of the line is cut.
 */
export function cutLine(given: string, charactersMax: number): string {
  const fits = (line: string) => [...line].length <= charactersMax
  let line = given
  for (const textMax of textCharactersMax) if (!fits(line)) line = withShortTexts(line, textMax)
  const characters = [...line]
  if (characters.length <= charactersMax) return line
  const beginning = characters.slice(0, Math.max(0, charactersMax - endingCharactersMax)).join('')
  return `${beginning}${openedIn(beginning).closing}…`
}

/** What is left of each text in a line that is too long, the longest that fits. */
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

/** A line of at most so many characters is shown whole. Of a longer one, the beginning and the end are shown. */
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

/** What is open at the end of a text: how it was opened, and what closes it. */
function openedIn(text: string): { readonly opening: string; readonly closing: string } {
  const isOpen = (start: string, end: string) => text.lastIndexOf(start) > text.lastIndexOf(end)
  const [quote, isolate] = [isOpen('“', '”'), isOpen('\u2068', '\u2069')]
  return {
    opening: `${quote ? '“' : ''}${isolate ? '\u2068' : ''}`,
    closing: `${isolate ? '\u2069' : ''}${quote ? '”' : ''}`,
  }
}
