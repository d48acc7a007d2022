import { openedIn } from './short_words.ts'

/** Cuts the lines of an explanation for a mail. */

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
