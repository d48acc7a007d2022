/**
 * Shortens parts of a line. A text that somebody set stands in “ ”, which are nowhere inside it: so what is open where a
 * line is cut can be told, and is closed. The mark of a cut stands outside the quotes.
 */

/** Both ends of each text in quotes that is longer, and of one that was shortened before. */
export function withShortTexts(line: string, charactersMax: number): string {
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

/** Both ends of each number of 30 digits or more that stands in no quotes, and how many digits it has. */
export function withShortNumbers(line: string): string {
  return outsideQuotes(line, longNumber, (whole) => {
    const digits = whole.replaceAll('\u00a0', '').length
    return `${endsOf(whole)} (${digits} digits)`
  })
}

/** Both ends of each address that stands in no quotes, and of what else is as long: a key, a hash, an id. */
export function withShortAddresses(line: string): string {
  return outsideQuotes(line, longWord, endsOf)
}

const longNumber = /(?<![\p{L}0-9])[0-9](?:\u00a0?[0-9]){29,}(?![\p{L}0-9])/gu
const longWord = /(?<![\p{L}0-9])[0-9A-Za-z-]{25,}(?![\p{L}0-9])/gu

function endsOf(whole: string): string {
  return `${whole.slice(0, 10)}…${whole.slice(-6)}`
}

function outsideQuotes(line: string, words: RegExp, shorten: (whole: string) => string): string {
  return line
    .split(/(“[^“”]*”)/u)
    .map((part) => (part.startsWith('“') ? part : part.replace(words, shorten)))
    .join('')
}

/** The quote and the isolate that are open at the end of a text: how they were opened, and what closes them. */
export function openedIn(text: string): { readonly opening: string; readonly closing: string } {
  const isOpen = (start: string, end: string) => text.lastIndexOf(start) > text.lastIndexOf(end)
  const [quote, isolate] = [isOpen('“', '”'), isOpen('\u2068', '\u2069')]
  return {
    opening: `${quote ? '“' : ''}${isolate ? '\u2068' : ''}`,
    closing: `${isolate ? '\u2069' : ''}${quote ? '”' : ''}`,
  }
}
